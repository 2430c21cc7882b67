"""From rows to what people see: one query for a document, its content, and who uploaded it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ScalarSelect, Select, exists, func, select
from sqlalchemy.orm import Session, aliased

from app.db import tables
from app.documents.health import NEEDS_ATTENTION, health_of
from app.documents.types import DocumentState, DocumentView, RevisionView, WarningView

_SHOWN: dict[str, DocumentState] = {
    "queued": "received",
    "reading": "reading",
    "indexing": "reading",
    "ready": "ready",
    "refused": "refused",
}
# What to do where the reason alone does not say it.
_HINTS = {
    "crashed": "Upload it again to try once more, or save it as PDF first.",
    "too_slow": "Upload it again when the server is less busy, or split it into smaller files.",
}


def document_rows() -> Select[tables.Document, tables.Content, str, bool, bool, str, int | None]:
    """Document, content, uploader's name, whether another document here is called the same, whether somebody should
    look at it, its newest revision's id, the number of the revision that is searched."""
    twin = aliased(tables.Document)
    same_name = (
        exists()
        .where(
            twin.collection_id == tables.Document.collection_id,
            twin.name == tables.Document.name,
            twin.folder == tables.Document.folder,
            twin.series != tables.Document.series,
            twin.replaced_at.is_(None),
        )
        .correlate(tables.Document)
    )
    return (
        select(tables.Document, tables.Content, tables.User.name, same_name, NEEDS_ATTENTION, _newest(), _searched())
        .join(tables.Content, tables.Content.id == tables.Document.content_id)
        .outerjoin(tables.User, tables.User.id == tables.Document.uploaded_by)
    )


def _newest() -> ScalarSelect[str]:
    other = aliased(tables.Document)
    query = select(other.id).where(other.series == tables.Document.series).correlate(tables.Document)
    return query.order_by(other.revision.desc()).limit(1).scalar_subquery()


def _searched() -> ScalarSelect[int | None]:
    other, content = aliased(tables.Document), aliased(tables.Content)
    query = select(func.max(other.revision)).join(content, content.id == other.content_id)
    searched = (other.series == tables.Document.series, other.replaced_at.is_(None), content.state == "ready")
    return query.where(*searched).correlate(tables.Document).scalar_subquery()


def load_view(db: Session, document_id: str) -> DocumentView:
    """A document that is known to exist and to be the viewer's to see."""
    return view(db.execute(document_rows().where(tables.Document.id == document_id)).one())


def view(row: Any) -> DocumentView:
    document, content, uploader, same_name, attention, newest_id, searched = row
    return DocumentView(
        id=document.id,
        collection_id=document.collection_id,
        name=document.name,
        folder=document.folder,
        size=content.size,
        format=content.format,
        state=_SHOWN[content.state],
        outcome=content.outcome,
        has_pages=content.has_pages,
        pages_read=content.pages_read,
        pages_total=content.pages_total,
        passages=content.passage_count,
        refusal=_filled(content.refusal, content.refusal_values),
        refusal_code=content.refusal_code,
        refusal_template=content.refusal,
        refusal_values=dict(content.refusal_values),
        refusal_hint=_HINTS.get(content.refusal_code, ""),
        warnings=tuple(WarningView(one["code"], one["text"], one["page"]) for one in content.warnings),
        title=content.title,
        language=content.language,
        parent_id=document.parent_id,
        uploaded_by=uploader or "",
        sha256=content.sha256,
        created_at=document.created_at,
        changed_at=max(content.changed_at, document.created_at),
        same_name=bool(same_name),
        health=health_of(content.health) if content.state == "ready" else None,
        attention=bool(attention),
        series=document.series,
        revision=document.revision,
        replaced_at=document.replaced_at,
        newest_id=newest_id,
        searched_revision=searched,
    )


def revision_view(
    document: tables.Document, content: tables.Content, uploader: str | None, *, searched: int | None
) -> RevisionView:
    return RevisionView(
        id=document.id,
        revision=document.revision,
        size=content.size,
        state=_SHOWN[content.state],
        uploaded_by=uploader or "",
        sha256=content.sha256,
        created_at=document.created_at,
        searched=document.revision == searched,
    )


def _filled(template: str, values: dict[str, Any]) -> str:
    return template % values if values else template
