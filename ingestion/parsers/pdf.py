"""PDF: text with the boxes of its lines, in reading order, and pictures of pages.

characters (pdfium.py) -> segments -> columns -> rows (ingestion/layout) -> no furniture -> blocks
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ingestion.layout.blocks import to_pages
from ingestion.layout.columns import in_columns
from ingestion.layout.furniture import without_furniture
from ingestion.layout.rows import to_rows
from ingestion.layout.segments import to_segments
from ingestion.layout.types import PageRows, Row
from ingestion.parsers.pdf_text import PageText, in_page_space, shown, text_of
from ingestion.parsers.pdfium import Document, Frame, PageDamaged, opened
from ingestion.types import Attachment, Box, Outcome, Parsed, Refused, Warning

ATTACHMENT_LIMIT = 64 * 1024 * 1024
TEXT_LIMIT = 20_000_000  # characters of one document

NO_PAGES = "The PDF has no pages. Save or print the document as PDF again and upload the new file."
NO_TEXT = (
    "The PDF holds pictures of pages only, no text, and text recognition (OCR) is not available yet. "
    "Upload a PDF with a text layer."
)
BLANK = "The PDF's pages are blank. Check the original and upload it again."
GARBLED = (
    "The PDF's text cannot be decoded (its fonts do not say which letters they hold), "
    "and text recognition (OCR) is not available yet. "
    "Save or print the document as PDF again, from the program it was made with."
)
PAGES_DAMAGED = (
    "No page of the PDF could be read: it is damaged. Save or print it as PDF again and upload the new file."
)
TOO_MUCH_TEXT = "The PDF holds more text than can be taken in. Split it into smaller files and upload those."
NAMELESS = re.compile(
    r"untitled|microsoft (word|powerpoint|excel)|.*\.(docx?|pptx?|xlsx?|pdf|indd|qxd|tex|dvi|rtf)$", re.I
)


def read(path: Path, on_page: Callable[[int, int], None], skip: frozenset[int] = frozenset()) -> Parsed:
    """The text of the PDF at `path`. `on_page(done, total)` before each page and at the end; pages in `skip` are
    reported as damaged. A page's number is its place in the file, from 1.

    Raises `Refused`: "password_protected", "damaged", "no_text".
    """
    with opened(path) as document:
        if document.pages <= 0:
            raise Refused("damaged", NO_PAGES)
        rows, warnings = _all_rows(document, on_page, skip)
        _refuse_if_empty(rows, warnings)
        attachments, notes = _attachments(document)
        pages = to_pages(without_furniture(rows))
        outcome: Outcome = "partial" if warnings else "text"
        title = _title(document)
        return Parsed("pdf", outcome, tuple(pages), True, title, "", (*warnings, *notes), attachments)


def _all_rows(
    document: Document, on_page: Callable[[int, int], None], skip: frozenset[int]
) -> tuple[list[PageRows], list[Warning]]:
    pages, warnings, letters = [], [], 0
    for number in range(1, document.pages + 1):
        on_page(number - 1, document.pages)
        page, warning = (_empty(number), _damaged(number)) if number in skip else _page_rows(document, number)
        pages.append(page)
        if warning is not None:
            warnings.append(warning)
        letters += sum(len(row.text) for region in page.regions for row in region)
        if letters > TEXT_LIMIT:
            raise Refused("too_large", TOO_MUCH_TEXT)
    on_page(document.pages, document.pages)
    return pages, warnings


def _empty(number: int, frame: Frame | None = None) -> PageRows:
    width, height = frame.size if frame else (0.0, 0.0)
    return PageRows(number, width, height, ())


def _damaged(number: int) -> Warning:
    return Warning("page_damaged", "The page is damaged and could not be read.", number)


def _page_rows(document: Document, number: int) -> tuple[PageRows, Warning | None]:
    """One page in reading order, and what is wrong with it."""
    try:
        with document.page(number) as page:
            frame = page.frame()
            with text_of(page) as text:
                regions = _regions(text, frame)
            blank = not regions and not page.shows_something()
    except PageDamaged:
        return _empty(number), _damaged(number)
    if text.unmapped > 0.3 or (regions and _looks_garbled(regions)):
        return _empty(number, frame), Warning("garbled_text", "The text of the page cannot be decoded.", number)
    if blank:
        return _empty(number, frame), None
    if not regions:
        return _empty(number, frame), Warning("no_text_layer", "The page is a picture without text.", number)
    return PageRows(number, *frame.size, regions), None


def _regions(text: PageText, frame: Frame) -> tuple[tuple[Row, ...], ...]:
    """Laid out in the frame in which most text stands upright; boxes are turned back to the page as shown."""
    reading = replace(frame, turns=text.turns)
    segments = to_segments(text.codes, shown(text.boxes, reading), text.style, text.slanted)
    visible = [segment for segment in segments if _meets(segment.box, *reading.size)]
    regions = [to_rows(region) for region in in_columns(visible)]
    if reading.turns != frame.turns:
        regions = [[_turned(row, reading, frame) for row in region] for region in regions]
    return tuple(tuple(region) for region in regions)


def _meets(box: Box, width: float, height: float) -> bool:
    """Does the box stand on the page, wholly or in part? What a CropBox hides is not read."""
    return box.x1 > -2 and box.x0 < width + 2 and box.y1 > -2 and box.y0 < height + 2


def _turned(row: Row, reading: Frame, frame: Frame) -> Row:
    edges = np.array([[row.box.x0, row.box.y0, row.box.x1, row.box.y1]], dtype=np.float32)
    return replace(row, box=Box(*shown(in_page_space(edges, reading), frame)[0].tolist()))


def _looks_garbled(regions: tuple[tuple[Row, ...], ...]) -> bool:
    """Fonts without a map to Unicode yield signs instead of letters, or letters of private use."""
    text = "".join("".join(row.text.split()) for region in regions for row in region)
    private = sum("\ue000" <= letter < "\uf900" for letter in text)
    plain = sum(map(str.isalnum, text))
    return private * 3 > len(text) or (len(text) >= 4 and plain * 3 < len(text))


def _refuse_if_empty(pages: list[PageRows], warnings: list[Warning]) -> None:
    if any(page.regions for page in pages):
        return
    codes = {warning.code for warning in warnings}
    if codes == {"page_damaged"}:
        raise Refused("damaged", PAGES_DAMAGED)
    if "garbled_text" in codes:
        raise Refused("no_text", GARBLED)
    raise Refused("no_text", NO_TEXT if "no_text_layer" in codes else BLANK)


def _attachments(document: Document) -> tuple[tuple[Attachment, ...], list[Warning]]:
    attachments, notes, left = [], [], ATTACHMENT_LIMIT
    for name, data in document.attachments(ATTACHMENT_LIMIT):
        if data is None or len(data) > left:
            notes.append(Warning("attachment_too_large", "An attached file is too large and was left out."))
        else:
            attachments.append(Attachment(name, data))
            left -= len(data)
    return tuple(attachments), notes


def _title(document: Document) -> str:
    title = " ".join(document.title().split())
    return "" if NAMELESS.fullmatch(title) else title[:400]
