"""Web pages saved in one file (MHTML, RFC 2557), as browsers and Word write them: the page, not its pictures."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

from ingestion.parsers import html_blocks
from ingestion.parsers.encoding import decode
from ingestion.parsers.html import charset_in, no_text, title_of
from ingestion.parsers.mail import parse
from ingestion.types import Block, Page, Parsed, Refused

MOST_PARTS = 2_000
DAMAGED = "This saved web page is damaged. Save it again, or print it to PDF, and upload that."


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page. The first part is the page; the others are frames in it. Raises `Refused`: "damaged", "no_text"."""
    try:
        message = parse(path.read_bytes().lstrip(b"\r\n\xef\xbb\xbf"))
    except (RecursionError, ValueError, LookupError) as error:
        raise Refused("damaged", DAMAGED) from error
    pages = [_markup(part) for part, _ in zip(message.walk(), range(MOST_PARTS), strict=False) if _is_page(part)]
    found: tuple[Block, ...] = tuple(item for markup in pages for item in html_blocks.blocks(markup))
    if not found:
        raise no_text()
    on_page(1, 1)
    return Parsed("mhtml", "text", (Page(1, found),), has_pages=False, title=title_of(pages[0]))


def _is_page(part: EmailMessage) -> bool:
    return part.get_content_type() in ("text/html", "application/xhtml+xml")


def _markup(part: EmailMessage) -> str:
    data = part.get_payload(decode=True)
    data = data if isinstance(data, bytes) else b""
    named = str(part.get_content_charset("") or "")
    return decode(data, charset_in(data) if named in ("", "us-ascii") else named)
