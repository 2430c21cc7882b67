"""Plain text and Markdown. Neither has pages: everything is page 1 and `has_pages` is False."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ingestion.parsers import markdown
from ingestion.parsers.encoding import read_text
from ingestion.parsers.lines import paragraphs
from ingestion.types import Page, Parsed


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
