"""Who you are, your API keys, and for administrators the users of this server."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from app.accounts import keys, users
from app.accounts.sessions import make_link
from app.accounts.types import UserView, Viewer
from app.errors import NotFound
from web.addresses import welcome_link
from web.api import shapes
from web.deps import AdminDep, ServicesDep, ViewerDep

router = APIRouter()
UserId = Annotated[str, Path(description="Id of the user.")]


@router.get("/me", summary="Who you are", tags=["Account"])
def get_me(viewer: ViewerDep) -> shapes.Me:
    return shapes.Me(id=viewer.user_id, name=viewer.name, is_admin=viewer.is_admin)


@router.get("/keys", summary="Your API keys", tags=["Account"])
def list_keys(services: ServicesDep, viewer: ViewerDep) -> list[shapes.ApiKey]:
    with services.database.session() as db:
        return [shapes.ApiKey.model_validate(view) for view in keys.list_keys(db, viewer)]


@router.post("/keys", status_code=201, summary="Make an API key", tags=["Account"])
def create_key(services: ServicesDep, viewer: ViewerDep, given: shapes.NewApiKey) -> shapes.MadeApiKey:
    with services.database.session() as db:
        view, secret = keys.create_key(db, viewer, given.name)
        return shapes.MadeApiKey(**shapes.ApiKey.model_validate(view).model_dump(), key=secret)


@router.delete("/keys/{key_id}", status_code=204, summary="End an API key", tags=["Account"])
def revoke_key(services: ServicesDep, viewer: ViewerDep, key_id: Annotated[str, Path()]) -> None:
    with services.database.session() as db:
        keys.revoke_key(db, viewer, key_id)


@router.get("/users", summary="Everybody (administrators)", tags=["Users"])
def list_users(services: ServicesDep, admin: AdminDep) -> list[shapes.User]:
    with services.database.session() as db:
        return [shapes.User.model_validate(view) for view in users.list_users(db, admin)]


@router.post("/users", status_code=201, summary="Invite somebody (administrators)", tags=["Users"])
def create_user(services: ServicesDep, admin: AdminDep, given: shapes.NewUser) -> shapes.InvitedUser:
    with services.database.session() as db:
        view = users.create_user(db, given.name, None, given.is_admin, by=admin)
        link = welcome_link(services.settings, make_link(db, view.id, by=admin))
        return shapes.InvitedUser(**shapes.User.model_validate(view).model_dump(), link=link)


@router.patch("/users/{user_id}", summary="Change what somebody may do (administrators)", tags=["Users"])
def change_user(services: ServicesDep, admin: AdminDep, user_id: UserId, given: shapes.UserChange) -> shapes.User:
    with services.database.session() as db:
        view = _find_user(db, admin, user_id)
        if given.is_admin is not None:
            view = users.set_admin(db, admin, user_id, given.is_admin)
        if given.active is not None:
            view = (users.activate if given.active else users.deactivate)(db, admin, user_id)
        return shapes.User.model_validate(view)


def _find_user(db: Any, admin: Viewer, user_id: str) -> UserView:
    for view in users.list_users(db, admin):
        if view.id == user_id:
            return view
    raise NotFound("There is no such user.", "Load the list again.")
