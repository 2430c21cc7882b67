"""Making, renaming, sharing and deleting collections. Only the owner may; for everybody else they do not exist."""

from __future__ import annotations

from sqlalchemy import delete as delete_from
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.accounts.users import LONGEST_NAME, clean_name, name_key
from app.collections.access import find
from app.collections.types import CollectionView, ShareView
from app.db import tables
from app.db.session import lock
from app.errors import Conflict, Invalid


def create(db: Session, viewer: Viewer, name: str) -> CollectionView:
    """A new private collection. Errors: Invalid (name), Conflict (the viewer has one of that name)."""
    name = clean_name(name)
    lock(db)
    _require_free(db, viewer, name)
    collection = tables.Collection(owner_id=viewer.user_id, name=name)
    db.add(collection)
    db.flush()
    return find(db, viewer, collection.id, own=True)


def rename(db: Session, viewer: Viewer, id: str, name: str) -> CollectionView:
    """Errors: NotFound, Invalid, Conflict."""
    name = clean_name(name)
    lock(db)
    find(db, viewer, id, own=True)
    _require_free(db, viewer, name, but=id)
    db.execute(update(tables.Collection).where(tables.Collection.id == id).values(name=name))
    db.expire_all()
    return find(db, viewer, id, own=True)


def share(db: Session, viewer: Viewer, id: str, user_name: str, may_edit: bool = False) -> ShareView:
    """Let somebody read a collection and ask in it, with `may_edit` also upload and delete; sharing again changes
    that. Errors: NotFound (the collection), Invalid (nobody of that name, or the owner)."""
    lock(db)
    find(db, viewer, id, own=True)
    user = _person(db, user_name)
    if user.id == viewer.user_id:
        raise Invalid("This collection is yours already.", "Name somebody else.", field="user_name")
    db.merge(tables.Share(collection_id=id, user_id=user.id, may_edit=may_edit))
    db.flush()
    return ShareView(user.id, user.name, may_edit)


def unshare(db: Session, viewer: Viewer, id: str, user_name: str) -> None:
    """Take a share back; a person may also give up their own. Somebody it was not shared with is ignored. Errors:
    NotFound."""
    lock(db)
    leaving = name_key(user_name) == name_key(viewer.name)
    find(db, viewer, id, own=not leaving)
    person = select(tables.User.id).where(tables.User.name_key == name_key(user_name)).scalar_subquery()
    db.execute(delete_from(tables.Share).where(tables.Share.collection_id == id, tables.Share.user_id == person))


def set_everyone(db: Session, viewer: Viewer, id: str, everyone: bool) -> CollectionView:
    """Let every user of this server read the collection, or no longer. Errors: NotFound."""
    find(db, viewer, id, own=True)
    db.execute(update(tables.Collection).where(tables.Collection.id == id).values(everyone=everyone))
    db.expire_all()
    return find(db, viewer, id, own=True)


def delete(db: Session, viewer: Viewer, id: str) -> None:
    """A collection with its documents, conversations and shares. Contents used nowhere else go with it: from the
    database now, from the index and the disk by the worker. Errors: NotFound."""
    from app.documents.delete import forget_documents  # documents know collections, not the other way round

    lock(db)
    find(db, viewer, id, own=True)
    forget_documents(db, tables.Document.collection_id == id)
    db.execute(delete_from(tables.Collection).where(tables.Collection.id == id))


def _require_free(db: Session, viewer: Viewer, name: str, but: str = "") -> None:
    mine = select(tables.Collection.id, tables.Collection.name).where(tables.Collection.owner_id == viewer.user_id)
    if any(name_key(other) == name_key(name) and other_id != but for other_id, other in db.execute(mine)):
        raise Conflict(
            "You have a collection called %(name)s already.", "Choose another name.", field="name", name=name
        )


def _person(db: Session, user_name: str) -> tables.User:
    query = select(tables.User).where(tables.User.name_key == name_key(user_name), tables.User.active)
    user = db.scalars(query).first()
    if user is None:
        raise Invalid(
            "There is nobody called %(name)s here.",
            "Check the spelling, or ask an administrator to add them.",
            field="user_name",
            name=user_name[:LONGEST_NAME],
        )
    return user
