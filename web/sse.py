"""Server-sent events: the wire format, a sign of life while nothing happens, and an end as soon as nobody listens.

Format: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

ALIVE_SECONDS = 15.0  # proxies cut connections that are silent for longer
SEND_SECONDS = 30.0  # a listener that takes nothing for longer is gone
MEDIA_TYPE = "text/event-stream"
_DIGITS = 15  # event numbers are microseconds since a question: thirty years
After = Annotated[int, Query(ge=0, lt=10**_DIGITS, description="Number of the last event you have.")]


def encode(event: str, data: str, number: int | None = None) -> bytes:
    """One event. `number` is what the browser sends back as Last-Event-ID after a lost connection."""
    head = f"id: {number}\n" if number is not None else ""
    lines = data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return (head + f"event: {event}\n" + "".join(f"data: {line}\n" for line in lines) + "\n").encode()


def last_event_id(header: str | None, after: int = 0) -> int:
    """Where to go on: the header of a browser that lost its connection, else what the address says."""
    if header and header.isascii() and header.isdigit() and len(header) <= _DIGITS:
        return int(header)
    return after


class EventStream(Response):
    """Sends encoded events until they end or the listener goes; then the source is closed at once."""

    def __init__(self, events: AsyncIterator[bytes]) -> None:
        self._events = events
        self.background = None
        self.status_code = 200
        self.media_type = f"{MEDIA_TYPE}; charset=utf-8"
        self.init_headers({"cache-control": "no-store", "x-accel-buffering": "no", "content-type": self.media_type})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send_all(send))
        leaving = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            sending.cancel()
            await asyncio.gather(leaving, return_exceptions=True)
            outcome = (await asyncio.gather(sending, return_exceptions=True))[0]
        if isinstance(outcome, Exception) and not isinstance(outcome, OSError | TimeoutError):
            raise outcome

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async with aclosing(_with_signs_of_life(self._events)) as pieces:
            async for piece in pieces:
                await _body(send, piece, True)
        await _body(send, b"", False)


async def _body(send: Send, piece: bytes, more: bool) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await send({"type": "http.response.body", "body": piece, "more_body": more})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _with_signs_of_life(events: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The events, with a comment in between whenever there was none for a while."""
    coming: asyncio.Future[Any] | None = None
    try:
        yield b": hello\n\n"  # so that headers leave at once
        while True:
            coming = coming or asyncio.ensure_future(anext(events, None))
            done, _ = await asyncio.wait({coming}, timeout=ALIVE_SECONDS)
            if not done:
                yield b": still here\n\n"
                continue
            piece, coming = coming.result(), None
            if piece is None:
                return
            yield piece
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
        if close := getattr(events, "aclose", None):
            await close()
