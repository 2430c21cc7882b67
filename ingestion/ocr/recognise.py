"""Many pages recognised: pictures drawn by the reading child, several at a time read by Tesseract, results in a folder.

    child draws (batches) -> grey pixels -> Tesseract, one a core -> Results

Memory holds a few pictures at most. A page that cannot be drawn or read costs that page only. What was read before an
interruption is not read again (`kept.py`).
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ingestion import tool
from ingestion.ocr import tesseract
from ingestion.ocr.kept import KeptPages
from ingestion.ocr.notes import foreign_script, missing_languages, nothing_but_foreign_script
from ingestion.ocr.results import Read, Results
from ingestion.ocr.scripts import suggested
from ingestion.ocr.tesseract import Pixels, Reader
from ingestion.process import MIB, Child, Limits
from ingestion.tool import Meter
from ingestion.types import Parsed, Refused, Warning

log = logging.getLogger(__name__)

MOST_AT_ONCE = 8  # more than a file's pages can be drawn for
BATCH = 20  # pages drawn by one child
CRASHES = 5  # pages that may break the drawing child before the rest is given up
LOOK_SECONDS = 0.5
USUAL_SHARE = 0.25  # of what one page may take, for each page of a file
PREPARATION = 1  # to be counted up when pages are prepared or read otherwise than before
HEADER = re.compile(rb"P5 (\d{1,6}) (\d{1,6}) 255\n")
_turns = threading.BoundedSemaphore(os.cpu_count() or 1)  # Tesseracts at a time, of all files being read

Progress = Callable[[int, int], None]
Keep = Callable[[int, Read], None]
Fail = Callable[[int, str], None]


@dataclass(frozen=True)
class ToRecognise:
    """Numbers of the pages of a file that are pictures, and how many pages it has."""

    pages: tuple[int, ...]
    total: int


class PageRecognition:
    """Text recognition for one file. `results` is None where there is none on this machine; it lasts as long as the
    context. Pages read in an earlier try come from `kept`, where new ones go. `notes` are what people should know about
    it afterwards."""

    def __init__(self, path: Path, name: str, limits: Limits, kept: KeptPages | None = None) -> None:
        self.path = path
        self.name = name
        self._limits = limits
        self._kept = kept
        self._folder = tempfile.TemporaryDirectory(prefix="beleg-ocr-")
        self._foreign: dict[int, str] = {}
        self.results = Results(Path(self._folder.name)) if tesseract.installed() else None
        self.notes: list[Warning] = []

    def __enter__(self) -> PageRecognition:
        if self.results is not None and self._kept is not None and self._kept.any:
            for number, read in self._kept.pages(self._recogniser.name):
                self._put(number, read)
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def run(self, wanted: ToRecognise, on_page: Progress) -> None:
        """Every wanted page ends in `results`, read or failed. `on_page` is told how many pages of the file are done;
        what it raises ends the work at once, and the programs with it."""
        assert self.results is not None
        most = self._limits.recognition.pages
        for number in wanted.pages[most:]:
            self.results.put_failure(number, "too_many")
        if not self._recogniser.languages:
            for number in wanted.pages:
                self.results.put_failure(number, "failed")
            return
        job = _Job(self.path, self.name, wanted.pages[:most], wanted.total, self._recogniser.languages)
        _recognise(job, self._limits, on_page, self._keep, self.results.put_failure)

    def finish(self, parsed: Parsed) -> Parsed:
        """`parsed`, with what is to be said of its recognised pages."""
        notes = [*self.notes, *(foreign_script(script, suggested(script), at) for at, script in self._by_page())]
        lost = any(page.number in self._foreign and not page.text.strip() for page in parsed.pages)
        return replace(parsed, outcome="partial" if lost else parsed.outcome, warnings=(*parsed.warnings, *notes))

    def refusal(self, refused: Refused) -> Refused:
        """`refused`, or why there is no text in it if that is known better here."""
        if refused.code != "no_text" or not self._foreign:
            return refused
        [(script, _)] = Counter(self._foreign.values()).most_common(1)
        return nothing_but_foreign_script(script, suggested(script))

    def _by_page(self) -> list[tuple[int, str]]:
        return sorted(self._foreign.items())

    def _keep(self, number: int, read: Read) -> None:
        self._put(number, read)
        if self._kept is not None:
            self._kept.keep(self._recogniser.name, number, read)

    def _put(self, number: int, read: Read) -> None:
        assert self.results is not None
        self.results.put(number, read)
        if read.foreign:
            self._foreign[number] = read.foreign

    @cached_property
    def _recogniser(self) -> _Recogniser:
        asked = self._limits.recognition.languages
        try:
            installed, version = tesseract.languages(), tesseract.version()
        except tool.ToolError as error:
            log.warning("text recognition does not work: %s", error)
            return _Recogniser((), "")
        missing = [one for one in asked if one not in installed]
        if missing:
            self.notes.append(missing_languages(missing))
        usable = tuple(one for one in asked if one in installed) or tuple(sorted(installed - {"osd"}))[:1]
        return _Recogniser(usable, f"{version} {'+'.join(usable)} {self._limits.recognition.pixels} {PREPARATION}")


@dataclass(frozen=True)
class _Recogniser:
    """The languages to read in, and what distinguishes what it reads from what another reads."""

    languages: tuple[str, ...]
    name: str


@dataclass(frozen=True)
class _Job:
    path: Path
    name: str
    pages: Sequence[int]
    total: int
    languages: tuple[str, ...]


def _recognise(job: _Job, limits: Limits, on_page: Progress, keep: Keep, fail: Fail) -> None:
    workers = limits.recognition.at_once or min(os.cpu_count() or 1, MOST_AT_ONCE)
    desk = _Desk(Reader(job.languages, limits.recognition.page_seconds), _seconds(job, limits), keep, fail)
    progress = _Progress(on_page, job)
    with ThreadPoolExecutor(workers, thread_name_prefix="ocr") as pool:
        waiting: set[Future[None]] = set()
        try:
            with closing(_pictures(job, limits)) as pictures:
                for number, pixels in pictures:
                    if pixels is None:
                        fail(number, "failed")
                        progress.step()
                        continue
                    waiting.add(pool.submit(desk.read, number, pixels))
                    while len(waiting) > workers:
                        waiting = progress.wait(waiting)
            while waiting:
                waiting = progress.wait(waiting)
        finally:
            desk.stop.set()


def _seconds(job: _Job, limits: Limits) -> float:
    """Processor time for the whole file: more for more pages, but not the most for each."""
    return limits.seconds + len(job.pages) * limits.recognition.page_seconds * USUAL_SHARE


@dataclass
class _Desk:
    """Where the pages of one file are read, as long as `seconds` of processor time are left."""

    reader: Reader
    seconds: float
    keep: Keep
    fail: Fail
    stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, number: int, pixels: Pixels) -> None:
        with _turns:
            if self.stop.is_set():
                return
            if self.seconds <= 0:
                self.fail(number, "out_of_time")
                return
            meter = Meter()
            try:
                read = self.reader.read(pixels, self.stop.is_set, meter)
                if not self.stop.is_set():
                    self.keep(number, read)
            except tool.TooSlow:
                self.fail(number, "too_slow")
            except tool.ToolError as error:
                if not self.stop.is_set():
                    log.warning("text recognition failed on a page: %s", error)
                self.fail(number, "failed")
            with self._lock:
                self.seconds -= meter.seconds


class _Progress:
    def __init__(self, on_page: Progress, job: _Job) -> None:
        self._on_page = on_page
        self._done = job.total - len(job.pages)
        self._total = job.total

    def step(self) -> None:
        self._done += 1
        self._on_page(min(self._done, self._total), self._total)

    def wait(self, waiting: set[Future[None]]) -> set[Future[None]]:
        """The pages that are left once one has been read; asks now and then whether anybody still wants them."""
        done, left = wait(waiting, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            future.result()
            self.step()
        if not done:
            self._on_page(self._done, self._total)
        return left


def _pictures(job: _Job, limits: Limits) -> Generator[tuple[int, Pixels | None], None, None]:
    """Each page with its grey pixels, or None where it cannot be drawn."""
    left, crashes = list(job.pages), 0
    while left and crashes < CRASHES:
        batch, drawn = left[:BATCH], 0
        with closing(_drawn(job, batch, limits)) as pictures:
            try:
                for pixels in pictures:
                    yield batch[drawn], pixels
                    drawn += 1
            except Exception as error:  # of the child, or of what it said
                log.warning("page %s cannot be drawn: %s", batch[drawn], getattr(error, "code", type(error).__name__))
        if drawn < len(batch):
            crashes += 1
            yield batch[drawn], None
            drawn += 1
        left = left[drawn:]
    yield from ((number, None) for number in left)


def _drawn(job: _Job, pages: list[int], limits: Limits) -> Generator[Pixels | None, None, None]:
    """What one child draws of `pages`, in their order, until it ends."""
    pixels = limits.recognition.pixels
    limits = replace(limits, output_mib=2 + len(pages) * (1 + pixels // MIB))
    request = {"do": "pictures", "path": os.path.abspath(job.path), "name": job.name, "pages": pages, "pixels": pixels}
    child = Child(request, limits, time.monotonic() + limits.seconds)
    child.stalls = True
    with closing(child.frames()) as frames:
        for _, frame in zip(pages, frames, strict=False):
            yield _pixels(frame)
            child.deadline = time.monotonic() + limits.seconds  # waiting for Tesseract is not the child's fault


def _pixels(frame: Any) -> Pixels | None:
    """Nothing of what the child says is believed unseen."""
    if not isinstance(frame, bytes):
        if frame.get("lost"):
            return None
        raise ValueError("no picture")
    header = HEADER.match(frame)
    wide, high = (int(part) for part in header.groups()) if header else (0, 0)
    if header is None or not wide * high or len(frame) != header.end() + wide * high:
        raise ValueError("no picture")
    return np.frombuffer(frame, dtype=np.uint8, offset=header.end()).reshape(high, wide)
