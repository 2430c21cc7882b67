"""Reads files and draws pages in a confined child process: memory, time and output are bounded, a crash is a refusal.

    parse / draw_page -> one child (process.py, child.py, confine.py) -> frames (wire.py) -> Parsed | PNG | Refused
    old office files -> a new one, made by LibreOffice (legacy.py), read the same way
    pages that are pictures -> text recognition (ocr/recognise.py) -> the child once more, with what was found

A page that kills or stalls the child costs that page only: a fresh child reads the rest without it.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ingestion import legacy
from ingestion.ocr.kept import KeptPages
from ingestion.ocr.recognise import PageRecognition, ToRecognise
from ingestion.ocr.results import Results
from ingestion.process import CRASHED, TOO_MUCH_MEMORY, Child, Limits, Recognition
from ingestion.spool import Spool
from ingestion.types import Page, Parsed, Refused
from ingestion.wire import ending_from_json, page_from_json

__all__ = ["KeptPages", "Limits", "Recognition", "draw_page", "parse"]

log = logging.getLogger(__name__)

LAYOUT_SECONDS = 0.5  # more for each page of a file that hours of recognition went into
SKIPS = 5  # pages given up in one file before the whole file is
TOO_MANY_PAGES = "The file has more than %(pages)s pages. Split the file into smaller parts and upload those."


def parse(
    path: Path,
    name: str,
    limits: Limits,
    on_page: Callable[[int, int], None] | None = None,
    spool: Path | None = None,
    *,
    kept: KeptPages | None = None,
) -> Parsed:
    """Read the file at `path`, which people call `name`. `on_page(done, total)` is told how far it is; what it raises
    ends reading and is raised on.

    Files inside it (attachments, members of an archive) are written into the folder `spool`; without one they are left.
    Pages whose text is recognised are kept in `kept`, and taken from there when reading is begun again.

    Raises `Refused`, and only that, for everything that goes wrong with the file. May be called from any thread; ends
    within `limits.seconds` and a moment, pages to be recognised and what LibreOffice takes not counted.
    """
    with (
        legacy.readable(path, name, limits) as (place, called, old),
        PageRecognition(place, called, limits, kept) as recognition,
    ):
        found = _read(recognition, limits, on_page, spool)
    return replace(found, format=old) if old else found


def _read(
    recognition: PageRecognition,
    limits: Limits,
    on_page: Callable[[int, int], None] | None,
    spool: Path | None,
) -> Parsed:
    path, name, results = recognition.path, recognition.name, recognition.results
    try:
        found = _parse(path, name, limits, on_page, results=results, spool=spool)
        if isinstance(found, ToRecognise):
            recognition.run(found, on_page or (lambda done, total: None))
            longer = replace(limits, seconds=limits.seconds + LAYOUT_SECONDS * found.total)
            found = _parse(path, name, longer, None, results=results, spool=spool)
    except Refused as refused:
        raise recognition.refusal(refused) from None
    if isinstance(found, Parsed):
        return recognition.finish(found)
    raise Refused("crashed", CRASHED)


def _parse(
    path: Path,
    name: str,
    limits: Limits,
    on_page: Callable[[int, int], None] | None,
    *,
    results: Results | None,
    spool: Path | None,
) -> Parsed | ToRecognise:
    deadline = time.monotonic() + limits.seconds
    skip: set[int] = set()
    while True:
        reading = _Reading(limits, on_page, spool)
        try:
            return reading.run(path, name, deadline, skip, results)
        except Refused as refused:
            if not reading.may_skip(refused) or len(skip) >= SKIPS or time.monotonic() >= deadline:
                raise
            log.warning("page %s is left out: %s", reading.at, refused.code)
            skip.add(reading.at)


def draw_page(path: Path, number: int, limits: Limits, scale: float = 2.0) -> bytes:
    """Page `number` (from 1) of the PDF or picture at `path` as PNG, `scale` pixels a point, less where that would
    exceed `limits.pixels`. Raises `Refused` like `parse`."""
    request = {"do": "draw", "path": os.path.abspath(path), "page": number, "scale": scale, "pixels": limits.pixels}
    child = Child(request, limits, time.monotonic() + min(limits.seconds, limits.stall_seconds))
    with closing(child.frames()) as frames, _sense():
        for frame in frames:
            if isinstance(frame, bytes):
                return frame
            _raise_refusal(frame, limits)
    raise Refused("crashed", CRASHED)


class _Reading:
    """One try: collects what a child sends, and knows which page it was `at` when it failed."""

    def __init__(self, limits: Limits, on_page: Callable[[int, int], None] | None, spool: Path | None) -> None:
        self.limits = limits
        self.on_page = on_page
        self.pages: list[Page] = []
        self.spool = Spool(spool, limits)
        self.at = 0
        self.total = 0

    def run(
        self, path: Path, name: str, deadline: float, skip: set[int], results: Results | None
    ) -> Parsed | ToRecognise:
        request: dict[str, Any] = {"do": "parse", "path": os.path.abspath(path), "name": name, "skip": sorted(skip)}
        request["attachments"] = self.spool.folder is not None
        request["results"] = str(results.at) if results else None
        child = Child(request, self.limits, deadline)
        with closing(child.frames()) as frames, _sense():
            for frame in frames:
                parsed = self._take(frame, child)
                if parsed is not None:
                    return parsed
        raise Refused("crashed", CRASHED)

    def may_skip(self, refused: Refused) -> bool:
        """Did one page of a format with pages of its own break the child, so that the others may be read?"""
        return self.at > 0 and refused.code in ("crashed", "too_slow", "too_much_memory")

    def _take(self, frame: Any, child: Child) -> Parsed | ToRecognise | None:
        if isinstance(frame, bytes):
            self._keep(frame)
            child.left += len(frame)
        elif "attachment" in frame:
            self.spool.begin(*(str(value) for value in frame["attachment"]))
        elif "end" in frame:
            return self._ended(frame)
        elif "wanted" in frame:
            pages = sorted({int(number) for number in frame["wanted"]})
            return ToRecognise(tuple(number for number in pages if 0 < number <= self.limits.pages), self.total)
        elif "format" in frame:
            child.stalls = frame["format"] == "pdf"
        elif "at" in frame:
            self._progress(*(int(value) for value in frame["at"]), skippable=child.stalls)
        elif "page" in frame:
            self.at = 0
            self.pages.append(page_from_json(frame["page"]))
        else:
            _raise_refusal(frame, self.limits)
        return None

    def _keep(self, piece: bytes) -> None:
        try:
            self.spool.add(piece)
        except OSError as error:  # a full disk is no fault of the file's
            raise _CallerError(error) from error

    def _ended(self, frame: dict[str, Any]) -> Parsed:
        parsed = ending_from_json(frame, self.pages, self.spool.attachments)
        if not self.spool.warnings:
            return parsed
        return replace(parsed, outcome="partial", warnings=(*parsed.warnings, *self.spool.warnings))

    def _progress(self, done: int, total: int, *, skippable: bool) -> None:
        if total > self.limits.pages:
            raise Refused("too_large", TOO_MANY_PAGES, pages=self.limits.pages)
        self.total = total
        self.at = done + 1 if skippable and done < total else 0
        if self.on_page is not None:
            try:
                self.on_page(done, total)
            except Exception as error:
                raise _CallerError(error) from error


class _CallerError(Exception):
    """Carries what `on_page` raised past `_sense`."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


@contextmanager
def _sense() -> Iterator[None]:
    """A child that talks nonsense has been broken into or is broken: either way its file is refused."""
    try:
        yield
    except _CallerError as carrier:
        raise carrier.error from None
    except Refused:
        raise
    except Exception as error:
        log.warning("reading child sent what is no answer: %s", type(error).__name__)
        raise Refused("crashed", CRASHED) from error


def _raise_refusal(frame: dict[str, Any], limits: Limits) -> None:
    if "refused" in frame:
        raise Refused(str(frame["refused"]), str(frame["reason"]), **frame["values"])
    if frame.get("failed") == "memory":
        raise Refused("too_much_memory", TOO_MUCH_MEMORY, mib=limits.memory_mib)
    log.warning("reading failed: %s", frame.get("detail", "no detail"))
    raise Refused("crashed", CRASHED)
