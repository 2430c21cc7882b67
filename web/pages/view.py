"""From a template to a page: one environment a language, everything escaped unless said otherwise."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from web.language import words_for
from web.markup import inline, unmarked
from web.messages import LANGUAGES, words

HERE = Path(__file__).parent.parent


def render(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    headers = {"vary": "HX-Request, Accept-Language, Cookie"}
    return HTMLResponse(to_html(request, template, **values), status, headers)


def to_html(request: Request, template: str, **values: Any) -> str:
    language = words_for(request).language
    common = {"path": request.url.path, "viewer": getattr(request.state, "viewer", None)}
    return environment(language).get_template(template).render({**common, **values})


def is_part(request: Request) -> bool:
    """Whether HTMX asks for a part of a page (and not for a whole one it lost from its history)."""
    headers = request.headers
    return "hx-request" in headers and "hx-history-restore-request" not in headers


def go(request: Request, path: str) -> Response:
    """On to another page, after a form."""
    if is_part(request):
        return Response(status_code=204, headers={"hx-redirect": path})
    return RedirectResponse(path, 303)


@cache
def environment(language: str) -> Environment:
    env = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    spoken = words(language)
    env.install_gettext_translations(spoken.catalogue, newstyle=True)  # type: ignore[attr-defined]
    env.globals.update(words=spoken, counted=spoken.counted, languages=LANGUAGES, static=static)
    env.filters.update(markdown=inline, unmarked=unmarked)
    return env


@cache
def static(path: str) -> str:
    """The address of a static file, with a mark that changes with its content."""
    mark = hashlib.sha256((HERE / "static" / path).read_bytes()).hexdigest()[:12]
    return f"/static/{path}?v={mark}"
