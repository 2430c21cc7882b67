"""What routes ask for: the services, and the person who is asking."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Request

from app.accounts.keys import viewer_of_key
from app.accounts.sessions import viewer_of_session
from app.accounts.types import Viewer
from app.config import Settings
from app.errors import Forbidden, SignInRequired
from app.services import Services
from web.security import has_key


def get_services(request: Request) -> Services:
    return cast(Services, request.app.state.services)


ServicesDep = Annotated[Services, Depends(get_services)]


def cookie_name(settings: Settings) -> str:
    """With HTTPS the name's prefix makes browsers refuse a cookie set by another host or over plain HTTP."""
    return "__Host-beleg_session" if settings.secure_cookies else "beleg_session"


def session_secret(request: Request) -> str:
    return request.cookies.get(cookie_name(get_services(request).settings), "")


def get_viewer(request: Request) -> Viewer:
    """Who is asking: an API key decides where one is sent, the session's cookie otherwise. SignInRequired of nobody."""
    services = get_services(request)
    if has_key(request.headers):
        with services.database.session() as db:
            return viewer_of_key(db, request.headers["authorization"][7:].strip())
    secret = session_secret(request)
    if not secret:
        raise SignInRequired("Nobody is signed in.", "Sign in, or send an API key.")
    with services.database.session() as db:
        return viewer_of_session(db, secret)


ViewerDep = Annotated[Viewer, Depends(get_viewer)]


def get_admin(viewer: ViewerDep) -> Viewer:
    if not viewer.is_admin:
        raise Forbidden("Only an administrator may do this.", "Ask an administrator.")
    return viewer


AdminDep = Annotated[Viewer, Depends(get_admin)]
