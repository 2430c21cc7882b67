"""For administrators: people, and how the engine is."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from app.accounts import users
from app.accounts.sessions import make_link
from app.accounts.types import Viewer
from app.services import Services
from web.addresses import welcome_link
from web.deps import ServicesDep
from web.pages.person import AdministratorDep
from web.pages.view import go, render

router = APIRouter(prefix="/administration")
Text = Annotated[str, Form(max_length=2000)]
Flag = Annotated[bool, Form()]


@router.get("")
def show(request: Request, services: ServicesDep, administrator: AdministratorDep) -> Response:
    return _page(request, services, administrator)


def _page(
    request: Request, services: Services, administrator: Viewer, *, invited: str = "", link: str = ""
) -> Response:
    with services.database.session() as db:
        people = users.list_users(db, administrator)
    status = services.engine_status()
    return render(
        request,
        "administration.html",
        people=people,
        engine=status,
        seconds=time.time() - status.since,
        invited=invited,
        link=link,
    )


@router.post("/users")
def invite(
    request: Request,
    services: ServicesDep,
    administrator: AdministratorDep,
    name: Text = "",
    is_admin: Flag = False,
) -> Response:
    """The link is in this reply and nowhere else: no redirect."""
    with services.database.session() as db:
        person = users.create_user(db, name, None, is_admin, by=administrator)
        link = welcome_link(services.settings, make_link(db, person.id, by=administrator))
    return _page(request, services, administrator, invited=person.name, link=link)


@router.post("/users/{user_id}/link")
def new_link(
    request: Request, services: ServicesDep, administrator: AdministratorDep, user_id: str, name: Text = ""
) -> Response:
    with services.database.session() as db:
        link = welcome_link(services.settings, make_link(db, user_id, by=administrator))
    return _page(request, services, administrator, invited=name, link=link)


@router.post("/users/{user_id}/admin")
def set_admin(
    request: Request,
    services: ServicesDep,
    administrator: AdministratorDep,
    user_id: str,
    is_admin: Flag = False,
) -> Response:
    with services.database.session() as db:
        users.set_admin(db, administrator, user_id, is_admin)
    return go(request, "/administration")


@router.post("/users/{user_id}/active")
def set_active(
    request: Request,
    services: ServicesDep,
    administrator: AdministratorDep,
    user_id: str,
    active: Flag = False,
) -> Response:
    with services.database.session() as db:
        (users.activate if active else users.deactivate)(db, administrator, user_id)
    return go(request, "/administration")
