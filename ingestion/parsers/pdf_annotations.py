"""What was added to a page of a PDF after it was made: comments, files pinned to it, fields that were filled in."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pypdfium2_raw as c

from ingestion.parsers.pdf_attachments import LIMIT, Pinned, taken
from ingestion.parsers.pdf_strings import wide

MOST = 2_000  # annotations of a page that are looked at
LONGEST = 20_000  # characters of a comment
UNSEEN = c.FPDF_ANNOT_FLAG_HIDDEN | c.FPDF_ANNOT_FLAG_NOVIEW
MARKS = ("HIGHLIGHT", "UNDERLINE", "SQUIGGLY", "STRIKEOUT", "LINE", "SQUARE", "CIRCLE", "POLYGON", "POLYLINE", "INK")
NOTES = ("TEXT", "FREETEXT", "STAMP", "CARET", "FILEATTACHMENT")
COMMENTS = frozenset(getattr(c, f"FPDF_ANNOT_{name}") for name in (*MARKS, *NOTES))


@dataclass(frozen=True)
class Comment:
    """`box` is left, bottom, right, top in page space."""

    text: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class Added:
    """`undrawn`: there are fields of a form that no appearance shows; `drawn`: there is something that one shows."""

    comments: tuple[Comment, ...] = ()
    files: tuple[Pinned, ...] = ()
    undrawn: bool = False
    drawn: bool = False


def added(page: Any) -> Added:
    comments, files, undrawn, left = [], list[Pinned](), False, LIMIT
    any_drawn = c.FPDFPage_GetAnnotCount(page) > MOST
    for annotation in _annotations(page):
        kind, drawn = c.FPDFAnnot_GetSubtype(annotation), bool(c.FPDFAnnot_HasKey(annotation, b"AP"))
        undrawn |= kind == c.FPDF_ANNOT_WIDGET and not drawn
        any_drawn |= drawn
        if kind == c.FPDF_ANNOT_FILEATTACHMENT and (file := c.FPDFAnnot_GetFileAttachment(annotation)):
            files.append(taken(file, left))
            left -= len(files[-1].data or b"")
        shown = drawn and kind == c.FPDF_ANNOT_FREETEXT  # then it becomes part of the page
        if kind in COMMENTS and not shown and (comment := _comment(annotation, kind)):
            comments.append(comment)
    return Added(tuple(comments), tuple(files), undrawn, any_drawn)


def _annotations(page: Any) -> Iterator[Any]:
    for at in range(min(c.FPDFPage_GetAnnotCount(page), MOST)):
        with _opened(page, at) as annotation:
            if annotation and not c.FPDFAnnot_GetFlags(annotation) & UNSEEN:
                yield annotation


@contextmanager
def _opened(page: Any, at: int) -> Iterator[Any]:
    annotation = c.FPDFPage_GetAnnot(page, at)
    try:
        yield annotation
    finally:
        if annotation:
            c.FPDFPage_CloseAnnot(annotation)


def _comment(annotation: Any, kind: int) -> Comment | None:
    text, author = _value(annotation, b"Contents"), _value(annotation, b"T")
    box = c.FS_RECTF()
    if not text or not c.FPDFAnnot_GetRect(annotation, box):
        return None
    lead = f"Comment by {' '.join(author.split())}: " if author and kind != c.FPDF_ANNOT_FREETEXT else ""
    return Comment(lead + text, (box.left, min(box.bottom, box.top), box.right, max(box.bottom, box.top)))


def _value(annotation: Any, key: bytes) -> str:
    def read(buffer: Any, size: int) -> int:
        shorts = None if buffer is None else ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort))
        return int(c.FPDFAnnot_GetStringValue(annotation, key, shorts, size))

    return wide(read)[:LONGEST].replace("\r\n", "\n").replace("\r", "\n").strip()


def draw_fields(page: Any) -> None:
    """PDFium gives fields without an appearance one when it draws the page, however small."""
    bitmap = c.FPDFBitmap_CreateEx(4, 4, c.FPDFBitmap_Gray, None, 0)
    if bitmap:
        c.FPDF_RenderPageBitmap(bitmap, page, 0, 0, 4, 4, 0, c.FPDF_ANNOT)
        c.FPDFBitmap_Destroy(bitmap)
