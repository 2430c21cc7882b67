"""Who may see which collection. Whatever a viewer may not see does not exist for them: the access condition is part
of every query, so a foreign id and an invented one take the same path to the same NotFound.

Administrators get nothing here by being administrators.

What every question asks of the database is a statement built once: building one costs more than running it.
"""

from __future__ import annotations

from functools import cache

from sqlalchemy import ColumnElement, Select, and_, bindparam, exists, func, or_, select
from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.collections.types import CollectionView, ShareView
from app.db import tables
from app.documents.revisions import listed, searched
from app.errors import NotFound

_READY = "ready"


def readable(db: Session, viewer: Viewer) -> list[CollectionView]:
    """All collections the viewer may read and ask in: their own first, then by name."""
    rows = db.execute(_visible(), {"viewer": viewer.user_id}).all()
    views = [_view(viewer, *row) for row in rows]
    return sorted(views, key=lambda view: (not view.mine, view.name.casefold(), view.created_at))


def find(db: Session, viewer: Viewer, id: str, *, edit: bool = False, own: bool = False) -> CollectionView:
    """One collection. `edit`: only if the viewer may upload and delete there; `own`: only if it is theirs. Errors:
    NotFound for what does not exist, is not shared with the viewer, or not with the right asked for."""
    row = db.execute(_visible_one(edit, own), {"viewer": viewer.user_id, "collection": id}).first()
    if row is None:
        raise not_found()
    return _view(viewer, *row)


def find_by_name(db: Session, viewer: Viewer, name: str) -> CollectionView:
    """The collection of that name (or id), the viewer's own before others'. Errors: NotFound."""
    wanted = name.strip().casefold()
    for view in readable(db, viewer):
        if view.id == name or view.name.casefold() == wanted:
            return view
    raise not_found()


def contents_allowed(db: Session, viewer: Viewer, collection_id: str) -> frozenset[int]:
    """Ids of the ready contents in a collection, of each document the revision that is searched: what a search for this
    viewer may look at. Errors: NotFound."""
    require_readable(db, viewer, collection_id)
    return frozenset(db.scalars(_ready_contents(), {"collection": collection_id}))


def require_readable(db: Session, viewer: Viewer, id: str) -> None:
    """The check of `find` without its view. Errors: NotFound."""
    if db.scalar(_readable(), {"viewer": viewer.user_id, "collection": id}) is None:
        raise not_found()


def shares(db: Session, viewer: Viewer, id: str) -> list[ShareView]:
    """Whom a collection is shared with by name; its owner alone sees that. Errors: NotFound."""
    find(db, viewer, id, own=True)
    query = select(tables.User.id, tables.User.name, tables.Share.may_edit).join(tables.Share)
    rows = db.execute(query.where(tables.Share.collection_id == id).order_by(tables.User.name_key))
    return [ShareView(*row) for row in rows]


def may_read(viewer: Viewer) -> ColumnElement[bool]:
    """Condition on `Collection`: the viewer may read it."""
    return _reads(viewer.user_id)


def may_edit(viewer: Viewer) -> ColumnElement[bool]:
    """Condition on `Collection`: the viewer may upload and delete documents there."""
    return _edits(viewer.user_id)


def not_found() -> NotFound:
    return NotFound("There is no such collection.", "It may have been deleted, or is not shared with you.")


_User = str | ColumnElement[str]
_VIEWER: ColumnElement[str] = bindparam("viewer")
_COLLECTION: ColumnElement[str] = bindparam("collection")


def _reads(user: _User) -> ColumnElement[bool]:
    return or_(tables.Collection.owner_id == user, tables.Collection.everyone, _shared(user))


def _edits(user: _User) -> ColumnElement[bool]:
    return or_(tables.Collection.owner_id == user, _shared(user, tables.Share.may_edit))


def _shared(user: _User, *more: ColumnElement[bool] | object) -> ColumnElement[bool]:
    mine = and_(
        tables.Share.collection_id == tables.Collection.id,
        tables.Share.user_id == user,
        *more,  # type: ignore[arg-type]
    )
    return exists().where(mine).correlate(tables.Collection)


@cache
def _readable() -> Select[str]:
    return select(tables.Collection.id).where(tables.Collection.id == _COLLECTION, _reads(_VIEWER))


@cache
def _ready_contents() -> Select[int]:
    query = select(tables.Content.id).join(tables.Document)
    return query.where(tables.Document.collection_id == _COLLECTION, tables.Content.state == _READY, searched())


@cache
def _visible_one(edit: bool, own: bool) -> Select[tables.Collection, str, bool, int]:
    return _visible(edit, own).where(tables.Collection.id == _COLLECTION)


@cache
def _visible(edit: bool = False, own: bool = False) -> Select[tables.Collection, str, bool, int]:
    documents = (
        select(func.count())
        .where(tables.Document.collection_id == tables.Collection.id, listed())
        .correlate(tables.Collection)
        .scalar_subquery()
    )
    editable = _edits(_VIEWER)
    query = select(tables.Collection, tables.User.name, editable, documents).join(
        tables.User, tables.User.id == tables.Collection.owner_id
    )
    if own:
        return query.where(tables.Collection.owner_id == _VIEWER)
    return query.where(editable if edit else _reads(_VIEWER))


def _view(viewer: Viewer, row: tables.Collection, owner: str, editable: bool, documents: int) -> CollectionView:
    return CollectionView(
        id=row.id,
        name=row.name,
        owner_name=owner,
        mine=row.owner_id == viewer.user_id,
        may_edit=bool(editable),
        everyone=row.everyone,
        documents=documents,
        created_at=row.created_at,
    )
