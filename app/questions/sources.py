"""Passages from the database as they may be cited in one collection."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from app.db import tables
from app.documents.revisions import searched
from app.questions.spans import Source, remembered

Key = tuple[int, int]  # content id, ordinal


def load_sources(db: Session, collection_id: str, keys: Iterable[Key]) -> dict[Key, Source]:
    """The passages that (still) belong to a document of the collection. A content under two names in one collection
    is cited under the older, but under an earlier revision only when it is nothing else."""
    wanted = list(dict.fromkeys(keys))
    if not wanted:
        return {}
    documents = _documents(db, collection_id, {content for content, _ in wanted})
    rows = db.scalars(
        select(tables.Passage).where(tuple_(tables.Passage.content_id, tables.Passage.ordinal).in_(wanted))
    )
    return {
        (row.content_id, row.ordinal): remembered(_source(row, *documents[row.content_id]))
        for row in rows
        if row.content_id in documents
    }


def unread_documents(db: Session, collection_id: str) -> int:
    """How many documents of the collection are still being read."""
    query = (
        select(tables.Content.id)
        .join(tables.Document, tables.Document.content_id == tables.Content.id)
        .where(tables.Document.collection_id == collection_id, searched())
        .where(tables.Content.state.in_(("queued", "reading", "indexing")))
    )
    return len(db.scalars(query).all())


def _documents(db: Session, collection_id: str, contents: set[int]) -> dict[int, tuple[str, str, bool]]:
    query = (
        select(tables.Document.content_id, tables.Document.id, tables.Document.name, tables.Content.has_pages)
        .join(tables.Content, tables.Content.id == tables.Document.content_id)
        .where(tables.Document.collection_id == collection_id, tables.Document.content_id.in_(contents))
        .order_by(searched(), tables.Document.created_at.desc(), tables.Document.id)
    )
    return {content: (id, name, has_pages) for content, id, name, has_pages in db.execute(query)}


def _source(row: tables.Passage, document_id: str, document: str, has_pages: bool) -> Source:
    return Source(
        content_id=row.content_id,
        ordinal=row.ordinal,
        text=row.text,
        headings=tuple(row.headings),
        document_id=document_id,
        document=document,
        has_pages=has_pages,
        marks=tuple(_mark(mark) for mark in row.marks),
    )


def _mark(mark: list[Any]) -> tuple[int, int, int]:
    return mark[0], mark[1], mark[2]
