"""Tesseract at work on the picture of one page: which way up it is, and its words as the program lists them (TSV).

The program runs confined (`ingestion/tool.py`), on grey pixels that the reading child drew, never on the file itself.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ingestion import tool
from ingestion.ocr.results import Read
from ingestion.ocr.words import Word, likelihood, line_heights, mean_confidence, on_its_side, words_of
from ingestion.tool import Allowance

Pixels = NDArray[np.uint8]

PROGRAM = "tesseract"
ONE_THREAD = {"OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1"}  # its threads cost more than they bring
MEMORY_MIB = 1200
SURE, VERY_SURE = 75.0, 88.0  # a page read at this confidence stands upright; one of few letters needs more
FEW = 12  # letters; with fewer a page says little about which way up it is
SMALL_PRINT, LEGIBLE = 22.0, 32.0  # height of a line's letters, in pixels
MOST_ENLARGED = 2.0
MOST_PIXELS = 24_000_000
ROTATE = re.compile(r"Rotate: (\d+)")


@dataclass(frozen=True)
class Reader:
    """Tesseract with languages that are installed; `seconds` is for one page."""

    languages: tuple[str, ...]
    seconds: float

    def read(self, pixels: Pixels, stopped: Callable[[], bool]) -> Read:
        """The words of a page. One on its side or head is turned, one in small print enlarged. Raises
        `tool.ToolError`."""
        with tempfile.TemporaryDirectory(prefix="beleg-ocr-") as folder:
            desk = _Desk(self, Path(folder), stopped, time.monotonic() + self.seconds)
            read = desk.words(pixels, 0)
            words = words_of(read.tsv)
            if not words:
                return read
            if _doubtful(words):
                turned = (desk.words(pixels, turns) for turns in desk.doubtful_turns(pixels, words))
                read = _likeliest([read, *turned])
            larger = _enlarged(pixels, words_of(read.tsv))
            return read if larger is None else _likeliest([read, *desk.if_in_time(larger, read.turns)])


@dataclass(frozen=True)
class _Desk:
    reader: Reader
    folder: Path
    stopped: Callable[[], bool]
    deadline: float

    def words(self, pixels: Pixels, turns: int) -> Read:
        turned = np.rot90(pixels, -turns)
        tsv = self._run(turned, "-l", "+".join(self.reader.languages), "--psm", "3", "tsv")
        return Read(tsv.decode("utf-8", "replace"), turns, turned.shape[1], turned.shape[0])

    def if_in_time(self, pixels: Pixels, turns: int) -> list[Read]:
        """A try that may fail: something was read already."""
        try:
            return [self.words(pixels, turns)]
        except tool.ToolError:
            return []

    def doubtful_turns(self, pixels: Pixels, words: Sequence[Word]) -> list[int]:
        """Which other ways up are worth a try: the one Tesseract guesses, or all where it cannot."""
        if on_its_side(words):
            return [1, 3]
        try:
            guess = ROTATE.search(self._run(pixels, "-l", "osd", "--psm", "0").decode("utf-8", "replace"))
        except tool.Failed:  # too few characters, or its data is not installed
            return [1, 3, 2]
        turns = int(guess.group(1)) // 90 % 4 if guess else 0
        return [turns] if turns else []

    def _run(self, pixels: Pixels, *arguments: str) -> bytes:
        picture = self.folder / "page.pgm"
        high, wide = pixels.shape
        picture.write_bytes(b"P5 %d %d 255\n" % (wide, high) + np.ascontiguousarray(pixels).tobytes())
        seconds = max(self.deadline - time.monotonic(), 0.1)
        allowance = Allowance(seconds=seconds, memory_mib=MEMORY_MIB, file_mib=1)
        command = [PROGRAM, picture.name, "stdout", "--dpi", "300", *arguments]
        return tool.run(command, self.folder, allowance, variables=ONE_THREAD, stopped=self.stopped)


def _doubtful(words: Sequence[Word]) -> bool:
    """May the page stand on its side or head?"""
    few = sum(len(word.text) for word in words) < FEW
    return mean_confidence(words) < (VERY_SURE if few else SURE) or on_its_side(words)


def _likeliest(tries: Sequence[Read]) -> Read:
    return max(tries, key=lambda read: likelihood(words_of(read.tsv)))


def _enlarged(pixels: Pixels, words: Sequence[Word]) -> Pixels | None:
    """The page with its print at a size that Tesseract reads well; None where it has that already. Small print it takes
    for ruled lines, and drops."""
    height = median(line_heights(words)) if words else 0.0
    high, wide = pixels.shape
    by = min(LEGIBLE / max(height, 1.0), MOST_ENLARGED, (MOST_PIXELS / (wide * high)) ** 0.5)
    if height >= SMALL_PRINT or by < 1.2:
        return None
    size = (int(wide * by), int(high * by))
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.LANCZOS))


def installed() -> bool:
    return tool.find(PROGRAM) is not None


def languages() -> frozenset[str]:
    """The languages that Tesseract has data for. Raises `tool.ToolError`."""
    with tempfile.TemporaryDirectory(prefix="beleg-ocr-") as folder:
        listed = tool.run([PROGRAM, "--list-langs"], Path(folder), Allowance(seconds=30), variables=ONE_THREAD)
    return frozenset(line.strip() for line in listed.decode().splitlines()[1:])
