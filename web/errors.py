"""Turns errors into replies: problem details (RFC 9457) for programs, a page or a short notice for people.

What a person reads says what happened and what to do next, in their language. Nothing of the inside is told.
"""

from __future__ import annotations

import http
import json
from collections.abc import Sequence
from typing import Any

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import BelegError, Forbidden, Invalid, NotFound, SignInRequired
from web.language import words_for

log = structlog.get_logger()
PROBLEM = "application/problem+json"
CLOSING = frozenset({408, 413, 414})  # the rest of the body is not read


class MethodNotAllowed(BelegError):
    status, code = 405, "method_not_allowed"


class BadRequest(BelegError):
    status, code = 400, "bad_request"


def no_such_page() -> NotFound:
    return NotFound("There is nothing at this address.", "It may have been deleted, or it is not shared with you.")


def install(app: FastAPI) -> None:
    app.add_exception_handler(BelegError, _beleg)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _validation)


class Unexpected:
    """Catches what nobody foresaw: logged with its trace, answered with a plain 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watch if scope["type"] == "http" else send)
        except ClientDisconnect:
            return
        except BelegError as error:
            if started:
                raise
            await respond(Request(scope, receive), error)(scope, receive, send)
        except Exception:
            if scope["type"] != "http":
                raise
            log.exception("request.failed", path=scope["path"])
            if started:
                raise
            await respond(Request(scope, receive), unexpected())(scope, receive, send)


def unexpected() -> BelegError:
    return BelegError(
        "Something went wrong in Beleg.",
        "Try again. If it happens again, an administrator finds the cause in the server's log.",
    )


def respond(request: Request, error: BelegError, details: Sequence[dict[str, Any]] = ()) -> Response:
    """The reply for an error, in the form the client can read."""
    if wants_json(request):
        response = problem(request, error, details)
    elif error.code == SignInRequired.code:
        response = _to_sign_in(request)
    else:
        response = _page(request, error)
    if retry_after := getattr(error, "retry_after", 0):
        response.headers["retry-after"] = str(retry_after)
    if error.status in CLOSING:
        response.headers["connection"] = "close"
    return response


def problem(request: Request, error: BelegError, details: Sequence[dict[str, Any]] = ()) -> Response:
    """Problem details. `title` is the kind of error, `detail` what happened, `hint` what to do next."""
    headers = {"www-authenticate": "Bearer"} if error.status == 401 else None
    body = json.dumps(problem_fields(request, error, details), ensure_ascii=False)
    return Response(body, error.status, headers, media_type=PROBLEM)


def problem_fields(request: Request, error: BelegError, details: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    words = words_for(request)
    fields: dict[str, Any] = {
        "type": f"urn:beleg:error:{error.code}",
        "title": http.HTTPStatus(error.status).phrase,
        "status": error.status,
        "detail": words.text(error.message, **error.values),
        "hint": words.text(error.hint, **error.values),
        "code": error.code,
        "instance": request.url.path,
    }
    if error.field:
        fields["errors"] = [{"field": error.field, "message": fields["detail"]}]
    if details:
        fields["errors"] = list(details)
    return fields


def wants_json(request: Request) -> bool:
    return request.url.path.startswith(("/api/", "/healthz", "/readyz", "/metrics", "/openapi.json"))


def _to_sign_in(request: Request) -> Response:
    """Back to the same page after signing in, where there is one to go back to."""
    if request.headers.get("hx-request"):
        return Response(status_code=401, headers={"hx-redirect": "/sign-in"})
    path = request.url.path if request.method == "GET" and "/events" not in request.url.path else "/"
    return RedirectResponse("/sign-in" if path == "/" else f"/sign-in?next={path}", 303)


def _page(request: Request, error: BelegError) -> Response:
    from web.pages.view import render

    template = "parts/problem.html" if request.headers.get("hx-request") else "error.html"
    return render(request, template, error.status, error=error)


async def _beleg(request: Request, error: Exception) -> Response:
    assert isinstance(error, BelegError)
    return respond(request, error)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, BelegError | ClientDisconnect):  # raised while FastAPI read the body
        raise error.__cause__
    response = respond(request, _named(error))
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    if error.status_code == 405:
        response.headers["allow"] = _allowed(request)
    return response


def _allowed(request: Request) -> str:
    """All methods of an address: Starlette names those of the first route only."""
    routes: Sequence[BaseRoute] = request.app.routes
    here = [route for route in routes if isinstance(route, Route) and route.matches(request.scope)[0] != Match.NONE]
    return ", ".join(sorted(set().union(*(route.methods or () for route in here))))


def _named(error: HTTPException) -> BelegError:
    """Starlette's own errors, in our words."""
    if error.status_code == 404:
        return no_such_page()
    if error.status_code == 405:
        return MethodNotAllowed(
            "This address cannot be used in this way.", "Open Beleg's start page and go from there."
        )
    if error.status_code == 403:
        return Forbidden("This is not allowed.", "Ask an administrator.")
    return BadRequest("The request could not be understood.", "Check what was sent and try again.")


async def _validation(request: Request, error: Exception) -> Response:
    """Every field that was wrong, by name. What was sent is not repeated."""
    assert isinstance(error, RequestValidationError)
    details = [
        {"field": ".".join(str(part) for part in item["loc"]), "message": str(item["msg"])} for item in error.errors()
    ]
    invalid = Invalid("Some of what was sent cannot be accepted.", "Correct the fields named here and send it again.")
    return respond(request, invalid, details)
