"""Looking at documents: lists, states, originals and passages, as far as the viewer may.

The access condition is part of each query: what the viewer may not see is the same NotFound as what does not
exist.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from sqlalchemy import Select, case, func, or_, select
from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.collections.access import find, may_edit, may_read
from app.db import tables
from app.documents import pictures
from app.documents.blobs import blob_path
from app.documents.health import NEEDS_ATTENTION
from app.documents.marks import mark_of
from app.documents.revisions import listed
from app.documents.types import (
    Changes,
    DocumentText,
    DocumentView,
    Neighbours,
    PageSizeView,
    PassageText,
    PassageView,
    RevisionView,
    StateCounts,
    Stores,
)
from app.documents.views import document_rows, revision_view, view
from app.errors import NotFound

MOST_AT_ONCE = 500  # passages in one answer of `document_text`


def list_documents(
    db: Session,
    viewer: Viewer,
    collection_id: str,
    *,
    limit: int | None = None,
    offset: int = 0,
    attention: bool = False,
) -> list[DocumentView]:
    """Documents of a collection, newest first; with `attention` those that somebody should look at. Errors:
    NotFound."""
    find(db, viewer, collection_id)
    query = document_rows().where(tables.Document.collection_id == collection_id, listed())
    if attention:
        query = query.where(NEEDS_ATTENTION)
    ordered = query.order_by(tables.Document.created_at.desc(), tables.Document.id).limit(limit).offset(offset)
    return [view(row) for row in db.execute(ordered)]


def get_document(db: Session, viewer: Viewer, id: str, *, edit: bool = False) -> DocumentView:
    """One document; with `edit` only if the viewer may delete it. Errors: NotFound."""
    allowed = may_edit(viewer) if edit else may_read(viewer)
    query = document_rows().join(tables.Collection, tables.Collection.id == tables.Document.collection_id)
    row = db.execute(query.where(tables.Document.id == id, allowed)).first()
    if row is None:
        raise NotFound("There is no such document.", "It may have been deleted, or is not shared with you.")
    return view(row)


def revisions(db: Session, viewer: Viewer, id: str) -> tuple[RevisionView, ...]:
    """All revisions of a document, newest first; `id` may be any of them. Errors: NotFound."""
    document = get_document(db, viewer, id)
    query = (
        select(tables.Document, tables.Content, tables.User.name)
        .join(tables.Content, tables.Content.id == tables.Document.content_id)
        .outerjoin(tables.User, tables.User.id == tables.Document.uploaded_by)
        .where(tables.Document.series == document.series)
    )
    rows = db.execute(query.order_by(tables.Document.revision.desc()))
    return tuple(revision_view(*row, searched=document.searched_revision) for row in rows)


def counts(db: Session, viewer: Viewer, collection_id: str) -> StateCounts:
    """How far reading the documents of a collection is. Errors: NotFound."""
    find(db, viewer, collection_id)
    query = (
        select(tables.Content.state, func.count(), func.sum(case((NEEDS_ATTENTION, 1), else_=0)))
        .join(tables.Document)
        .where(tables.Document.collection_id == collection_id, listed())
        .group_by(tables.Content.state)
    )
    rows = db.execute(query).all()
    found = {state: count for state, count, _ in rows}
    reading = found.get("reading", 0) + found.get("indexing", 0)
    attention = sum(some for _, _, some in rows)
    return StateCounts(found.get("queued", 0), reading, found.get("ready", 0), found.get("refused", 0), attention)


def changes(db: Session, viewer: Viewer, collection_id: str, since: float) -> Changes:
    """What changed at or after `since` (epoch seconds; `until` of the call before). Errors: NotFound."""
    until = time.time()
    total = find(db, viewer, collection_id).documents
    query = document_rows().where(
        tables.Document.collection_id == collection_id,
        listed(),
        or_(tables.Content.changed_at >= since, tables.Document.created_at >= since),
    )
    ordered = query.order_by(tables.Document.created_at.desc(), tables.Document.id)
    # A change may be written a moment after its time was taken: look back a little next time.
    return Changes(tuple(view(row) for row in db.execute(ordered)), total, until - 2.0)


def original(services: Stores, viewer: Viewer, id: str) -> tuple[Path, DocumentView]:
    """The file as it was uploaded. Errors: NotFound."""
    with services.database.session() as db:
        document = get_document(db, viewer, id)
    path = blob_path(services.settings, document.sha256)
    if not path.is_file():
        raise NotFound("The stored file is missing on this server.", "Upload the document again.", code="missing")
    return path, document


def page_picture(services: Stores, viewer: Viewer, id: str, page: int) -> bytes:
    """A page as PNG, 2 pixels a point. Errors: NotFound (also where there are no page pictures), Invalid
    (damaged)."""
    path, document = original(services, viewer, id)
    if document.format != "pdf" or not 1 <= page <= max(document.pages_total, 1):
        raise NotFound("There is no picture of this page.", "Open the original instead.")
    return pictures.draw(services, path, document.sha256, page)


def passage(services: Stores, viewer: Viewer, document_id: str, ordinal: int) -> PassageView:
    """A passage with its lines and its neighbours. Errors: NotFound."""
    with services.database.session() as db:
        document = get_document(db, viewer, document_id)
        near = {
            row.ordinal: row for row in db.scalars(_passages(document_id).where(_between(ordinal - 1, ordinal + 1)))
        }
        if ordinal not in near:
            raise _no_such_passage()
        return _passage_view(db, document, near.pop(ordinal), list(near.values()))


def neighbours(
    services: Stores, viewer: Viewer, document_id: str, ordinal: int, *, before: int = 1, after: int = 1
) -> Neighbours:
    """What stands right before and after a passage, at most so many passages. Errors: NotFound."""
    before, after = (min(max(some, 0), MOST_AT_ONCE) for some in (before, after))
    with services.database.session() as db:
        document = get_document(db, viewer, document_id)
        rows = db.scalars(_passages(document_id).where(_between(ordinal - before, ordinal + after)))
        texts = [_passage_text(row, document.has_pages) for row in rows]
    if not any(text.ordinal == ordinal for text in texts):
        raise _no_such_passage()
    return Neighbours(
        document.id,
        ordinal,
        tuple(text for text in texts if text.ordinal < ordinal),
        tuple(text for text in texts if text.ordinal > ordinal),
    )


def _no_such_passage() -> NotFound:
    return NotFound("There is no such passage.", "The document may have been read anew since.")


def document_text(
    services: Stores, viewer: Viewer, document_id: str, *, first: int = 0, limit: int = 50
) -> DocumentText:
    """Passages of a document in order, from ordinal `first` on. Errors: NotFound."""
    first, limit = max(first, 0), min(max(limit, 0), MOST_AT_ONCE)
    with services.database.session() as db:
        document = get_document(db, viewer, document_id)
        rows = db.scalars(_passages(document_id).where(_between(first, first + limit - 1)))
        texts = tuple(_passage_text(row, document.has_pages) for row in rows)
    return DocumentText(document.id, document.name, first, document.passages, texts)


def _passages(document_id: str) -> Select[tables.Passage]:
    joined = select(tables.Passage).join(tables.Document, tables.Document.content_id == tables.Passage.content_id)
    return joined.where(tables.Document.id == document_id).order_by(tables.Passage.ordinal)


def _between(first: int, last: int) -> Any:
    return tables.Passage.ordinal.between(first, last)


def _passage_view(db: Session, document: DocumentView, row: tables.Passage, near: list[tables.Passage]) -> PassageView:
    marks = tuple(mark_of(values) for values in row.marks)
    pages = _page_sizes(db, row.content_id, {mark.page for mark in marks}) if document.has_pages else ()
    text = _passage_text(row, document.has_pages)
    begins = next((size for size in pages if size.number == text.page), None)
    return PassageView(
        document_id=document.id,
        document_name=document.name,
        ordinal=row.ordinal,
        page=text.page,
        label=begins.label if begins else "",
        headings=text.headings,
        text=row.text,
        marks=marks,
        page_width=begins.width if begins else 0,
        page_height=begins.height if begins else 0,
        pages=pages,
        neighbours=tuple(_passage_text(one, document.has_pages) for one in near),
        revision=document.revision,
        replaced=document.replaced_at is not None,
        newest_id=document.newest_id,
    )


def _page_sizes(db: Session, content_id: int, numbers: set[int]) -> tuple[PageSizeView, ...]:
    query = select(tables.PageSize).where(tables.PageSize.content_id == content_id, tables.PageSize.number.in_(numbers))
    rows = db.scalars(query.order_by(tables.PageSize.number))
    return tuple(PageSizeView(row.number, row.label, row.width, row.height) for row in rows)


def _passage_text(row: tables.Passage, has_pages: bool) -> PassageText:
    page = row.marks[0][2] if has_pages and row.marks else None
    return PassageText(row.ordinal, row.text, tuple(row.headings), page)
