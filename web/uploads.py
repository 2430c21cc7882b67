"""Files out of a multipart body, one after the other, through a temporary file each: never a whole body in memory.

FastAPI's own `UploadFile` would read the body before anyone asks who is sending it, and keep all files until the
last has come. Format: RFC 7578; a text field `folder` says where the files after it stood in an uploaded folder.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from app.errors import Invalid, UnsupportedType
from web.limits import MIB

MOST_FILES = 1000
FIELD_BYTES = 4096


@dataclass(frozen=True)
class Upload:
    """A file as it was sent. `file` stands at its beginning and is gone when the next one is asked for."""

    name: str
    folder: str
    file: IO[bytes]
    size: int
    too_large: bool = False  # more than the limit: `file` holds only its beginning


@dataclass
class _Part:
    """A part of the body while it comes in."""

    disposition: bytes = b""
    name: str = ""
    filename: str | None = None
    text: bytearray = field(default_factory=bytearray)
    pieces: list[bytes] = field(default_factory=list)
    ended: bool = False


async def files(request: Request, temporary: Path, limit: int) -> AsyncGenerator[Upload, None]:
    """The files of a request. `limit` is bytes for one file; the whole body has a limit of its own (`web.limits`).

    Errors: UnsupportedType (no multipart body), Invalid (broken, or no file in it).
    """
    reader = _Reader(_boundary(request))
    seen, folder = 0, ""
    open_file: _Receiving | None = None
    try:
        async for chunk in request.stream():
            for part in reader.feed(chunk):
                if part.filename is None:
                    folder = _text(part) if part.ended and part.name == "folder" else folder
                    continue
                open_file = open_file or _Receiving(temporary, limit)
                await open_file.take(part)
                if part.ended:
                    upload = open_file.upload(part.filename, folder)
                    if upload.name or upload.size:  # a form without a chosen file sends an empty one
                        seen += 1
                        yield upload
                    open_file.close()
                    open_file = None
            if seen > MOST_FILES:
                raise Invalid(
                    "These are too many files at once.", "Send up to %(most)s.", field="files", most=MOST_FILES
                )
        reader.finish()
    finally:
        if open_file is not None:
            open_file.close()
    if not seen:
        raise Invalid("No file was sent.", "Choose at least one file.", field="files")


def _boundary(request: Request) -> bytes:
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary", b"")
    if kind != b"multipart/form-data" or not boundary:
        raise UnsupportedType("Files are sent as multipart/form-data.", "Send them in the field `files` of a form.")
    return boundary


def _name(sent: bytes) -> str:
    """A file's name; browsers write these three characters with a percent sign (and no others)."""
    name = sent.decode("utf-8", "replace")
    return name.replace("%22", '"').replace("%0D", " ").replace("%0A", " ")


def _text(part: _Part) -> str:
    return part.text.decode("utf-8", "replace")


class _Receiving:
    """One file on its way to the disk. It has no name there, so that nothing is left after a crash."""

    def __init__(self, temporary: Path, limit: int) -> None:
        temporary.mkdir(parents=True, exist_ok=True)
        self._file = tempfile.TemporaryFile(dir=temporary)  # noqa: SIM115
        self._limit = limit
        self._size = 0

    async def take(self, part: _Part) -> None:
        data = b"".join(part.pieces)
        part.pieces.clear()
        self._size += len(data)
        if self._size <= self._limit:
            await run_in_threadpool(self._file.write, data)

    def upload(self, filename: str, folder: str) -> Upload:
        self._file.seek(0)
        return Upload(filename, folder, self._file, self._size, too_large=self._size > self._limit)

    def close(self) -> None:
        self._file.close()


class _Reader:
    """Feeds the parser and gathers what its callbacks say."""

    def __init__(self, boundary: bytes) -> None:
        self._part = _Part()
        self._header = (bytearray(), bytearray())
        self._touched: list[_Part] = []
        self._done = False
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": lambda data, start, end: self._header[0].extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._header[1].extend(data[start:end]),
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._data,
                "on_part_end": self._end,
                "on_end": self._finished,
            },
        )

    def feed(self, chunk: bytes) -> list[_Part]:
        """Parts that got data or ended with this chunk, in order."""
        self._touched = []
        try:
            self._parser.write(chunk)
        except FormParserError:
            raise _broken() from None
        return self._touched

    def finish(self) -> None:
        if not self._done:
            raise _broken()

    def _begin(self) -> None:
        self._part = _Part()

    def _header_end(self) -> None:
        name, value = self._header
        if bytes(name).lower() == b"content-disposition":
            self._part.disposition = bytes(value)
        name.clear()
        value.clear()

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._part.disposition)
        self._part.name = options.get(b"name", b"").decode("utf-8", "replace")
        if b"filename" in options:
            self._part.filename = _name(options[b"filename"])

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._part.filename is not None:
            self._part.pieces.append(data[start:end])
        elif len(self._part.text) + end - start > FIELD_BYTES:
            raise Invalid("A field of the form is too long.", "Send a shorter text.")
        else:
            self._part.text.extend(data[start:end])
        self._touch()

    def _end(self) -> None:
        self._part.ended = True
        self._touch()

    def _finished(self) -> None:
        self._done = True

    def _touch(self) -> None:
        if not self._touched or self._touched[-1] is not self._part:
            self._touched.append(self._part)


def _broken() -> Invalid:
    return Invalid("The upload arrived incomplete.", "Send it again.", field="files")


def limit_of(upload_mib: int) -> int:
    return upload_mib * MIB
