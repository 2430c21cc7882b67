"""What recognition found, on its way from the process that ran Tesseract to the child that lays pages out: a folder
with one file a page.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

from ingestion.ocr.scripts import well_read
from ingestion.ocr.words import Word, kept, line_heights, mean_confidence, words_of


@dataclass(frozen=True)
class Read:
    """What was read: Tesseract's table, the quarter turns (clockwise) after which the page stood upright, and the
    degrees (counterclockwise) that it was then turned by to stand level. `foreign`: the script of a part, or of the
    whole, that no language was set for, so that what was read of it is nonsense."""

    tsv: str
    turns: int
    width: int
    height: int
    skew: float = 0.0
    foreign: str = ""

    @property
    def words(self) -> list[Word]:
        """Without what is nonsense."""
        return well_read(words_of(self.tsv)) if self.foreign else words_of(self.tsv)


@dataclass(frozen=True)
class Recognised:
    """One page's picture, read: its size in pixels after `turns` quarter turns clockwise, and the words on it, where
    they stand once it was turned `skew` degrees counterclockwise about its middle.
    `failed` says why it could not be read ("too_slow", "out_of_time", "failed", "too_many"); then there is nothing
    else."""

    words: tuple[Word, ...] = ()
    turns: int = 0
    width: int = 1
    height: int = 1
    confidence: float = 0.0
    failed: str = ""
    skew: float = 0.0


class Wanted(Exception):
    """These pages can be read only once their pictures were recognised."""

    def __init__(self, pages: list[int]) -> None:
        super().__init__(f"{len(pages)} pages")
        self.pages = pages


class Results:
    """The folder `at`, written by one process and read by another."""

    def __init__(self, at: Path) -> None:
        self.at = at

    def put(self, number: int, read: Read) -> None:
        self._path(number).write_text(json.dumps(asdict(read)), encoding="utf-8")

    def put_failure(self, number: int, code: str) -> None:
        self._path(number).write_text(json.dumps({"failed": code}), encoding="utf-8")

    def page(self, number: int) -> Recognised | None:
        """None where the page's picture was not looked at yet."""
        try:
            value = json.loads(self._path(number).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        if "failed" in value:
            return Recognised(failed=str(value["failed"]))
        read = Read(**value)
        words, sure = kept(read.words), round(mean_confidence(read.words), 1)
        return Recognised(tuple(words), read.turns, read.width, read.height, sure, skew=read.skew)

    @cached_property
    def line_share(self) -> float:
        """The usual height of a line, as a share of its page's longer side: scans of one document are alike, and
        small differences between their lines are none of size. 0 where nothing was recognised."""
        shares: list[float] = []
        for path in self.at.glob("*.json"):
            found = self.page(int(path.stem))
            if found is not None and found.words:
                heights = line_heights(found.words)
                shares += [height / max(found.width, found.height) for height in heights]
        return median(shares) if shares else 0.0

    def _path(self, number: int) -> Path:
        return self.at / f"{number}.json"
