"""The description of the API: true about errors, and shown by a Swagger UI of our own without outside network."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import Response

from web.errors import PROBLEM
from web.pages.view import render
from web.security import POLICY

DESCRIPTION = """\
Everything the pages can do. Sign in with a personal API key from your account page:
`Authorization: Bearer beleg_...`. Errors are problem details (RFC 9457): `detail` says what happened,
`hint` what to do next, `code` is for programs. What is not yours does not exist: 404.
"""
# Swagger UI draws its icons from data addresses; nothing else is loosened
_DOCS_POLICY = "; ".join(f"{k} {v}" for k, v in {**POLICY, "img-src": "'self' data:"}.items())


def install(app: FastAPI) -> None:
    app.openapi = lambda: _schema(app)  # type: ignore[method-assign]
    app.add_route("/docs", _docs, include_in_schema=False)


def _docs(request: Request) -> Response:
    page = render(request, "docs.html")
    page.headers["content-security-policy"] = _DOCS_POLICY
    return page


def _schema(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        for path in schema["paths"].values():
            for operation in path.values():
                _problems_have_their_own_type(operation["responses"])
        for unused in ("HTTPValidationError", "ValidationError"):
            schema["components"]["schemas"].pop(unused, None)
        app.openapi_schema = schema
    return app.openapi_schema


def _problems_have_their_own_type(responses: dict[str, Any]) -> None:
    for response in responses.values():
        content = response.get("content", {})
        body = content.get("application/json", {})
        if body.get("schema", {}).get("$ref", "").endswith("/Problem"):
            response["content"] = {PROBLEM: body}
