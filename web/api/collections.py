"""Collections and whom they are shared with."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from app.collections import edit
from app.collections.access import find, readable
from app.collections.access import shares as list_shares
from web.api import shapes
from web.deps import ServicesDep, ViewerDep

router = APIRouter(prefix="/collections", tags=["Collections"])
CollectionId = Annotated[str, Path(description="Id of the collection.")]


@router.get("", summary="Collections you may read")
def list_collections(services: ServicesDep, viewer: ViewerDep) -> list[shapes.Collection]:
    with services.database.session() as db:
        return [shapes.Collection.model_validate(view) for view in readable(db, viewer)]


@router.post("", status_code=201, summary="Create a collection")
def create_collection(services: ServicesDep, viewer: ViewerDep, given: shapes.NewCollection) -> shapes.Collection:
    with services.database.session() as db:
        return shapes.Collection.model_validate(edit.create(db, viewer, given.name))


@router.get("/{collection_id}", summary="One collection")
def get_collection(services: ServicesDep, viewer: ViewerDep, collection_id: CollectionId) -> shapes.Collection:
    with services.database.session() as db:
        return shapes.Collection.model_validate(find(db, viewer, collection_id))


@router.patch("/{collection_id}", summary="Rename, or share with everyone")
def change_collection(
    services: ServicesDep, viewer: ViewerDep, collection_id: CollectionId, given: shapes.CollectionChange
) -> shapes.Collection:
    with services.database.session() as db:
        view = find(db, viewer, collection_id, own=True)
        if given.name is not None:
            view = edit.rename(db, viewer, collection_id, given.name)
        if given.everyone is not None:
            view = edit.set_everyone(db, viewer, collection_id, given.everyone)
        return shapes.Collection.model_validate(view)


@router.delete("/{collection_id}", status_code=204, summary="Delete with all its documents and conversations")
def delete_collection(services: ServicesDep, viewer: ViewerDep, collection_id: CollectionId) -> None:
    with services.database.session() as db:
        edit.delete(db, viewer, collection_id)


@router.get("/{collection_id}/shares", summary="Whom it is shared with")
def get_shares(services: ServicesDep, viewer: ViewerDep, collection_id: CollectionId) -> list[shapes.Share]:
    with services.database.session() as db:
        return [shapes.Share.model_validate(view) for view in list_shares(db, viewer, collection_id)]


@router.post("/{collection_id}/shares", status_code=201, summary="Share with a person, or change what they may do")
def add_share(
    services: ServicesDep, viewer: ViewerDep, collection_id: CollectionId, given: shapes.NewShare
) -> shapes.Share:
    with services.database.session() as db:
        return shapes.Share.model_validate(edit.share(db, viewer, collection_id, given.user, given.may_edit))


@router.delete("/{collection_id}/shares/{user}", status_code=204, summary="Stop sharing with a person")
def remove_share(services: ServicesDep, viewer: ViewerDep, collection_id: CollectionId, user: str) -> None:
    with services.database.session() as db:
        edit.unshare(db, viewer, collection_id, user)
