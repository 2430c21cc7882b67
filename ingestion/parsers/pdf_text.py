"""The characters of a PDF page with their boxes, fetched in bulk.

pypdfium2's helper classes cost a Python object a character; the raw calls made here cost a third of a microsecond.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pypdfium2.raw as c
from numpy.typing import NDArray

from ingestion.layout.segments import WORD_HYPHEN
from ingestion.parsers.frame import Boxes
from ingestion.parsers.pdfium import LoadedPage, PageDamaged

SURROGATES = 0xD800 >> 11
BOLD = (b"bold", b"black", b"heavy", b"demi", b"-medi", b"cmbx", b"cmssbx", b"cmb10", b"sfbx")


@dataclass(frozen=True)
class PageText:
    """A page's text in the order PDFium reads it: code points (n,), boxes (n, 4) as left, bottom, right, top in page
    space, share of sampled characters that have no Unicode, and the quarter turns (clockwise) after which most text
    stands upright. `slanted` (n,): characters turned by no whole quarters. `style(i)`: size in points as shown, and
    whether bold."""

    codes: NDArray[np.uint32]
    boxes: Boxes
    unmapped: float
    turns: int
    slanted: NDArray[np.bool_]
    style: Callable[[int], tuple[float, bool]]


@contextmanager
def text_of(page: LoadedPage) -> Iterator[PageText]:
    """The text of `page`; `style` may be asked while this is open. Raises `PageDamaged`."""
    handle = c.FPDFText_LoadPage(page.handle)
    if not handle:
        raise PageDamaged
    try:
        count = max(c.FPDFText_CountChars(handle), 0)
        codes, boxes = _characters(handle, count)
        yield PageText(
            codes,
            boxes,
            _unmapped(handle, count),
            _turns(handle, count),
            _slanted(handle, boxes),
            lambda at: _style(handle, at),
        )
    finally:
        c.FPDFText_ClosePage(handle)


def _characters(handle: Any, count: int) -> tuple[NDArray[np.uint32], Boxes]:
    text, box = _address(handle), _calls().box
    boxes = np.zeros((count, 4), dtype=np.float32)
    start = boxes.ctypes.data
    for at in range(count):
        box(text, at, start + 16 * at)
    return _codes(handle, count), boxes[:, [0, 3, 2, 1]]  # FS_RECTF is left, top, right, bottom


def _codes(handle: Any, count: int) -> NDArray[np.uint32]:
    """All at once where that yields one UTF-16 unit a character, else one by one."""
    units = np.zeros(count + 1, dtype=np.uint16)
    buffer = units.ctypes.data_as(ctypes.POINTER(ctypes.c_ushort))
    if c.FPDFText_GetText(handle, 0, count, buffer) == count + 1 and not ((units >> 11) == SURROGATES).any():
        codes = units[:count].astype(np.uint32)
        codes[codes == 0xFFFE] = WORD_HYPHEN
        return codes
    text, unicode = _address(handle), _calls().unicode
    return np.fromiter((unicode(text, at) for at in range(count)), dtype=np.uint32, count=count)


def _unmapped(handle: Any, count: int) -> float:
    text, unmapped = _address(handle), _calls().unmapped
    sample = range(0, count, 8)
    return sum(unmapped(text, at) == 1 for at in sample) / max(len(sample), 1)


def _turns(handle: Any, count: int) -> int:
    quarters = [0, 0, 0, 0]
    for at in range(0, count, max(1, count // 64)):
        if c.FPDFText_GetUnicode(handle, at) > 32:
            quarters[round(_quarters(handle, at)) % 4] += 1
    most = max(range(4), key=quarters.__getitem__)
    return -most % 4 if quarters[most] * 10 > sum(quarters) * 6 else 0


def _quarters(handle: Any, at: int) -> float:
    """How far character `at` is turned, clockwise, in quarter turns."""
    return float(max(c.FPDFText_GetCharAngle(handle, at), 0.0) / (np.pi / 2))


def _slanted(handle: Any, boxes: Boxes) -> NDArray[np.bool_]:
    """Characters that climb or fall in a row are asked how far they are turned; in ordinary text there are none."""
    found = np.zeros(len(boxes), dtype=np.bool_)
    if len(boxes) < 3:
        return found
    steps = np.diff(boxes[:, :2] + boxes[:, 2:], axis=0) / 2
    height = np.maximum(boxes[1:, 3] - boxes[1:, 1], 1.0)[:, None]
    steady = (np.abs(steps) > 0.04 * height).all(axis=1) & (np.abs(steps) < 2 * height).all(axis=1)
    runs = np.flatnonzero(steady[1:] & steady[:-1] & (np.sign(steps[1:]) == np.sign(steps[:-1])).all(axis=1))
    for at in np.unique(np.concatenate((runs, runs + 1, runs + 2))).tolist():
        quarters = _quarters(handle, at)
        found[at] = abs(quarters - round(quarters)) > 0.05
    return found


def _style(handle: Any, at: int) -> tuple[float, bool]:
    matrix = c.FS_MATRIX()
    size = c.FPDFText_GetFontSize(handle, at)
    if c.FPDFText_GetMatrix(handle, at, matrix):
        size *= (matrix.c**2 + matrix.d**2) ** 0.5
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    c.FPDFText_GetFontInfo(handle, at, name, 128, flags)
    lower = name.value.lower()
    return float(size), any(part in lower for part in BOLD) or c.FPDFText_GetFontWeight(handle, at) >= 700


@dataclass(frozen=True)
class _Calls:
    """Functions of the library that take addresses as plain integers: no ctypes object is made a call."""

    unicode: Callable[[int | None, int], int]
    box: Callable[[int | None, int, int], int]
    unmapped: Callable[[int | None, int], int]


@cache
def _calls() -> _Calls:
    pointer, integer = ctypes.c_void_p, ctypes.c_int

    def plain(function: Any, result: Any, *arguments: Any) -> Any:
        return ctypes.CFUNCTYPE(result, *arguments)(_address(function) or 0)

    return _Calls(
        unicode=plain(c.FPDFText_GetUnicode, ctypes.c_uint, pointer, integer),
        box=plain(c.FPDFText_GetLooseCharBox, integer, pointer, integer, pointer),
        unmapped=plain(c.FPDFText_HasUnicodeMapError, integer, pointer, integer),
    )


def _address(value: Any) -> int | None:
    return ctypes.cast(value, ctypes.c_void_p).value
