"""Tesseract's table of words, read: what it is sure of, as segments for the layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from ingestion.layout.segments import clean
from ingestion.layout.types import Segment
from ingestion.types import Box

MOST_WORDS = 50_000  # of one page
WORD_LEVEL = "5"
GAP = 1.0  # line heights of white that set two segments apart
DOUBTFUL = 30.0  # words read with less confidence are noise (specks, pictures, handwriting),
WELL_READ = 60.0  # but not in a line of this confidence
SNAP = 0.3  # a line's height within this share of the usual one is the usual one
CAPITALS = 0.72  # share of a font's size that a line's letters are high, on average
BULLETS = frozenset("¢©®°»«*•")  # what bullets at the start of a line are taken for,
LETTERS = frozenset("eo0@")  # and these, where white follows as after a bullet
AFTER_BULLET = 0.6  # line heights
LONG = 4  # letters; a shorter word may be higher than wide


@dataclass(frozen=True, slots=True)
class Word:
    """A word where it stands in the picture, in pixels; `line` tells lines apart. `confidence` is 0 to 100."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: float
    line: tuple[int, int, int]


def words_of(tsv: str) -> list[Word]:
    """The words in a table that Tesseract printed; lines that are none are passed over."""
    words = []
    for row in tsv.splitlines()[: 2 * MOST_WORDS]:
        cells = row.split("\t", 11)
        if len(cells) != 12 or cells[0] != WORD_LEVEL or not cells[11].strip():
            continue
        try:
            left, top, width, height, confidence = (float(cell) for cell in cells[6:11])
            line = (int(cells[2]), int(cells[3]), int(cells[4]))
        except ValueError:
            continue
        if width > 0 and height > 0:
            words.append(Word(cells[11].strip(), left, top, left + width, top + height, confidence, line))
    return words[:MOST_WORDS]


def mean_confidence(words: Sequence[Word]) -> float:
    """Of the words that hold letters or figures, each weighed by its length."""
    weighed = [(word.confidence, len(word.text)) for word in words if any(map(str.isalnum, word.text))]
    letters = sum(length for _, length in weighed)
    return sum(confidence * length for confidence, length in weighed) / letters if letters else 0.0


def likelihood(words: Iterable[Word]) -> float:
    """How much was read upright, and how surely: to compare ways of reading one picture."""
    upright = (word for word in words if not _runs_down(word))
    return sum((word.confidence - 50) * sum(map(str.isalnum, word.text)) for word in upright)


def on_its_side(words: Sequence[Word]) -> bool:
    """Does most text run up or down the picture? Tesseract reads that too, but not in order."""
    long = [word for word in words if len(word.text) >= LONG]
    return sum(map(_runs_down, long)) * 2 > len(long)


def _runs_down(word: Word) -> bool:
    return len(word.text) >= LONG and word.y1 - word.y0 > word.x1 - word.x0


def kept(words: Sequence[Word]) -> list[Word]:
    """Without noise: what Tesseract itself hardly believes in, unless it stands in a line that was read well."""
    found: list[Word] = []
    for _, of_line in groupby(words, key=lambda word: word.line):
        line = list(of_line)
        if median(word.confidence for word in line) < WELL_READ:
            line = [word for word in line if word.confidence >= DOUBTFUL]
        if any(map(str.isalnum, "".join(word.text for word in line))):
            found += line
    return found


def line_heights(words: Sequence[Word]) -> list[float]:
    """The height of each line's letters, once a word."""
    heights: list[float] = []
    for _, of_line in groupby(words, key=lambda word: word.line):
        line = list(of_line)
        heights += [_height(line)] * len(line)
    return heights


def segments_of(words: Sequence[Word], scale: float, usual: float) -> list[Segment]:
    """`words` as segments in points, `scale` points a pixel; `usual` is the usual height of a line, in points."""
    found: list[Segment] = []
    for _, of_line in groupby(words, key=lambda word: word.line):
        line = list(of_line)
        height = _height(line)
        size = height * scale
        size = usual if usual and abs(size - usual) <= SNAP * usual else size
        pieces = _split(line, height)
        for at, piece in enumerate(pieces):
            text = clean(_with_bullet(piece, height) if at == 0 else " ".join(word.text for word in piece))
            if text and text != "\t":
                found.append(Segment(text, _box(piece, line, scale), size / CAPITALS, bold=False))
    return found


def _height(line: Sequence[Word]) -> float:
    """Of the line's letters: of its taller words, since a word without tall letters says nothing."""
    heights = sorted(word.y1 - word.y0 for word in line)
    return heights[(len(heights) * 3) // 4]


def _split(line: Sequence[Word], height: float) -> list[list[Word]]:
    pieces = [[line[0]]]
    for before, word in pairwise(line):
        if word.x0 - before.x1 > GAP * height or word.x0 < before.x0:
            pieces.append([word])
        else:
            pieces[-1].append(word)
    return pieces


def _with_bullet(piece: Sequence[Word], height: float) -> str:
    texts = [word.text for word in piece]
    if len(texts) > 1:
        apart = piece[1].x0 - piece[0].x1 > AFTER_BULLET * height
        if texts[0] in BULLETS or (texts[0] in LETTERS and apart):
            texts[0] = "•"
    return " ".join(texts)


def _box(piece: Sequence[Word], line: Sequence[Word], scale: float) -> Box:
    """Around the words. A lone low word ("no") is as high as its line, so that cells side by side stand level."""
    top, bottom = min(word.y0 for word in piece), max(word.y1 for word in piece)
    if len(piece) < 3:
        top = min(top, median(word.y0 for word in line))
        bottom = max(bottom, median(word.y1 for word in line))
    return Box(piece[0].x0 * scale, top * scale, max(word.x1 for word in piece) * scale, bottom * scale)
