"""Plain text and Markdown. Neither has pages: everything is page 1 and `has_pages` is False."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ingestion.parsers.encoding import read_text
from ingestion.parsers.lines import paragraphs
from ingestion.types import Block, Page, Parsed, Refused


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """Paragraphs between blank lines, one Line a source line. Raises `Refused` "empty", "unknown_type"."""
    found = tuple(paragraphs(read_text(path)))
    return _parsed("text", found, "", on_page)


def read_markdown(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """Headings, lists, tables, code and front matter. Raises `Refused` "empty", "unknown_type"."""
    from ingestion.parsers import markdown  # its library is slow to load, and plain text is the most frequent of files

    found, title = markdown.blocks(read_text(path))
    return _parsed("markdown", found, title, on_page)


def _parsed(kind: str, found: tuple[Block, ...], title: str, on_page: Callable[[int, int], None]) -> Parsed:
    if not found:
        raise Refused("empty", "This file holds no text that can be seen. Check the original and upload it again.")
    on_page(1, 1)
    return Parsed(kind, "text", (Page(1, found),), has_pages=False, title=title)
