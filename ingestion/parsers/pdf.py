"""PDF: text with the boxes of its lines, in reading order.

characters (pdfium.py) -> segments -> columns -> rows (ingestion/layout) -> no furniture -> blocks
picture -> text recognition (ingestion/ocr) -> words -> segments -> as above
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ingestion.layout.blocks import to_pages
from ingestion.layout.furniture import without_furniture
from ingestion.layout.outline import with_outline
from ingestion.layout.segments import to_segments
from ingestion.layout.types import PageRows, Segment
from ingestion.ocr.notes import failure, recognition_notes
from ingestion.ocr.results import Recognised, Results, Wanted
from ingestion.parsers.frame import shown
from ingestion.parsers.page_read import PageRead, lost, recognised, regions
from ingestion.parsers.pdf_attachments import attachments
from ingestion.parsers.pdf_doubts import STAMPED, Doubt, doubt_about, is_tiny
from ingestion.parsers.pdf_outline import outline
from ingestion.parsers.pdf_streams import damaged_pages
from ingestion.parsers.pdf_text import text_of
from ingestion.parsers.pdfium import DAMAGED, Document, PageDamaged, Pictured, opened
from ingestion.types import Outcome, Parsed, Refused, Warning

SURE = 80.0  # confidence at which the picture is believed rather than the text
LOST = frozenset({"dynamic_form", "cut_off"})  # of what is said of the whole file: its text is not what it shows
TEXT_LIMIT = 20_000_000  # characters of one document

NO_PAGES = "The PDF has no pages. Save or print the document as PDF again and upload the new file."
NO_TEXT = (
    "The PDF holds pictures of pages only, no text, and text recognition (Tesseract) is not installed on this server. "
    "Ask the administrator to install it, or upload a PDF with a text layer."
)
BLANK = "The PDF's pages show no text. Check the original and upload it again."
NOTHING_RECOGNISED = (
    "The text in the PDF's pictures could not be recognised: they are too large, too many or damaged. "
    "Scan the pages again, black and white at 300 dpi, and upload that."
)
GARBLED = (
    "The PDF's text cannot be decoded (its fonts do not say which letters they hold). "
    "Save or print the document as PDF again, from the program it was made with."
)
PARTLY_DAMAGED = "Part of the page is damaged; what can be decoded of it was read."
CUT_OFF = "The PDF is cut off or damaged. The pages that were found in it were read; others may be missing."
GARBLED_PAGE = "The text of the page cannot be decoded."
TINY_TEXT = "The page has text that is printed too small to be seen. It was read like any other."
PICTURE_PAGE = (
    "The page is a picture, and text recognition (Tesseract) is not installed on this server: "
    "text in the picture was not read."
)
PAGES_DAMAGED = (
    "No page of the PDF could be read: it is damaged. Save or print it as PDF again and upload the new file."
)
TOO_MUCH_TEXT = "The PDF holds more text than can be taken in. Split it into smaller files and upload those."
NAMELESS = re.compile(
    r"untitled|\(?(anonymous|unspecified)\)?|microsoft (word|powerpoint|excel).*"
    r"|.*\.(docx?|pptx?|xlsx?|pdf|indd|qxd|tex|dvi|rtf)",
    re.IGNORECASE,
)


def read(
    path: Path,
    on_page: Callable[[int, int], None],
    skip: frozenset[int] = frozenset(),
    results: Results | None = None,
) -> Parsed:
    """The text of the PDF at `path`. `on_page(done, total)` before each page and at the end; pages in `skip` are
    reported as damaged. A page's number is its place in the file, from 1. `results` holds what text recognition found
    on pages that are pictures; None where there is none.

    Raises `Refused` ("password_protected", "damaged", "no_text"), and `Wanted` with the pages that `results` lacks.
    """
    with opened(path) as document:
        if document.pages <= 0:
            raise Refused("damaged", NO_PAGES)
        found = _all_pages(document, on_page, skip, results)
        found = _with_damage_named(found, damaged_pages(path, document.pages))
        warnings = [page.warning for page in found if page.warning is not None]
        _refuse_if_empty(found, warnings, document.mended)
        attached, notes = attachments(document.handle, document.pinned)
        notes += [Warning("cut_off", CUT_OFF)] if document.mended else []
        notes += [Warning("tiny_text", TINY_TEXT, page.rows.number) for page in found if is_tiny(page.rows)]
        title, entries = _title(document), outline(document.handle)
    laid_out = to_pages(with_outline(without_furniture([page.rows for page in found]), entries))
    pages = tuple(page.as_shown(laid) for page, laid in zip(found, laid_out, strict=True))
    notes += recognition_notes(pages)
    warnings += [note for note in notes if note.code in LOST]
    notes = [note for note in notes if note.code not in LOST]
    return Parsed("pdf", _outcome(found, warnings), pages, True, title, "", (*warnings, *notes), attached)


def _all_pages(
    document: Document, on_page: Callable[[int, int], None], skip: frozenset[int], results: Results | None
) -> list[PageRead]:
    pages, wanted, letters = [], [], 0
    for number in range(1, document.pages + 1):
        on_page(number - 1, document.pages)
        page = _damaged(number) if number in skip else _read_page(document, number, results)
        if page is None:
            wanted.append(number)
            continue
        letters += page.rows.letters
        if letters > TEXT_LIMIT:
            raise Refused("too_large", TOO_MUCH_TEXT)
        pages.append(page)
    on_page(document.pages, document.pages)
    if wanted:
        raise Wanted(wanted)
    return pages


def _with_damage_named(pages: list[PageRead], damaged: list[int]) -> list[PageRead]:
    """PDFium reads what it can of a damaged page, and says nothing."""
    for number in damaged:
        if number <= len(pages) and pages[number - 1].warning is None:
            warning = Warning("page_damaged", PARTLY_DAMAGED, number)
            pages[number - 1] = replace(pages[number - 1], warning=warning)
    return pages


def _damaged(number: int) -> PageRead:
    return lost(number, Warning("page_damaged", "The page is damaged and could not be read.", number))


def _read_page(document: Document, number: int, results: Results | None) -> PageRead | None:
    """One page in reading order, and what is wrong with it; None if its picture has to be recognised first."""
    try:
        with document.page(number) as page:
            frame, comments = page.frame(), page.comments
            with text_of(page) as text:
                reading = replace(frame, turns=text.turns)
                segments = to_segments(text.codes, shown(text.boxes, reading), text.slanted, text.style)
                rows = PageRows(number, *reading.size, regions(segments, reading))
            doubt = doubt_about(text, rows, page.pictured() if rows.letters < STAMPED else Pictured(0.0, False))
    except PageDamaged:
        return _damaged(number)
    read = PageRead(rows, frame, reading, comments=comments)
    if not doubt:
        return read
    if results is None:
        return _unrecognised(read, doubt)
    found = results.page(number)
    if found is None:
        return None
    return replace(_decided(read, doubt, found, results.line_share, segments), comments=comments)


def _unrecognised(read: PageRead, doubt: Doubt) -> PageRead:
    """The page without text recognition."""
    if doubt == "garbled":
        warning = Warning("garbled_text", GARBLED_PAGE, read.rows.number)
        return replace(read, rows=replace(read.rows, regions=()), reading=read.frame, warning=warning)
    if doubt == "picture":
        return replace(read, warning=Warning("no_text_layer", PICTURE_PAGE, read.rows.number))
    return read


def _decided(
    read: PageRead, doubt: Doubt, found: Recognised, line_share: float, segments: Sequence[Segment]
) -> PageRead:
    """The page's own text, what was recognised, or both."""
    number, frame = read.rows.number, read.frame
    if doubt == "odd":
        return recognised(number, frame, found, line_share) if _says_otherwise(read.rows, found) else read
    if found.failed:
        read = _unrecognised(read, doubt)
        return replace(read, warning=failure(found.failed, number))
    level = (frame.turns + found.turns) % 4 == read.reading.turns
    page = recognised(number, frame, found, line_share, segments if doubt == "picture" and level else ())
    if doubt == "garbled":
        warning = None if page.rows.regions else Warning("garbled_text", GARBLED_PAGE, number)
        page = replace(page, warning=warning, own=True)
    return page


def _says_otherwise(rows: PageRows, found: Recognised) -> bool:
    """Does the picture clearly show other words than the page's text has?"""
    written = " ".join(row.text for region in rows.regions for row in region).split()
    seen = [word.text for word in found.words if word.confidence >= SURE]
    alike = len(set(seen) & set(written))
    return found.confidence >= SURE and len(seen) * 2 >= len(written) and alike * 2 < len(set(seen))


def _outcome(pages: list[PageRead], warnings: list[Warning]) -> Outcome:
    if warnings:
        return "partial"
    recognised_only = any(page.confidence is not None for page in pages) and not any(
        page.own and page.rows.regions for page in pages
    )
    return "ocr" if recognised_only else "text"


def _refuse_if_empty(pages: list[PageRead], warnings: list[Warning], mended: bool) -> None:
    if any(page.rows.regions for page in pages):
        return
    codes = {warning.code for warning in warnings}
    if mended:
        raise Refused("damaged", DAMAGED)
    if codes == {"page_damaged"}:
        raise Refused("damaged", PAGES_DAMAGED)
    if "not_recognised" in codes:
        raise Refused("no_text", NOTHING_RECOGNISED)
    if "garbled_text" in codes:
        raise Refused("no_text", GARBLED)
    if "no_text_layer" in codes:
        raise Refused("no_text", NO_TEXT)
    raise Refused("no_text", BLANK)


def _title(document: Document) -> str:
    title = " ".join(document.title().split())
    return "" if NAMELESS.fullmatch(title) else title[:400]
