"""PDF: text with the boxes of its lines, in reading order, and pictures of pages.

characters (pdfium.py) -> segments -> columns -> rows (ingestion/layout) -> no furniture -> blocks
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ingestion.layout.blocks import to_pages
from ingestion.layout.columns import in_columns
from ingestion.layout.furniture import without_furniture
from ingestion.layout.rows import to_rows
from ingestion.layout.segments import to_segments
from ingestion.layout.types import PageRows, Row
from ingestion.parsers.pdf_text import PageText, in_page_space, shown, text_of
from ingestion.parsers.pdfium import Document, Frame, PageDamaged, Pictured, opened
from ingestion.types import Attachment, Block, Box, Line, Outcome, Page, Parsed, Refused, Warning

ATTACHMENT_LIMIT = 64 * 1024 * 1024
NO_FRAME = Frame(0, 0, 0, 0, 0)
FEW_LETTERS = 60  # a page with fewer may be a scan with a stamp or page number
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
PICTURE_PAGE = "The page is a picture; text in it was not read."
PAGES_DAMAGED = (
    "No page of the PDF could be read: it is damaged. Save or print it as PDF again and upload the new file."
)
TOO_MUCH_TEXT = "The PDF holds more text than can be taken in. Split it into smaller files and upload those."
NAMELESS = re.compile(
    r"untitled|\(?(anonymous|unspecified)\)?|microsoft (word|powerpoint|excel).*"
    r"|.*\.(docx?|pptx?|xlsx?|pdf|indd|qxd|tex|dvi|rtf)",
    re.IGNORECASE,
)


def read(path: Path, on_page: Callable[[int, int], None], skip: frozenset[int] = frozenset()) -> Parsed:
    """The text of the PDF at `path`. `on_page(done, total)` before each page and at the end; pages in `skip` are
    reported as damaged. A page's number is its place in the file, from 1.

    Raises `Refused`: "password_protected", "damaged", "no_text".
    """
    with opened(path) as document:
        if document.pages <= 0:
            raise Refused("damaged", NO_PAGES)
        found = _all_pages(document, on_page, skip)
        warnings = [page.warning for page in found if page.warning is not None]
        _refuse_if_empty(found, warnings)
        attachments, notes = _attachments(document)
        title = _title(document)
    laid_out = to_pages(without_furniture([page.rows for page in found]))
    pages = tuple(page.as_shown(laid) for page, laid in zip(found, laid_out, strict=True))
    outcome: Outcome = "partial" if warnings else "text"
    return Parsed("pdf", outcome, pages, True, title, "", (*warnings, *notes), attachments)


@dataclass(frozen=True)
class _PageRead:
    """A page's rows, laid out in the frame `reading` in which its text stands upright; `frame` is how it is shown."""

    rows: PageRows
    frame: Frame
    reading: Frame
    warning: Warning | None = None

    def as_shown(self, page: Page) -> Page:
        """`page`, laid out, its boxes turned to where they are seen."""
        width, height = self.frame.size
        if self.reading != self.frame:
            page = replace(page, blocks=tuple(self._turned(block) for block in page.blocks))
        return replace(page, width=width, height=height)

    def _turned(self, block: Block) -> Block:
        boxes = [(b.x0, b.y0, b.x1, b.y1) for line in block.lines if (b := line.box)]
        turned = shown(in_page_space(np.array(boxes, dtype=np.float32), self.reading), self.frame).tolist()
        return replace(
            block, lines=tuple(Line(line.text, Box(*box)) for line, box in zip(block.lines, turned, strict=True))
        )


def _all_pages(document: Document, on_page: Callable[[int, int], None], skip: frozenset[int]) -> list[_PageRead]:
    pages, letters = [], 0
    for number in range(1, document.pages + 1):
        on_page(number - 1, document.pages)
        page = _lost(number) if number in skip else _read_page(document, number)
        letters += page.rows.letters
        if letters > TEXT_LIMIT:
            raise Refused("too_large", TOO_MUCH_TEXT)
        pages.append(page)
    on_page(document.pages, document.pages)
    return pages


def _lost(number: int) -> _PageRead:
    warning = Warning("page_damaged", "The page is damaged and could not be read.", number)
    return _PageRead(PageRows(number, 0, 0, ()), NO_FRAME, NO_FRAME, warning)


def _read_page(document: Document, number: int) -> _PageRead:
    """One page in reading order, and what is wrong with it."""
    try:
        with document.page(number) as page:
            frame = page.frame()
            with text_of(page) as text:
                reading = replace(frame, turns=text.turns)
                rows = PageRows(number, *reading.size, _regions(text, reading))
            pictured = page.pictured() if rows.letters < FEW_LETTERS else Pictured(0.0, False)
    except PageDamaged:
        return _lost(number)
    if text.unmapped > 0.3 or _looks_garbled(rows):
        warning = Warning("garbled_text", "The text of the page cannot be decoded.", number)
        return _PageRead(replace(rows, regions=()), frame, frame, warning)
    if pictured.image > 0.5 or (not rows.regions and pictured.anything):
        return _PageRead(rows, frame, reading, Warning("no_text_layer", PICTURE_PAGE, number))
    return _PageRead(rows, frame, reading)


def _regions(text: PageText, reading: Frame) -> tuple[tuple[Row, ...], ...]:
    segments = to_segments(text.codes, shown(text.boxes, reading), text.slanted, text.style)
    visible = [segment for segment in segments if _meets(segment.box, *reading.size)]
    return tuple(tuple(to_rows(region)) for region in in_columns(visible))


def _meets(box: Box, width: float, height: float) -> bool:
    """Does the box stand on the page, wholly or in part? What a CropBox hides is not read."""
    return box.x1 > -2 and box.x0 < width + 2 and box.y1 > -2 and box.y0 < height + 2


def _looks_garbled(rows: PageRows) -> bool:
    """Fonts without a map to Unicode yield signs instead of letters, or letters of private use."""
    text = "".join("".join(row.text.split()) for region in rows.regions for row in region)
    private = sum("\ue000" <= letter < "\uf900" for letter in text)
    plain = sum(map(str.isalnum, text))
    return private * 3 > len(text) or (len(text) >= 4 and plain * 3 < len(text))


def _refuse_if_empty(pages: list[_PageRead], warnings: list[Warning]) -> None:
    if any(page.rows.regions for page in pages):
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
