"""Plain text and Markdown. Neither has pages: everything is page 1 and `has_pages` is False."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ingestion.parsers import markdown
from ingestion.parsers.encoding import read_text
from ingestion.parsers.lines import broken, clean
from ingestion.types import Block, Line, Page, Parsed

_WIDEST_GAP = " " * 8  # columns set with spaces stay readable, a gap of thousands does not cost a thousand tokens


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """Paragraphs between blank lines, one Line a source line. Raises `Refused` "empty", "unknown_type"."""
    text = read_text(path)
    on_page(1, 1)
    return Parsed("text", "text", (Page(1, tuple(paragraphs(text))),), has_pages=False)


def read_markdown(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """Headings, lists, tables, code and front matter. Raises `Refused` "empty", "unknown_type"."""
    blocks, title = markdown.blocks(read_text(path))
    on_page(1, 1)
    return Parsed("markdown", "text", (Page(1, blocks),), has_pages=False, title=title)


def paragraphs(text: str) -> Iterator[Block]:
    """Blocks of the lines between blank lines."""
    held: list[Line] = []
    for row in clean(text).split("\n"):
        if row.strip():
            held.extend(Line(piece) for piece in broken(_narrowed(row.expandtabs(4).rstrip())))
        elif held:
            yield Block("paragraph", tuple(held))
            held = []
    if held:
        yield Block("paragraph", tuple(held))


def _narrowed(row: str) -> str:
    while _WIDEST_GAP + " " in row:
        row = row.replace(_WIDEST_GAP + " ", _WIDEST_GAP)
    return row
