"""Word documents: body text in its order with headings, lists, tables, text boxes, notes and comments.

Read with lxml from the parts themselves: python-docx shows neither text boxes nor notes, drops moved text and stops at
relations that Word overlooks. A Word file has no page numbers (its pages are made by the printer), so it is one page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree

from ingestion.parsers.embedded import embedded, has_others, told
from ingestion.parsers.left_out import left_out
from ingestion.parsers.lines import block, one_line
from ingestion.parsers.office_zip import Package, open_package
from ingestion.parsers.word_notes import notes
from ingestion.parsers.word_numbering import Numbering
from ingestion.parsers.word_styles import Styles
from ingestion.parsers.word_text import Story
from ingestion.types import Block, Page, Parsed, Refused, Warning

_FEW_CHARACTERS = 200
_TITLE = "{http://purl.org/dc/elements/1.1/}title"


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """Raises `Refused`: "password_protected", "damaged", "inflates", "no_text" (nothing but pictures)."""
    package = open_package(path)
    main = package.main()
    styles, numbering = Styles(_part(package, main, "styles")), Numbering(_part(package, main, "numbering"))
    story = Story(package, styles, numbering, notes(package, main))
    body = tuple(story.part(main))
    headers, footers = _margins(package, main, story, "header"), _margins(package, main, story, "footer")
    found = (*headers, *body, *story.unplaced_notes(), *footers)
    files = embedded(package)
    if not found and not files:
        raise Refused("no_text", "This document holds no text, only pictures or empty pages.")
    on_page(1, 1)
    pictures = _is_mostly_pictures(package, body)
    title = story.title or _named_title(package) or next((b.text for b in body if b.kind == "heading"), "")
    return Parsed(
        "docx",
        "partial" if pictures else "text",
        (Page(1, found),),
        has_pages=False,
        title=one_line(title),
        warnings=(*told(files), *_warnings(story, pictures, story.embedded > len(files) or has_others(package, files))),
        attachments=files,
    )


def _part(package: Package, main: str, kind: str) -> etree._Element | None:
    found = [name for name in package.related(main, kind) if name in package.names]
    return package.root(found[0]) if found else None


def _margins(package: Package, main: str, story: Story, kind: str) -> tuple[Block, ...]:
    """Headers or footers, each different text once, as notes: they stand on every page and belong to none."""
    texts: dict[str, None] = {}
    for name in sorted(package.related(main, kind)):
        if name in package.names:
            text = "\n".join(found.text for found in story.part(name))
            texts[text] = None
    return tuple(filter(None, (block("note", text) for text in texts)))


def _named_title(package: Package) -> str:
    """The title in the document's properties, unless a program put its own there."""
    for name in package.related("", "core-properties"):
        if name in package.names:
            text = one_line(package.root(name).findtext(_TITLE) or "")
            return "" if text.lower().startswith(("microsoft word", "untitled")) else text
    return ""


def _is_mostly_pictures(package: Package, body: tuple[Block, ...]) -> bool:
    """A scan pasted into Word: a picture and next to no text. Each embedded file has a picture that stands for it."""
    pictures = sum(name.startswith("word/media/") for name in package.left_out)
    icons = sum(name.startswith("word/embeddings/") for name in package.left_out)
    return pictures > icons and sum(len(found.text) for found in body) < _FEW_CHARACTERS


def _warnings(story: Story, pictures: bool, embedded: bool) -> Iterator[Warning]:
    return left_out(pictures=pictures, embedded=embedded, hidden=bool(story.hidden), changes=bool(story.changes))
