"""The collection a command was told to work in."""

from __future__ import annotations

from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.collections.access import find_by_name, readable
from app.collections.types import CollectionView
from app.errors import NotFound


def collection_named(db: Session, viewer: Viewer, name: str) -> CollectionView:
    """By name or id. Raises NotFound with the names there are."""
    try:
        return find_by_name(db, viewer, name)
    except NotFound:
        names = ", ".join(collection.name for collection in readable(db, viewer)) or "none yet"
        raise NotFound("There is no collection %(name)s.", f"There are: {names}.", name=name) from None
