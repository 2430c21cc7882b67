"""Who looks at a page. Whoever came by a link and has no password yet is asked for one before anything else."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Response

from app.accounts.types import Viewer
from app.errors import Forbidden
from web.deps import ViewerDep
from web.pages.view import go

WELCOME = "/welcome"


class PasswordFirst(Exception):
    """Go to the page that asks for a name and a password."""


def ask_for_password(request: Request, _first: Exception) -> Response:
    return go(request, WELCOME)


def get_person(request: Request, viewer: ViewerDep) -> Viewer:
    request.state.viewer = viewer
    if viewer.needs_password and request.url.path != WELCOME:
        raise PasswordFirst
    return viewer


PersonDep = Annotated[Viewer, Depends(get_person)]


def get_administrator(person: PersonDep) -> Viewer:
    if not person.is_admin:
        raise Forbidden("Only an administrator may do this.", "Ask an administrator of this server.")
    return person


AdministratorDep = Annotated[Viewer, Depends(get_administrator)]
