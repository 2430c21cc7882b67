"""Deleting documents: gone from every search at once, from the disk right after, from the index within a moment.

In one transaction go the document in all its revisions, its attachments, the quotes of citations and, where nothing
else uses them, passages, pages and content; a search after that finds nothing, because it may look at existing contents
only. A row in `removals` makes the worker take the vectors and words out of the index, also after a crash.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, delete, exists, select, update
from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.accounts.users import require_admin, require_other_admin
from app.db import tables
from app.db.session import lock, pieces
from app.documents.blobs import remove_unused
from app.documents.read import get_document
from app.documents.revisions import with_belongings
from app.documents.types import Stores
from app.errors import NotFound


def delete_document(services: Stores, viewer: Viewer, id: str) -> None:
    """A document with all its revisions and what was attached to it. Safe while it is being read. Errors: NotFound."""
    with services.database.session() as db:
        lock(db)
        get_document(db, viewer, id, edit=True)
        gone = forget_documents(db, tables.Document.id == id)
    for sha256 in gone:
        remove_unused(services.database, services.settings, sha256)


def delete_user(services: Stores, viewer: Viewer, user_id: str) -> None:
    """A person with everything that is theirs alone: collections, conversations, keys, sessions. What they uploaded
    to others' collections stays. Errors: Forbidden, NotFound, Conflict (the last administrator)."""
    require_admin(viewer)
    with services.database.session() as db:
        lock(db)
        user = db.get(tables.User, user_id)
        if user is None:
            raise NotFound("There is no such user.", "Load the list again.")
        require_other_admin(db, user)
        owned = select(tables.Collection.id).where(tables.Collection.owner_id == user_id)
        gone = forget_documents(db, tables.Document.collection_id.in_(owned))
        db.execute(delete(tables.User).where(tables.User.id == user_id))
    for sha256 in gone:
        remove_unused(services.database, services.settings, sha256)


def forget_documents(db: Session, which: ColumnElement[bool]) -> set[str]:
    """Delete these documents with their revisions and attachments, and contents that nothing uses any more, from the
    database. Returns the hashes whose files may go now (`blobs.remove_unused`; otherwise the worker does it)."""
    lock(db)
    documents = with_belongings(db, which)
    contents: set[int] = set()
    for some in pieces(documents):
        contents |= set(db.scalars(select(tables.Document.content_id).where(tables.Document.id.in_(some))))
        gone = tables.Citation.document_id.in_(some)
        db.execute(update(tables.Citation).where(gone).values(document_id=None, quote=""))
        db.execute(update(tables.Document).where(tables.Document.id.in_(some)).values(parent_id=None))
    for some in pieces(documents):
        db.execute(delete(tables.Document).where(tables.Document.id.in_(some)))
    return _forget_unused(db, contents)


def _forget_unused(db: Session, contents: set[int]) -> set[str]:
    used = exists().where(tables.Document.content_id == tables.Content.id).correlate(tables.Content)
    hashes: set[str] = set()
    for some in pieces(contents):
        query = select(tables.Content.id, tables.Content.sha256).where(tables.Content.id.in_(some), ~used)
        for content_id, sha256 in db.execute(query).all():
            db.merge(tables.Removal(content_id=content_id, sha256=sha256))  # a refused one may have its row already
            db.execute(delete(tables.Content).where(tables.Content.id == content_id))  # pages and passages go with it
            hashes.add(sha256)
    db.flush()
    return hashes
