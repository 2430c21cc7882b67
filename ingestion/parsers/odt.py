"""OpenDocument texts: body with headings, lists, tables, notes and comments, page headers and footers once, as notes.

A text has no page numbers (its pages are made when it is laid out), so it is one page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ingestion.parsers.embedded import embedded_odf, told
from ingestion.parsers.left_out import left_out
from ingestion.parsers.lines import block, one_line
from ingestion.parsers.odf import STYLE, Document, open_document
from ingestion.parsers.odf_text import Story
from ingestion.types import Block, Page, Parsed, Refused, Warning

_FEW_CHARACTERS = 200


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """Raises `Refused`: "password_protected", "damaged", "inflates", "no_text" (nothing but pictures)."""
    document = open_document(path)
    story = Story(document)
    body = tuple(story.blocks(document.body("text")))
    found = (*_margins(document, "header"), *body, *_margins(document, "footer"))
    files = embedded_odf(document)
    if not found and not files:
        raise Refused("no_text", "This document holds no text, only pictures or empty pages.")
    on_page(1, 1)
    pictures = _is_mostly_pictures(document, body)
    title = story.title or document.title() or next((b.text for b in body if b.kind == "heading"), "")
    return Parsed(
        "odt",
        "partial" if pictures else "text",
        (Page(1, found),),
        has_pages=False,
        title=one_line(title),
        warnings=(*told(files), *_warnings(story, pictures, story.embedded > len(files))),
        attachments=files,
    )


def _margins(document: Document, kind: str) -> tuple[Block, ...]:
    """Headers or footers, each different text once: they stand on every page and belong to none."""
    story = Story(document)
    tags = [f"{STYLE}{kind}{suffix}" for suffix in ("", "-left", "-first")]
    parts = [part for root in document.roots for part in root.iter(*tags)]
    texts = dict.fromkeys("\n".join(found.text for found in story.blocks(part)) for part in parts)
    return tuple(filter(None, (block("note", text) for text in texts)))


def _is_mostly_pictures(document: Document, body: tuple[Block, ...]) -> bool:
    pictures = document.package and any(name.startswith("Pictures/") for name in document.package.left_out)
    return bool(pictures) and sum(len(found.text) for found in body) < _FEW_CHARACTERS


def _warnings(story: Story, pictures: bool, embedded: bool) -> Iterator[Warning]:
    found = {"embedded": embedded, "hidden": bool(story.hidden), "changes": bool(story.changes)}
    return left_out(pictures=pictures, **found)
