"""How the reading child and its parent talk: length-prefixed frames, and pages as plain JSON.

A frame is one byte of kind (`J` JSON, `B` bytes), four bytes of length (big endian) and the payload. The parent trusts
nothing in it: whatever does not decode raises `ValueError`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

from ingestion.types import Attachment, Block, Box, Line, Page, Parsed, Warning

HEADER = struct.Struct(">cI")
FRAME_LIMIT = 512 * 1024 * 1024


def json_frame(value: object) -> bytes:
    """Text that is no valid Unicode (lone surrogates) is replaced on the way: no database takes it."""
    payload = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _frame(b"J", payload.encode("utf-8", "replace"))


def bytes_frame(data: bytes) -> bytes:
    return _frame(b"B", data)


def _frame(kind: bytes, payload: bytes) -> bytes:
    return HEADER.pack(kind, len(payload)) + payload


class FrameReader:
    """Puts frames together from the pieces a pipe delivers."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Any]:
        """The frames that are whole now: decoded JSON, or bytes."""
        self._buffer += data
        while len(self._buffer) >= HEADER.size:
            kind, length = HEADER.unpack_from(self._buffer)
            if kind not in (b"J", b"B") or length > FRAME_LIMIT:
                raise ValueError("not a frame")
            if len(self._buffer) < HEADER.size + length:
                return
            payload = bytes(self._buffer[HEADER.size : HEADER.size + length])
            del self._buffer[: HEADER.size + length]
            yield payload if kind == b"B" else json.loads(payload)


def page_to_json(page: Page) -> list[Any]:
    blocks = [_block_to_json(block) for block in page.blocks]
    return [page.number, _clean(page.label), page.width, page.height, page.confidence, blocks]


def _block_to_json(block: Block) -> list[Any]:
    return [block.kind, block.level, _clean(block.header), [_line_to_json(line) for line in block.lines]]


def _clean(text: str) -> str:
    """No NUL: databases refuse it."""
    return text.replace("\x00", " ") if "\x00" in text else text


def _line_to_json(line: Line) -> list[Any]:
    if line.box is None:
        return [_clean(line.text), line.cells] if line.cells else [_clean(line.text)]
    return [_clean(line.text), *(round(value, 2) for value in (line.box.x0, line.box.y0, line.box.x1, line.box.y1))]


def page_from_json(value: Any) -> Page:
    number, label, width, height, confidence, blocks = value
    return Page(
        number=int(number),
        blocks=tuple(_block_from_json(block) for block in blocks),
        label=str(label),
        width=float(width),
        height=float(height),
        confidence=None if confidence is None else float(confidence),
    )


def _block_from_json(value: Any) -> Block:
    kind, level, header, lines = value
    if kind not in ("heading", "paragraph", "list", "table", "note", "code", "metadata"):
        raise ValueError("not a kind of block")
    return Block(kind, tuple(_line_from_json(line) for line in lines), int(level), str(header))


def _line_from_json(value: Any) -> Line:
    text, *box = value
    if not isinstance(text, str):
        raise ValueError("not a line")
    if len(box) == 1:
        return Line(text, cells=str(box[0]))
    return Line(text, Box(*(float(edge) for edge in box)) if box else None)


def ending_to_json(parsed: Parsed) -> dict[str, Any]:
    """Everything of `parsed` but pages and attachments, which travel in frames of their own."""
    return {
        "end": True,
        "format": parsed.format,
        "outcome": parsed.outcome,
        "has_pages": parsed.has_pages,
        "title": _clean(parsed.title),
        "language": parsed.language,
        "warnings": [[warning.code, warning.text, warning.page] for warning in parsed.warnings],
    }


def ending_from_json(value: Any, pages: list[Page], attachments: list[Attachment]) -> Parsed:
    if value["outcome"] not in ("text", "partial", "ocr", "refused"):
        raise ValueError("not an outcome")
    warnings = [
        Warning(str(code), str(text), None if page is None else int(page)) for code, text, page in value["warnings"]
    ]
    return Parsed(
        format=str(value["format"]),
        outcome=value["outcome"],
        pages=tuple(pages),
        has_pages=bool(value["has_pages"]),
        title=str(value["title"]),
        language=str(value["language"]),
        warnings=tuple(warnings),
        attachments=tuple(attachments),
    )
