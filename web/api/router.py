"""All API routes together, and the errors each of them may answer with."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Security
from fastapi.security import APIKeyCookie, HTTPBearer

from web.api import accounts, collections, conversations, documents, engine, questions
from web.api.shapes import Problem

_PROBLEMS = {
    400: "The request could not be understood.",
    401: "Nobody is signed in.",
    403: "Not allowed, or sent from another site.",
    404: "Does not exist, or is not shared with you: the two look the same.",
    408: "The body came in too slowly.",
    409: "The name is taken, or the present state does not allow it.",
    413: "More bytes than the limit.",
    414: "The address is too long.",
    415: "Content of a kind that cannot be read.",
    422: "A value that cannot be accepted; `errors` names the fields.",
    429: "Too many tries; wait for `Retry-After` seconds.",
    500: "An error in Beleg.",
    502: "The engine stopped while answering.",
    503: "The engine or the index is still starting; try again after `Retry-After` seconds.",
    507: "The disk is full.",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text} for status, text in _PROBLEMS.items()
}
_bearer = HTTPBearer(scheme_name="API key", description="A personal key from your account page.", auto_error=False)
_cookie = APIKeyCookie(
    name="beleg_session", scheme_name="Session", description="A signed-in browser.", auto_error=False
)

router = APIRouter(prefix="/api/v1", responses=PROBLEMS, dependencies=[Security(_bearer), Security(_cookie)])
for part in (accounts, collections, documents, questions, conversations, engine):
    router.include_router(part.router)
