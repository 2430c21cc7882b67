"""Deleting documents: gone from every search at once, and from the disk right after."""

from __future__ import annotations

from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.documents.types import Stores


def delete_document(services: Stores, viewer: Viewer, id: str) -> None:
    """Errors: NotFound."""
    raise NotImplementedError


def forget_documents(db: Session, which: ColumnElement[bool]) -> None:
    raise NotImplementedError
