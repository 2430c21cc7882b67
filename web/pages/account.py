"""One's own account: password, API keys, sign out everywhere."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from app.accounts import keys
from app.accounts.sessions import sign_out_everywhere, token_hash
from app.accounts.users import rename_user, set_password
from app.errors import Invalid
from web.deps import ServicesDep, session_secret
from web.pages.person import PersonDep
from web.pages.view import go, render

router = APIRouter(prefix="/account")
Text = Annotated[str, Form(max_length=2000)]


@router.get("")
def show(request: Request, services: ServicesDep, person: PersonDep, done: str = "") -> Response:
    with services.database.session() as db:
        mine = keys.list_keys(db, person)
    return render(request, "account.html", keys=mine, made=None, done=done)


@router.post("/name")
def rename(request: Request, services: ServicesDep, person: PersonDep, name: Text = "") -> Response:
    with services.database.session() as db:
        rename_user(db, person, name)
    return go(request, "/account?done=name")


@router.post("/password")
def change_password(
    request: Request,
    services: ServicesDep,
    person: PersonDep,
    current: Text = "",
    password: Text = "",
    again: Text = "",
) -> Response:
    if password != again:
        raise Invalid("The two passwords are not the same.", "Type the same one twice.", field="again")
    with services.database.session() as db:
        set_password(db, person, password, current=current, keep=token_hash(session_secret(request)))
    return go(request, "/account?done=password")


@router.post("/keys")
def make_key(request: Request, services: ServicesDep, person: PersonDep, name: Text = "") -> Response:
    """The secret is in this reply and nowhere else: no redirect."""
    with services.database.session() as db:
        made = keys.create_key(db, person, name)
        mine = keys.list_keys(db, person)
    return render(request, "account.html", keys=mine, made=made, done="")


@router.post("/keys/{key_id}/revoke")
def revoke_key(request: Request, services: ServicesDep, person: PersonDep, key_id: str) -> Response:
    with services.database.session() as db:
        keys.revoke_key(db, person, key_id)
    return go(request, "/account?done=key")


@router.post("/sign-out-everywhere")
def everywhere(request: Request, services: ServicesDep, person: PersonDep) -> Response:
    with services.database.session() as db:
        sign_out_everywhere(db, person, keep=session_secret(request))
    return go(request, "/account?done=sessions")
