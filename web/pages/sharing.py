"""A collection's last tab: who may see it, its name, and the end of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from app.collections import edit
from app.collections.access import find, shares
from web.deps import ServicesDep
from web.pages.person import PersonDep
from web.pages.view import go, is_part, render

router = APIRouter(prefix="/collections/{collection_id}")
Text = Annotated[str, Form(max_length=2000)]


@router.get("/sharing")
def show(request: Request, services: ServicesDep, person: PersonDep, collection_id: str) -> Response:
    with services.database.session() as db:
        collection = find(db, person, collection_id)
        people = shares(db, person, collection_id) if collection.mine else []
    return render(request, "sharing.html", collection=collection, people=people)


@router.post("/shares")
def add(
    request: Request,
    services: ServicesDep,
    person: PersonDep,
    collection_id: str,
    user_name: Text = "",
    may_edit: Annotated[bool, Form()] = False,
) -> Response:
    with services.database.session() as db:
        edit.share(db, person, collection_id, user_name, may_edit)
    return go(request, f"/collections/{collection_id}/sharing")


@router.post("/shares/remove")
def remove(
    request: Request, services: ServicesDep, person: PersonDep, collection_id: str, user_name: Text = ""
) -> Response:
    with services.database.session() as db:
        mine = find(db, person, collection_id).mine
        edit.unshare(db, person, collection_id, user_name)
    return go(request, f"/collections/{collection_id}/sharing" if mine else "/")


@router.post("/everyone")
def everyone(
    request: Request,
    services: ServicesDep,
    person: PersonDep,
    collection_id: str,
    everyone: Annotated[bool, Form()] = False,
) -> Response:
    with services.database.session() as db:
        edit.set_everyone(db, person, collection_id, everyone)
    return go(request, f"/collections/{collection_id}/sharing")


@router.post("/name")
def rename(request: Request, services: ServicesDep, person: PersonDep, collection_id: str, name: Text = "") -> Response:
    with services.database.session() as db:
        edit.rename(db, person, collection_id, name)
    return go(request, f"/collections/{collection_id}/sharing")


@router.get("/delete")
def confirm(request: Request, services: ServicesDep, person: PersonDep, collection_id: str) -> Response:
    with services.database.session() as db:
        collection = find(db, person, collection_id, own=True)
    return render(request, "confirm/collection.html", part=is_part(request), collection=collection)


@router.post("/delete")
def delete(request: Request, services: ServicesDep, person: PersonDep, collection_id: str) -> Response:
    with services.database.session() as db:
        edit.delete(db, person, collection_id)
    return go(request, "/")
