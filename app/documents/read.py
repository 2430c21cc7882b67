"""Looking at documents: lists, states, originals, page pictures and passages, as far as the viewer may."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.documents.types import Changes, DocumentText, DocumentView, PassageView, StateCounts, Stores


def list_documents(
    db: Session, viewer: Viewer, collection_id: str, *, limit: int | None = None, offset: int = 0
) -> list[DocumentView]:
    """Documents of a collection, newest first. Errors: NotFound."""
    raise NotImplementedError


def get_document(db: Session, viewer: Viewer, id: str) -> DocumentView:
    """Errors: NotFound."""
    raise NotImplementedError


def counts(db: Session, viewer: Viewer, collection_id: str) -> StateCounts:
    """How far reading the documents of a collection is. Errors: NotFound."""
    raise NotImplementedError


def changes(db: Session, viewer: Viewer, collection_id: str, since: float) -> Changes:
    """What changed at or after `since` (epoch seconds). Errors: NotFound."""
    raise NotImplementedError


def original(services: Stores, viewer: Viewer, id: str) -> tuple[Path, DocumentView]:
    """The file as it was uploaded. Errors: NotFound."""
    raise NotImplementedError


def page_picture(services: Stores, viewer: Viewer, id: str, page: int) -> bytes:
    """A page as PNG, 2 pixels a point. Errors: NotFound (also when the format has no page pictures)."""
    raise NotImplementedError


def passage(services: Stores, viewer: Viewer, document_id: str, ordinal: int) -> PassageView:
    """Errors: NotFound."""
    raise NotImplementedError


def document_text(
    services: Stores, viewer: Viewer, document_id: str, *, first: int = 0, limit: int = 50
) -> DocumentText:
    """Passages of a document in order, from ordinal `first` on. Errors: NotFound."""
    raise NotImplementedError
