"""What protects every reply and every unsafe request: headers, and the same-origin check against forged requests.

Both are plain ASGI, so that streams pass through them untouched and a closed connection is seen at once.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.config import Settings
from app.errors import Forbidden
from web.errors import respond

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "font-src": "'none'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "content-security-policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # "no-referrer" would make browsers send `Origin: null` with our own forms
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "private, no-store",
}
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class SecurityHeaders:
    """Adds `HEADERS` to every reply that does not set them itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class SameOrigin:
    """Refuses an unsafe request that another site made a browser send.

    Browsers say where a request comes from (`Sec-Fetch-Site`; on plain HTTP only `Origin`). A request with an API key
    carries its own proof and needs neither. One with our cookie and no such header is no browser of ours: refused too.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._own = origin_of(settings.public_url)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        unsafe = scope["type"] == "http" and scope["method"] not in SAFE_METHODS
        if unsafe and not self._allowed(Headers(scope=scope)):
            error = Forbidden(
                "This request came from another site.",
                "Open Beleg itself and do it from there. Programs sign in with an API key.",
                code="cross_site",
            )
            await respond(Request(scope, receive), error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _allowed(self, headers: Headers) -> bool:
        if has_key(headers):
            return True
        if site := headers.get("sec-fetch-site"):
            return site == "same-origin"
        if origin := headers.get("origin"):
            host = headers.get("host", "")
            return origin_of(origin) == self._own != "" or (host != "" and urlsplit(origin).netloc == host)
        return "cookie" not in headers


def has_key(headers: Headers) -> bool:
    return headers.get("authorization", "")[:7].lower() == "bearer "


def origin_of(url: str) -> str:
    """Scheme, host and port of an address; "" of none."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
