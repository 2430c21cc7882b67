"""PDFium through its C interface: open a document, load a page, draw it. (Its text: `pdf_text.py`.)

PDFium is not thread-safe; everything here runs in the reading child.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2_raw as c

from ingestion.parsers.frame import Frame
from ingestion.parsers.pdf_annotations import Added, Comment, added, draw_fields
from ingestion.parsers.pdf_attachments import Pinned
from ingestion.parsers.pdf_repair import mended
from ingestion.parsers.pdf_strings import wide
from ingestion.types import Refused

LOCKED = "The PDF is password protected. Enter the password in a PDF program, save it without one and upload that."
ENCRYPTION = "The PDF is encrypted in a way that cannot be opened. Save it without encryption and upload that."
DAMAGED = "The PDF is damaged and cannot be opened. Save or print it as PDF again and upload the new file."

MOST_OBJECTS = 2_000  # of a page are looked at
FORM_OBJECTS = 50
FEW_DRAWINGS = 30


@dataclass(frozen=True)
class Pictured:
    """The share of the page that images cover, and whether there is anything to see but text: a few lines
    and frames do not count, hundreds of strokes may be outlined letters. `layer`: the text is invisible, as it is when
    it was recognised on a scan."""

    image: float
    anything: bool
    layer: bool = False


class PageDamaged(Exception):
    """One page that cannot be loaded."""


class Document:
    """An open PDF. Use `opened`. `mended`: its page tree was lost, these are all pages that were found."""

    def __init__(self, handle: Any, mended: bool = False) -> None:
        self.handle = handle
        self.mended = mended
        self.pages: int = c.FPDF_GetPageCount(handle)
        self.pinned: list[Pinned] = []  # files found on the pages that were loaded

    def title(self) -> str:
        return wide(lambda buffer, size: c.FPDF_GetMetaText(self.handle, b"Title", buffer, size))

    @contextmanager
    def page(self, number: int) -> Iterator[LoadedPage]:
        """Page `number`, from 1. What is filled in or drawn on it becomes part of it. Raises `PageDamaged`."""
        handle, more = self._load(number), Added()
        if c.FPDFPage_GetAnnotCount(handle) > 0:
            more = added(handle)
            self.pinned += more.files
            if more.undrawn:
                draw_fields(handle)
            # Links have no appearance: nothing becomes part of a page that has no other annotations.
            wanted = more.drawn or more.undrawn
            if wanted and c.FPDFPage_Flatten(handle, c.FLAT_NORMALDISPLAY) == c.FLATTEN_SUCCESS:
                c.FPDF_ClosePage(handle)
                handle = self._load(number)
        try:
            yield LoadedPage(handle, more.comments)
        finally:
            c.FPDF_ClosePage(handle)

    def _load(self, number: int) -> Any:
        handle = c.FPDF_LoadPage(self.handle, number - 1)
        if not handle:
            raise PageDamaged(number)
        return handle


@contextmanager
def opened(path: Path) -> Iterator[Document]:
    """The document at `path`. Raises `Refused` ("password_protected", "damaged")."""
    c.FPDF_InitLibrary()
    handle, data = c.FPDF_LoadDocument(str(path).encode(), None), None
    if not handle or c.FPDF_GetPageCount(handle) <= 0:
        _refuse_if_locked(handle)
        data = mended(path)
        handle = c.FPDF_LoadMemDocument64(data, len(data), None) if data else handle
    if not handle:
        raise Refused("damaged", DAMAGED)
    try:
        yield Document(handle, mended=data is not None)
    finally:
        c.FPDF_CloseDocument(handle)


def _refuse_if_locked(handle: Any) -> None:
    error = c.FPDF_ERR_SUCCESS if handle else c.FPDF_GetLastError()
    if error == c.FPDF_ERR_PASSWORD:
        raise Refused("password_protected", LOCKED)
    if error == c.FPDF_ERR_SECURITY:
        raise Refused("password_protected", ENCRYPTION)


class LoadedPage:
    """A page whose content has been read."""

    def __init__(self, handle: Any, comments: tuple[Comment, ...] = ()) -> None:
        self.handle = handle
        self.comments = comments

    def frame(self) -> Frame:
        box = c.FS_RECTF()
        if not c.FPDF_GetPageBoundingBox(self.handle, box) or box.right <= box.left or box.top <= box.bottom:
            return Frame(0, 0, 612, 792, 0)
        return Frame(box.left, box.bottom, box.right, box.top, c.FPDFPage_GetRotation(self.handle) % 4)

    def pictured(self) -> Pictured:
        """What the page shows beside text. Scanners print a page as one image, as strips or as a form around it."""
        count = min(c.FPDFPage_CountObjects(self.handle), MOST_OBJECTS)
        objects = [c.FPDFPage_GetObject(self.handle, at) for at in range(count)]
        kinds = [c.FPDFPageObj_GetType(thing) for thing in objects]
        images = [thing for thing, kind in zip(objects, kinds, strict=True) if _shows_image(thing, kind)]
        drawings = kinds.count(c.FPDF_PAGEOBJ_PATH) + kinds.count(c.FPDF_PAGEOBJ_SHADING)
        forms = kinds.count(c.FPDF_PAGEOBJ_FORM)
        texts = [thing for thing, kind in zip(objects, kinds, strict=True) if kind == c.FPDF_PAGEOBJ_TEXT]
        hidden = sum(c.FPDFTextObj_GetTextRenderMode(text) == c.FPDF_TEXTRENDERMODE_INVISIBLE for text in texts)
        share = min(1.0, sum(map(self._share, images)))
        return Pictured(share, bool(images or forms or drawings > FEW_DRAWINGS), hidden * 2 > len(texts))

    def _share(self, image: Any) -> float:
        """How much of the page an image covers, from 0 to 1."""
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        if not c.FPDFPageObj_GetBounds(image, left, bottom, right, top):
            return 0.0
        frame = self.frame()
        width = min(right.value, frame.right) - max(left.value, frame.left)
        height = min(top.value, frame.top) - max(bottom.value, frame.bottom)
        return max(width, 0) * max(height, 0) / ((frame.right - frame.left) * (frame.top - frame.bottom))

    def draw_grey(self, scale: float, pixels: int) -> tuple[int, int, bytes]:
        """Width, height and grey pixels of the page on white, of at most `pixels` pixels."""
        return self._draw(scale, pixels, c.FPDFBitmap_Gray, c.FPDF_GRAYSCALE)

    def draw(self, scale: float, pixels: int) -> tuple[int, int, bytes]:
        """Width, height and RGB-ordered 32-bit pixels (RGBX) of the page on white, of at most `pixels` pixels."""
        return self._draw(scale, pixels, c.FPDFBitmap_BGRx, c.FPDF_REVERSE_BYTE_ORDER)

    def _draw(self, scale: float, pixels: int, form: int, flags: int) -> tuple[int, int, bytes]:
        width, height = self.frame().size
        scale = min(scale, (pixels / max(width * height, 1.0)) ** 0.5)
        wide, high = max(1, int(width * scale)), max(1, int(height * scale))
        bitmap = c.FPDFBitmap_CreateEx(wide, high, form, None, 0)
        if not bitmap:
            raise MemoryError
        c.FPDFBitmap_FillRect(bitmap, 0, 0, wide, high, 0xFFFFFFFF)
        flags |= c.FPDF_ANNOT | c.FPDF_RENDER_LIMITEDIMAGECACHE
        c.FPDF_RenderPageBitmap(bitmap, self.handle, 0, 0, wide, high, 0, flags)
        stride = c.FPDFBitmap_GetStride(bitmap)
        data = ctypes.string_at(c.FPDFBitmap_GetBuffer(bitmap), stride * high)
        c.FPDFBitmap_Destroy(bitmap)
        line = wide * (1 if form == c.FPDFBitmap_Gray else 4)
        if stride != line:
            data = b"".join(data[at : at + line] for at in range(0, stride * high, stride))
        return wide, high, data


def _shows_image(thing: Any, kind: int) -> bool:
    if kind != c.FPDF_PAGEOBJ_FORM:
        return bool(kind == c.FPDF_PAGEOBJ_IMAGE)
    parts = min(c.FPDFFormObj_CountObjects(thing), FORM_OBJECTS)
    return any(c.FPDFPageObj_GetType(c.FPDFFormObj_GetObject(thing, at)) == c.FPDF_PAGEOBJ_IMAGE for at in range(parts))
