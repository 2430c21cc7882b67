"""The characters of a PDF page with their boxes, fetched in bulk.

pypdfium2's helper classes cost a Python object a character. The calls made here cost 0.3 microseconds: driven by `map`,
with integers and addresses wrapped once as arguments, so that ctypes converts nothing (with `argtypes` it makes three
objects a call), and keeping the interpreter's lock, since nothing else runs in the reading child.
"""

from __future__ import annotations

import ctypes
import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2_raw as c
from numpy.typing import NDArray

from ingestion.layout.segments import WORD_HYPHEN
from ingestion.parsers.frame import Boxes
from ingestion.parsers.pdfium import LoadedPage, PageDamaged

Argument = Any  # an address wrapped by `ctypes.byref`, whose type has no name
BATCH = 2048  # boxes fetched between two copies
SURROGATES = 0xD800 >> 11
NAME = 128  # bytes of a font's name that are looked at
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
        count, text = max(c.FPDFText_CountChars(handle), 0), _argument(_address(handle))
        codes, boxes = _codes(handle, count), _boxes(text, count)
        yield PageText(
            codes,
            boxes,
            _unmapped(text, count),
            _turns(text, codes),
            _slanted(text, boxes),
            _Styles(text).of,
        )
    finally:
        c.FPDFText_ClosePage(handle)


def _boxes(text: Argument, count: int) -> Boxes:
    boxes = np.empty((count, 4), dtype=np.float32)
    rectangles, arguments = _rectangles()
    for start in range(0, count, BATCH):
        places = range(start, min(start + BATCH, count))
        rectangles[:] = 0  # what a call that fails leaves
        deque(map(_calls().box, repeat(text), places, arguments), maxlen=0)
        boxes[places.start : places.stop] = rectangles[: len(places), [0, 3, 2, 1]]
    return boxes


@cache
def _rectangles() -> tuple[Boxes, list[Argument]]:
    """Room for `BATCH` FS_RECTF (left, top, right, bottom), and the argument that stands for each."""
    room = np.zeros((BATCH, 4), dtype=np.float32)
    size = room.itemsize * 4
    return room, [_argument(room.ctypes.data + size * at) for at in range(BATCH)]


def _codes(handle: Any, count: int) -> NDArray[np.uint32]:
    """All at once where that yields one UTF-16 unit a character, else one by one."""
    units = np.zeros(count + 1, dtype=np.uint16)
    buffer = units.ctypes.data_as(ctypes.POINTER(ctypes.c_ushort))
    if c.FPDFText_GetText(handle, 0, count, buffer) == count + 1 and not ((units >> 11) == SURROGATES).any():
        codes = units[:count].astype(np.uint32)
        codes[codes == 0xFFFE] = WORD_HYPHEN
        return codes
    one_by_one = map(_calls().unicode, repeat(_argument(_address(handle))), range(count))
    return np.fromiter(one_by_one, dtype=np.uint32, count=count)


def _unmapped(text: Argument, count: int) -> float:
    sample = range(0, count, 8)
    return list(map(_calls().unmapped, repeat(text), sample)).count(1) / max(len(sample), 1)


def _turns(text: Argument, codes: NDArray[np.uint32]) -> int:
    sample = np.arange(0, len(codes), max(1, len(codes) // 64))
    printed = sample[codes[sample] > 32].tolist()
    quarters = [0, 0, 0, 0]
    for angle in map(_calls().angle, repeat(text), printed):
        quarters[round(_quarters(angle)) % 4] += 1
    most = max(range(4), key=quarters.__getitem__)
    return -most % 4 if quarters[most] * 10 > sum(quarters) * 6 else 0


def _quarters(angle: float) -> float:
    """An angle as PDFium says it (negative: unknown), clockwise, in quarter turns."""
    return max(angle, 0.0) / (math.pi / 2)


def _slanted(text: Argument, boxes: Boxes) -> NDArray[np.bool_]:
    """Characters that climb or fall in a row are asked how far they are turned; in ordinary text there are none."""
    found = np.zeros(len(boxes), dtype=np.bool_)
    if len(boxes) < 3:
        return found
    steps = np.diff(boxes[:, :2] + boxes[:, 2:], axis=0) / 2
    height = np.maximum(boxes[1:, 3] - boxes[1:, 1], 1.0)[:, None]
    steady = (np.abs(steps) > 0.04 * height).all(axis=1) & (np.abs(steps) < 2 * height).all(axis=1)
    runs = np.flatnonzero(steady[1:] & steady[:-1] & (np.sign(steps[1:]) == np.sign(steps[:-1])).all(axis=1))
    for at in np.unique(np.concatenate((runs, runs + 1, runs + 2))).tolist():
        quarters = _quarters(_calls().angle(text, at))
        found[at] = abs(quarters - round(quarters)) > 0.05
    return found


class _Styles:
    """Size and weight of characters, into buffers that are made once a page."""

    def __init__(self, text: Argument) -> None:
        self._text = text
        self._name, self._flags, self._matrix = ctypes.create_string_buffer(NAME), ctypes.c_int(), c.FS_MATRIX()
        self._into = ctypes.byref(self._name), ctypes.c_ulong(NAME), ctypes.byref(self._flags)
        self._into_matrix = ctypes.byref(self._matrix)

    def of(self, at: int) -> tuple[float, bool]:
        calls, text = _calls(), self._text
        size = calls.size(text, at)
        if calls.matrix(text, at, self._into_matrix):
            size *= (self._matrix.c**2 + self._matrix.d**2) ** 0.5
        self._name.value = b""
        calls.font(text, at, *self._into)
        return float(size), _is_bold(self._name.value) or calls.weight(text, at) >= 700


@lru_cache(maxsize=256)
def _is_bold(font: bytes) -> bool:
    lower = font.lower()
    return any(part in lower for part in BOLD)


@dataclass(frozen=True)
class _Calls:
    """Functions of the library on a character: the page's text, the character's place, where to write."""

    unicode: Callable[[Argument, int], int]
    box: Callable[[Argument, int, Argument], None]
    unmapped: Callable[[Argument, int], int]
    angle: Callable[[Argument, int], float]
    size: Callable[[Argument, int], float]
    matrix: Callable[[Argument, int, Argument], int]
    font: Callable[[Argument, int, Argument, ctypes.c_ulong, Argument], None]
    weight: Callable[[Argument, int], int]


@cache
def _calls() -> _Calls:
    def plain(function: Any, result: Any) -> Any:
        return ctypes.PYFUNCTYPE(result)(_address(function))

    return _Calls(
        unicode=plain(c.FPDFText_GetUnicode, ctypes.c_uint),
        box=plain(c.FPDFText_GetLooseCharBox, None),
        unmapped=plain(c.FPDFText_HasUnicodeMapError, ctypes.c_int),
        angle=plain(c.FPDFText_GetCharAngle, ctypes.c_float),
        size=plain(c.FPDFText_GetFontSize, ctypes.c_double),
        matrix=plain(c.FPDFText_GetMatrix, ctypes.c_int),
        font=plain(c.FPDFText_GetFontInfo, None),
        weight=plain(c.FPDFText_GetFontWeight, ctypes.c_int),
    )


def _address(value: Any) -> int:
    return ctypes.cast(value, ctypes.c_void_p).value or 0


def _argument(address: int) -> Argument:
    """`address` as what ctypes hands on as it is."""
    return ctypes.byref(ctypes.c_char.from_address(address))
