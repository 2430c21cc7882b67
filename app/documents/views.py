"""From rows to what people see: one query for a document, its content, and who uploaded it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, exists, select
from sqlalchemy.orm import Session, aliased

from app.db import tables
from app.documents.health import NEEDS_ATTENTION, health_of
from app.documents.types import DocumentState, DocumentView, WarningView

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


def document_rows() -> Select[tables.Document, tables.Content, str, bool, bool]:
    """Document, content, uploader's name, whether another document here is called the same, whether somebody should
    look at it."""
    twin = aliased(tables.Document)
    same_name = (
        exists()
        .where(
            twin.collection_id == tables.Document.collection_id,
            twin.name == tables.Document.name,
            twin.folder == tables.Document.folder,
            twin.id != tables.Document.id,
        )
        .correlate(tables.Document)
    )
    return (
        select(tables.Document, tables.Content, tables.User.name, same_name, NEEDS_ATTENTION)
        .join(tables.Content, tables.Content.id == tables.Document.content_id)
        .outerjoin(tables.User, tables.User.id == tables.Document.uploaded_by)
    )


def load_view(db: Session, document_id: str) -> DocumentView:
    """A document that is known to exist and to be the viewer's to see."""
    return view(db.execute(document_rows().where(tables.Document.id == document_id)).one())


def view(row: Any) -> DocumentView:
    document, content, uploader, same_name, attention = row
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
    )


def _filled(template: str, values: dict[str, Any]) -> str:
    return template % values if values else template
