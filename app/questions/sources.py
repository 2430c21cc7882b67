"""Passages from the database as they may be cited in one collection."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, func, select, tuple_
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
    rows = db.execute(_passages(), {"keys": wanted}).all()
    return {
        (row.content_id, row.ordinal): remembered(_source(row, *documents[row.content_id]))
        for row in rows
        if row.content_id in documents
    }


def unread_documents(db: Session, collection_id: str) -> int:
    """How many documents of the collection are still being read."""
    return db.scalar(_unread(), {"collection": collection_id}) or 0


def _documents(db: Session, collection_id: str, contents: set[int]) -> dict[int, tuple[str, str, bool]]:
    rows = db.execute(_holders(), {"collection": collection_id, "contents": sorted(contents)})
    return {content: (id, name, has_pages) for content, id, name, has_pages in rows}


# Built once: building a statement costs more than running it.


@cache
def _passages() -> Select[int, int, str, list[str], list[Any]]:
    passage = tables.Passage
    columns = select(passage.content_id, passage.ordinal, passage.text, passage.headings, passage.marks)
    return columns.where(tuple_(passage.content_id, passage.ordinal).in_(bindparam("keys", expanding=True)))


@cache
def _unread() -> Select[int]:
    return (
        select(func.count())
        .select_from(tables.Content)
        .join(tables.Document, tables.Document.content_id == tables.Content.id)
        .where(tables.Document.collection_id == bindparam("collection"), searched())
        .where(tables.Content.state.in_(("queued", "reading", "indexing")))
    )


@cache
def _holders() -> Select[int, str, str, bool]:
    document, content = tables.Document, tables.Content
    return (
        select(document.content_id, document.id, document.name, content.has_pages)
        .join(content, content.id == document.content_id)
        .where(document.collection_id == bindparam("collection"))
        .where(document.content_id.in_(bindparam("contents", expanding=True)))
        .order_by(searched(), document.created_at.desc(), document.id)
    )


def _source(row: Any, document_id: str, document: str, has_pages: bool) -> Source:
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
