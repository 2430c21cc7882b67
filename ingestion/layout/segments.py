"""Characters with boxes (any source: PDF text, OCR) to segments, in bulk with numpy."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ingestion.layout.spaced import is_spaced, words
from ingestion.layout.types import Segment
from ingestion.signs import raised
from ingestion.types import Box

WORD_HYPHEN = 2  # PDFium's mark for a hyphen that divides a word at the end of a line
ACCENTS = {0xA8: 0x308, 0xB4: 0x301, 0x60: 0x300, 0x2C6: 0x302, 0x2DC: 0x303, 0x2C7: 0x30C, 0x2DA: 0x30A, 0xB8: 0x327}
SPACES = np.array([9, 32, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x202F, 0x205F, 0x3000], dtype=np.uint32)
HAS_ACCENT = np.zeros(max(ACCENTS) + 2, dtype=np.bool_)  # by code point: may it be an accent by itself?
HAS_ACCENT[list(ACCENTS)] = True
PRINTED = np.ones(int(SPACES.max()) + 2, dtype=np.bool_)  # by code point: does it show? All beyond the last do
PRINTED[:33], PRINTED[WORD_HYPHEN], PRINTED[SPACES] = False, True, False
GAP = 1.0  # heights of white space that set two segments apart
STEP = 0.6  # heights a character may stand higher or lower than its neighbour
SMALL, RAISED = 0.92, 0.2  # heights of a letter that an exponent measures at most, and stands above its foot at least
MADE = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾")
AFTER = frozenset(")]€$£%.,;:!?”“\"'")  # beside letters and figures

LIGATURES = {
    code: unicodedata.normalize("NFKC", chr(code)) for code in (*range(0xFB00, 0xFB07), *range(0xFB13, 0xFB18))
}
PRESENTATION = {
    code: unicodedata.normalize("NFKC", chr(code))
    for code in (*range(0xFB1D, 0xFB50), *range(0xFB50, 0xFDFE), *range(0xFE70, 0xFEFD))
    if unicodedata.category(chr(code)) not in ("Cn", "Mn")
}
DROPPED = dict.fromkeys(
    [*range(32), 0x7F, *range(0x80, 0xA0), 0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF, 0xFFFD, 0xFFFF]
)
REPLACED = {0xA0: " ", 0x17F: "s", 0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "▸", 0xF0FC: "✓", 9: " ", 10: " ", 13: " "}
CLEAN = {**PRESENTATION, **DROPPED, **LIGATURES, **REPLACED, WORD_HYPHEN: "-"}
LEADERS = re.compile(r"(?:\s*[.·…_]){4,}\s*")
RUNS = re.compile(r" {2,}")


def clean(text: str) -> str:
    """Ligatures and presentation forms as plain letters, no control or invisible characters, dot leaders as a gap."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(CLEAN))
    elif not text.isprintable():
        text = text.translate(CLEAN)
    if "..." in text or ". ." in text or "___" in text or "…" in text or "··" in text:
        text = LEADERS.sub("\t", text)
    return RUNS.sub(" ", text).strip()


def to_segments(
    codes: NDArray[np.uint32],
    boxes: NDArray[np.float32],
    slanted: NDArray[np.bool_],
    style: Callable[[int], tuple[float, bool]],
) -> list[Segment]:
    """`codes` (n,) code points in the source's order, `boxes` (n, 4) as x0, y0, x1, y1, `slanted` (n,) turned by no
    whole quarters; `style(i)` gives size in points and weight of a character, asked once a segment."""
    breaks = (codes == 10) | (codes == 13)
    solid = PRINTED[np.minimum(codes, len(PRINTED) - 1)] & (boxes[:, 3] > boxes[:, 1])
    index = np.flatnonzero(solid)
    if not len(index):
        return []
    breaks[1:] |= (codes[:-1] == WORD_HYPHEN) | (slanted[1:] != slanted[:-1])
    lines = np.cumsum(breaks)[index]
    turned = _turned(boxes[index], lines)
    lines[1:] += np.cumsum(turned[1:] != turned[:-1])
    upright = _upright(boxes[index], lines) & ~slanted[index] & ~turned
    cuts = np.flatnonzero(_cuts(boxes[index], lines, upright)) + 1
    starts, ends = np.concatenate(([0], cuts)), np.concatenate((cuts, [len(index)]))
    edges = _edges(boxes[index], starts)
    codes = _with_accents(codes, boxes)
    codes = _with_exponents(codes, boxes[index], index, starts)
    text = _as_text(_letters_in_order(codes, boxes))
    firsts, middles, lasts = (index[at].tolist() for at in (starts, (starts + ends - 1) // 2, ends - 1))
    found = []
    for first, middle, last, box, across in zip(firsts, middles, lasts, edges, upright[starts].tolist(), strict=True):
        written = clean(text[first : last + 1])
        if is_spaced(written):
            written = clean(words(text[first : last + 1], boxes[first : last + 1]))
        if written and written != "\t":
            hyphen = text[last] == chr(WORD_HYPHEN)
            found.append(Segment(written, Box(*box), *style(middle), hyphen, across))
    return found


def _as_text(codes: NDArray[np.uint32]) -> str:
    """One character a code point; what is none becomes U+FFFD."""
    none = ((codes >= 0xD800) & (codes < 0xE000)) | (codes > 0x10FFFF)
    return np.where(none, 0xFFFD, codes).astype("<u4").tobytes().decode("utf-32-le")


def _with_accents(codes: NDArray[np.uint32], boxes: NDArray[np.float32]) -> NDArray[np.uint32]:
    """TeX prints some accented letters as an accent over a letter: the two become the one letter they show."""
    places = np.flatnonzero(HAS_ACCENT[np.minimum(codes[:-1], len(HAS_ACCENT) - 1)])
    if not len(places):
        return codes
    codes = codes.copy()
    for at in places.tolist():
        letter = "i" if codes[at + 1] == 0x131 else chr(codes[at + 1])
        whole = unicodedata.normalize("NFC", letter + chr(ACCENTS[int(codes[at])]))
        middle = (boxes[at, 0] + boxes[at, 2]) / 2
        if letter.isalpha() and len(whole) == 1 and boxes[at + 1, 0] < middle < boxes[at + 1, 2]:
            codes[at], codes[at + 1] = 0, ord(whole)
    return codes


def _with_exponents(
    codes: NDArray[np.uint32], boxes: NDArray[np.float32], index: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """Small figures that stand right after a letter and higher, as what they are: 10⁶ is not 106."""
    sizes = np.diff(np.concatenate((starts, [len(boxes)])))
    heights = boxes[:, 3] - boxes[:, 1]
    tallest = np.repeat(np.maximum.reduceat(heights, starts), sizes)
    small = heights < SMALL * tallest
    feet = np.repeat(np.maximum.reduceat(np.where(small, -np.inf, boxes[:, 3]), starts), sizes)
    high = small & (feet - boxes[:, 3] > RAISED * tallest)
    if not high.any():
        return codes
    codes = codes.copy()
    follows = np.concatenate(([False], np.diff(index) == 1))
    for at in np.flatnonzero(high & follows).tolist():
        before, plain = chr(codes[index[at - 1]]), not high[at - 1]
        if (plain and (before.isalnum() or before in AFTER)) or before in MADE:
            codes[index[at]] = ord(raised(chr(codes[index[at]])))
    return codes


def _turned(boxes: NDArray[np.float32], lines: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Characters of a line that follow each other up or down the page: text turned by a quarter, which PDFium puts on
    the line it stands next to."""
    found = np.zeros(len(boxes), dtype=np.bool_)
    steps = np.diff(boxes[:, :2] + boxes[:, 2:], axis=0) / 2
    along = (np.abs(steps[:, 0]) < 0.25 * np.abs(steps[:, 1])) & (lines[1:] == lines[:-1])
    along &= np.abs(steps[:, 1]) > 0.1 * (boxes[1:, 2] - boxes[1:, 0])
    ways = np.where(along, np.sign(steps[:, 1]), 0)
    runs = np.flatnonzero((ways[2:] != 0) & (ways[2:] == ways[1:-1]) & (ways[1:-1] == ways[:-2]))
    for at in range(4):
        found[runs + at] = True
    return found


def _upright(boxes: NDArray[np.float32], lines: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Per character: does its line run across the page? Lines of one character do."""
    starts = np.flatnonzero(np.concatenate(([True], lines[1:] != lines[:-1])))
    sizes = np.diff(np.concatenate((starts, [len(lines)])))
    edges = _edges_array(boxes, starts)
    across = (edges[:, 2] - edges[:, 0]) * 2 >= edges[:, 3] - edges[:, 1]
    return np.repeat(across | (sizes < 2), sizes)


def _cuts(boxes: NDArray[np.float32], lines: NDArray[np.int64], upright: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Between which neighbouring characters a new segment starts."""
    before, after = boxes[:-1], boxes[1:]
    height = np.maximum(before[:, 3] - before[:, 1], after[:, 3] - after[:, 1])
    gap = np.maximum(after[:, 0] - before[:, 2], before[:, 0] - after[:, 2])
    step = np.abs(after[:, 1] + after[:, 3] - before[:, 1] - before[:, 3]) / 2
    apart = (gap > GAP * height) | (step > STEP * height)
    cuts: NDArray[np.bool_] = (lines[1:] != lines[:-1]) | (apart & upright[1:])
    return cuts


def _edges_array(boxes: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.float32]:
    low = np.minimum.reduceat(boxes[:, :2], starts)
    high = np.maximum.reduceat(boxes[:, 2:], starts)
    return np.concatenate((low, high), axis=1)


def _edges(boxes: NDArray[np.float32], starts: NDArray[np.int64]) -> list[list[float]]:
    edges: list[list[float]] = _edges_array(boxes, starts).tolist()
    return edges


def _letters_in_order(codes: NDArray[np.uint32], boxes: NDArray[np.float32]) -> NDArray[np.uint32]:
    """One glyph that stands for several right-to-left letters (lam-alef) comes with its letters reversed: characters
    of one box are turned round."""
    arabic = ((codes >= 0x590) & (codes < 0x900)) | ((codes >= 0xFB1D) & (codes < 0xFEFD))
    if not arabic.any():
        return codes
    same = arabic[1:] & arabic[:-1] & (boxes[1:] == boxes[:-1]).all(axis=1)
    turned = codes.copy()
    start = 0
    for at in range(1, len(codes) + 1):
        if at == len(codes) or not same[at - 1]:
            if at - start > 1:
                turned[start:at] = codes[start:at][::-1]
            start = at
    return turned
