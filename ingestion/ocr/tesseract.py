"""Tesseract at work on the picture of one page: which way up it is, its words as the program lists them (TSV), and
whether they are in a script that can be read.

The program runs confined (`ingestion/tool.py`), on grey pixels that the reading child drew, never on the file itself.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from ingestion import tool
from ingestion.ocr.results import Read
from ingestion.ocr.scripts import EAST_ASIAN, Script, foreign, rest, told
from ingestion.ocr.skew import levelled, skew_of
from ingestion.ocr.words import Word, likelihood, line_heights, mean_confidence, on_its_side, words_of
from ingestion.tool import Allowance, Meter

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
PATIENCE = 10  # times as long as a page may compute it may take: the machine may be busy
BLURRED = 2.0  # pixels; letters are told through it, specks and the dots of printed photographs vanish
INK, SPECKS = 128, 0.0005  # darker is print; less than this share of a page is none


@dataclass(frozen=True)
class Reader:
    """Tesseract with languages that are installed; `seconds` of processor time are for one page."""

    languages: tuple[str, ...]
    seconds: float

    def read(self, pixels: Pixels, stopped: Callable[[], bool], meter: Meter) -> Read:
        """The words of a page. One on its side, on its head or aslant is turned, one in small print enlarged. What it
        took is added to `meter`. Raises `tool.ToolError`."""
        with tempfile.TemporaryDirectory(prefix="beleg-ocr-") as folder:
            desk = _Desk(self, Path(folder), stopped, time.monotonic() + PATIENCE * self.seconds)
            try:
                return desk.with_script(pixels, desk.upright(pixels))
            finally:
                meter.seconds += desk.meter.seconds


@dataclass(frozen=True)
class _Desk:
    reader: Reader
    folder: Path
    stopped: Callable[[], bool]
    deadline: float
    meter: Meter = field(default_factory=Meter)

    def upright(self, pixels: Pixels) -> Read:
        read = self.words(pixels, 0)
        words = words_of(read.tsv)
        if not words and (pixels < INK).mean() < SPECKS:
            return read
        if _doubtful(words):
            turned = [one for turns in self.doubtful_turns(pixels, words) for one in self.if_in_time(pixels, turns)]
            read = _likeliest([read, *turned])
        larger = _enlarged(pixels, words_of(read.tsv))
        return read if larger is None else _likeliest([read, *self.if_in_time(larger, read.turns)])

    def with_script(self, pixels: Pixels, read: Read) -> Read:
        """`read`, with the script that a part of the page is in if it cannot be read."""
        turned = levelled(np.rot90(pixels, -read.turns), read.skew)
        words = words_of(read.tsv)
        left = rest(turned, words, turned.shape[1] / read.width)
        if left is None:
            return read
        return replace(read, foreign=foreign(self._script(left), words, self.reader.languages))

    def _script(self, pixels: Pixels) -> Script | None:
        """None where it cannot be told: too few characters, the data is not installed, or the picture is no text, so
        that it looks otherwise through a veil."""
        found: list[Script] = []
        for picture in (Image.fromarray(pixels), Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(BLURRED))):
            try:
                script = told(self._osd(np.asarray(picture)))
            except tool.ToolError:
                return None
            if script is None:
                return None
            found.append(script)
        same = found[0].name == found[1].name or {one.name for one in found} <= EAST_ASIAN
        return max(found, key=lambda script: script.confidence) if same else None

    def words(self, pixels: Pixels, turns: int) -> Read:
        turned = np.rot90(pixels, -turns)
        skew = skew_of(turned)
        tsv = self._run(levelled(turned, skew), "-l", "+".join(self.reader.languages), "--psm", "3", "tsv")
        return Read(tsv.decode("utf-8", "replace"), turns, turned.shape[1], turned.shape[0], skew)

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
            guess = ROTATE.search(self._osd(pixels))
        except tool.ToolError:  # too few characters, or its data is not installed
            return [1, 3, 2] if words else [1, 3]
        turns = int(guess.group(1)) // 90 % 4 if guess else 0
        return [turns] if turns else []

    def _osd(self, pixels: Pixels) -> str:
        return self._run(pixels, "-l", "osd", "--psm", "0").decode("utf-8", "replace")

    def _run(self, pixels: Pixels, *arguments: str) -> bytes:
        picture = self.folder / "page.pgm"
        high, wide = pixels.shape
        picture.write_bytes(b"P5 %d %d 255\n" % (wide, high) + np.ascontiguousarray(pixels).tobytes())
        allowance = Allowance(
            seconds=max(self.deadline - time.monotonic(), 0.1),
            memory_mib=MEMORY_MIB,
            file_mib=1,
            processor_seconds=max(self.reader.seconds - self.meter.seconds, 0.0),
        )
        command = [PROGRAM, picture.name, "stdout", "--dpi", "300", *arguments]
        return tool.run(command, self.folder, allowance, variables=ONE_THREAD, stopped=self.stopped, meter=self.meter)


def _doubtful(words: Sequence[Word]) -> bool:
    """May the page stand on its side or head?"""
    few = sum(len(word.text) for word in words) < FEW  # or none, though there is something: text on its side
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
    return frozenset(line.strip() for line in _said("--list-langs").splitlines()[1:])


def version() -> str:
    """Which Tesseract it is. Raises `tool.ToolError`."""
    return _said("--version").partition("\n")[0].strip()


def _said(question: str) -> str:
    with tempfile.TemporaryDirectory(prefix="beleg-ocr-") as folder:
        return tool.run([PROGRAM, question], Path(folder), Allowance(seconds=120), variables=ONE_THREAD).decode()
