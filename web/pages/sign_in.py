"""Coming in and going out: password, one-time link, language."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from app.accounts.sessions import redeem_link, sign_in, sign_out, token_hash
from app.accounts.users import rename_user, set_password
from app.errors import BelegError, Invalid, SignInRequired
from app.services import Services
from web import messages
from web.addresses import local_path
from web.deps import ServicesDep, cookie_name, get_viewer, session_secret
from web.pages.person import WELCOME, PersonDep
from web.pages.view import go, render

router = APIRouter()
Text = Annotated[str, Form(max_length=2000)]
DAY = 86400


@router.get("/sign-in")
def show_sign_in(request: Request, next: str = "/") -> Response:
    try:
        get_viewer(request)
    except SignInRequired:
        return render(request, "sign_in.html", next=local_path(next), name="", error=None)
    return go(request, local_path(next))


@router.post("/sign-in")
def do_sign_in(
    request: Request, services: ServicesDep, name: Text = "", password: Text = "", next: Text = "/"
) -> Response:
    try:
        with services.database.session() as db:
            secret = sign_in(db, name, password, services.settings)
    except BelegError as error:
        return render(request, "sign_in.html", error.status, next=local_path(next), name=name, error=error)
    return _signed_in(request, services, secret, local_path(next))


@router.post("/sign-out")
def do_sign_out(request: Request, services: ServicesDep) -> Response:
    with services.database.session() as db:
        sign_out(db, session_secret(request))
    response = go(request, "/sign-in")
    response.delete_cookie(cookie_name(services.settings))
    return response


@router.get("/welcome/{secret}")
def show_link(request: Request, secret: str) -> Response:
    """Only a button: programs that preview links must not use it up."""
    return render(request, "welcome_link.html", secret=secret)


@router.post("/welcome/{secret}")
def use_link(request: Request, services: ServicesDep, secret: str) -> Response:
    with services.database.session() as db:
        session = redeem_link(db, secret, days=services.settings.session_days)
    return _signed_in(request, services, session, WELCOME)


@router.get(WELCOME)
def show_welcome(request: Request, person: PersonDep) -> Response:
    if not person.needs_password:
        return go(request, "/")
    return render(request, "welcome.html", name=person.name, error=None)


@router.post(WELCOME)
def do_welcome(
    request: Request, services: ServicesDep, person: PersonDep, name: Text = "", password: Text = "", again: Text = ""
) -> Response:
    try:
        if password != again:
            raise Invalid("The two passwords are not the same.", "Type the same one twice.", field="again")
        with services.database.session() as db:
            rename_user(db, person, name)
            set_password(db, person, password, keep=token_hash(session_secret(request)))
    except BelegError as error:
        return render(request, "welcome.html", error.status, name=name, error=error)
    return go(request, "/")


@router.post("/language")
def set_language(request: Request, services: ServicesDep, language: Text = "", next: Text = "/") -> Response:
    response = go(request, local_path(next))
    if language in messages.LANGUAGES:
        secure = services.settings.secure_cookies
        response.set_cookie(messages.COOKIE, language, max_age=365 * DAY, httponly=True, samesite="lax", secure=secure)
    return response


def _signed_in(request: Request, services: Services, secret: str, path: str) -> Response:
    settings = services.settings
    response = go(request, path)
    response.set_cookie(
        cookie_name(settings),
        secret,
        max_age=settings.session_days * DAY,
        httponly=True,
        samesite="lax",
        secure=settings.secure_cookies,
    )
    return response
