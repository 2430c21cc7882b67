"""Bounds on what a client may send: lengths of address and body, and how slowly a body may arrive.

Everything is checked while bytes come in, before anything is parsed.
"""

from __future__ import annotations

import asyncio
import time

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.config import Settings
from app.errors import BelegError, Invalid, TooLarge
from web.errors import respond

MIB = 1024 * 1024
SMALL_BODY = 256 * 1024  # JSON and forms
FORM_OVERHEAD = MIB  # what multipart adds to the files
MULTIPART = "multipart/form-data"
ADDRESS_BYTES = 4096
IDLE_SECONDS = 30.0  # between two pieces of a body
GRACE_SECONDS = 30.0  # then a body must have come in faster than
BYTES_PER_SECOND = 4096  # on average


class TooSlow(BelegError):
    status, code = 408, "too_slow"


class Limits:
    """Refuses what is too long and ends what is too slow. Uploads get the settings' limit, everything else 256 KiB."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._upload = settings.upload_mib * MIB + FORM_OVERHEAD

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        limit = self._upload if _is_upload(scope, headers) else SMALL_BODY
        if error := _announced(scope, headers, limit):
            await respond(Request(scope, receive), error)(scope, receive, send)
            return
        await self._app(scope, _Body(receive, limit).receive, send)


def _is_upload(scope: Scope, headers: Headers) -> bool:
    """Only where files are taken in, after sign-in: nobody else is to fill the disk with temporary files."""
    return str(scope["path"]).endswith("/documents") and headers.get("content-type", "").lower().startswith(MULTIPART)


def _announced(scope: Scope, headers: Headers, limit: int) -> BelegError | None:
    """What can be refused before a byte of the body is read."""
    if len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"") > ADDRESS_BYTES:
        return AddressTooLong("The address is too long.", "Open Beleg's start page and go from there.")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        return Invalid("The length of the request is no number.", "Send a valid Content-Length header.")
    return too_large(limit) if int(length) > limit else None


class AddressTooLong(BelegError):
    status, code = 414, "address_too_long"


def too_large(limit: int) -> TooLarge:
    if limit == SMALL_BODY:
        return TooLarge("This is more than can be sent at once.", "Send a shorter text.")
    return TooLarge(
        "More than %(mib)s MiB were sent at once.",
        "Send large files one at a time; an administrator can raise the limit (BELEG_UPLOAD_MIB).",
        mib=(limit - FORM_OVERHEAD) // MIB,
    )


class _Body:
    """`receive` with a limit on bytes, idle time and average speed."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._bytes = 0
        self._began: float | None = None
        self._complete = False

    async def receive(self) -> Message:
        if self._complete:  # only a disconnect can follow, and waiting for that has no end
            return await self._receive()
        began = self._began = self._began or time.monotonic()
        try:
            async with asyncio.timeout(IDLE_SECONDS):
                message = await self._receive()
        except TimeoutError:
            raise _slow() from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        self._bytes += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._bytes > self._limit:
            raise too_large(self._limit)
        if time.monotonic() - began > GRACE_SECONDS + self._bytes / BYTES_PER_SECOND:
            raise _slow()
        return message


def _slow() -> TooSlow:
    return TooSlow("The request came in too slowly.", "Check the connection and try again.")
