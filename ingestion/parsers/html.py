"""Web pages: the text a browser would show. A page has no page numbers; nothing it refers to is ever fetched."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from ingestion.parsers.encoding import read_text
from ingestion.parsers.html_blocks import blocks, parse
from ingestion.parsers.lines import one_line
from ingestion.types import Page, Parsed, Refused

_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_HEAD = 8_192  # bytes in which a page names its charset


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """Raises `Refused` "empty", "unknown_type" (not text), "no_text" (nothing that is shown), "damaged"."""
    markup = read_text(path, declared_charset(path))
    found = blocks(markup)
    if not found:
        raise no_text()
    on_page(1, 1)
    return Parsed("html", "text", (Page(1, found),), has_pages=False, title=title_of(markup))


def no_text() -> Refused:
    """The refusal for a page without words."""
    return Refused("no_text", "This page shows no text. It may be filled by a script; save it as PDF instead.")


def declared_charset(path: Path) -> str:
    """The charset the page names in its first bytes, or ""."""
    with path.open("rb") as file:
        return charset_in(file.read(_HEAD))


def charset_in(data: bytes) -> str:
    """The charset that a page beginning with `data` names, or ""."""
    match = _CHARSET.search(data[:_HEAD])
    return match.group(1).decode("ascii") if match else ""


def title_of(markup: str) -> str:
    """What the browser shows above the page."""
    root = parse(markup)
    found = next(root.iter("title"), None) if root is not None else None
    return one_line("".join(found.itertext())) if found is not None else ""
