"""Rich text (RTF): paragraphs, headings, lists, tables, notes and comments, but no pictures.

An RTF file has no page numbers (its pages are made when it is laid out), so it is one page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ingestion.parsers.embedded import linked_in, told
from ingestion.parsers.left_out import left_out
from ingestion.parsers.lines import block, one_line
from ingestion.parsers.rtf_reader import Reader
from ingestion.types import Block, Page, Parsed, Refused, Warning

MAX_BYTES = 192 * 2**20
_FEW_CHARACTERS = 200


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """Raises `Refused`: "damaged", "too_large", "no_text" (nothing but pictures)."""
    if path.stat().st_size > MAX_BYTES:
        raise Refused(
            "too_large",
            "This file is larger than %(limit)s MiB. Split it into smaller files.",
            limit=MAX_BYTES // 2**20,
        )
    reader = Reader()
    body = reader.read(path.read_bytes())
    found = (*_notes(reader.margins["header"]), *body, *_notes(reader.margins["footer"]))
    files = tuple(filter(None, (linked_in(*one) for one in enumerate(reader.objects, start=1))))
    if not found and not files:
        raise Refused("no_text", "This document holds no text, only pictures or empty pages.")
    on_page(1, 1)
    pictures = reader.pictures and sum(len(item.text) for item in body) < _FEW_CHARACTERS
    title = reader.title or next((item.text for item in body if item.kind == "heading"), "")
    return Parsed(
        "rtf",
        "partial" if pictures or reader.cut_off else "text",
        (Page(1, found),),
        has_pages=False,
        title=one_line(title),
        warnings=(*told(files), *_warnings(reader, pictures, reader.embedded > len(files))),
        attachments=files,
    )


def _notes(texts: dict[str, None]) -> Iterator[Block]:
    """Page headers or footers, each different text once: they stand on every page and belong to none."""
    yield from filter(None, (block("note", text) for text in texts))


def _warnings(reader: Reader, pictures: bool, embedded: bool) -> Iterator[Warning]:
    if reader.cut_off:
        yield Warning("damaged", "The file is cut off: it was read up to where it ends.")
    found = {"embedded": embedded, "hidden": bool(reader.hidden), "changes": bool(reader.changes)}
    yield from left_out(pictures=pictures, **found)
