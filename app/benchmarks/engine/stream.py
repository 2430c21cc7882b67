"""Reads server-sent events as they arrive, with the moment of arrival. It does no more than that, by hand: in a client
library a token costs as much as in all of what is measured here.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from app.errors import EngineFailed

SILENT_SECONDS = 900.0  # a flooded engine on a slow machine lets a request wait for minutes


@dataclass(frozen=True)
class Heard:
    """One event. `at` is `time.monotonic()`, which all processes of a machine share."""

    at: float
    name: str
    data: str


async def post(url: str, body: Mapping[str, Any], key: str = "") -> AsyncGenerator[Heard, None]:
    """Sends JSON and yields the events of the reply. Raises EngineFailed when it is refused or ends unfinished."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    try:
        async with asyncio.timeout(30):
            reader, writer = await asyncio.open_connection(
                parts.hostname, parts.port or (443 if secure else 80), ssl=secure or None
            )
        try:
            writer.write(_request(parts.netloc, parts.path, json.dumps(body).encode(), key))
            async with aclosing(_events(reader, url)) as events:
                async for event in events:
                    yield event
        finally:
            writer.close()
    except (OSError, asyncio.IncompleteReadError, ValueError) as error:
        raise EngineFailed("The connection to %(url)s broke.", "Look into its log.", url=url) from error


def _request(host: str, path: str, body: bytes, key: str) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        f"host: {host}",
        "content-type: application/json",
        "connection: close",
        f"content-length: {len(body)}",
        *([f"authorization: Bearer {key}"] if key else []),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def _events(reader: asyncio.StreamReader, url: str) -> AsyncGenerator[Heard, None]:
    async with asyncio.timeout(SILENT_SECONDS):
        head = await reader.readuntil(b"\r\n\r\n")
    if head.split(b" ", 2)[1] != b"200":
        said = (await reader.read(500)).decode(errors="replace")
        raise EngineFailed("%(url)s refused a request: %(said)s", "Look into its log.", url=url, said=said)
    rest = b""
    while piece := await _chunk(reader):
        at = time.monotonic()
        *blocks, rest = (rest + piece).split(b"\n\n")
        for block in blocks:
            yield _heard(at, block.decode())


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    """One piece of a chunked body (RFC 9112, section 7.1); empty at its end."""
    async with asyncio.timeout(SILENT_SECONDS):
        size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
        piece = await reader.readexactly(size + 2)
    return piece[:-2]


def _heard(at: float, block: str) -> Heard:
    lines = [line.partition(": ") for line in block.split("\n")]
    name = next((value for field, _, value in lines if field == "event"), "")
    return Heard(at, name, "\n".join(value for field, _, value in lines if field == "data"))
