"""Reads files and draws pages in a limited child process: memory, time and output are bounded, a crash is a refusal.

    parse / draw_page -> one child (ingestion/child.py) -> frames -> Parsed | PNG | Refused

A page that kills or stalls the child costs that page only: a fresh child reads the rest without it.
"""

from __future__ import annotations

import json
import logging
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingestion.types import Page, Parsed, Refused
from ingestion.wire import FrameReader, ending_from_json, page_from_json

log = logging.getLogger(__name__)

MIB = 1024 * 1024
SKIPS = 5  # pages given up in one file before the whole file is
PACKAGE_ROOT = Path(__file__).resolve().parent.parent

TOO_SLOW = (
    "Reading took longer than %(seconds)s seconds and was stopped. Split the file into smaller parts and upload those."
)
TOO_SLOW_PICTURE = "Drawing the page took longer than %(seconds)s seconds and was stopped. Open the original instead."
TOO_MUCH_MEMORY = (
    "Reading needed more than %(mib)s MiB of memory and was stopped. "
    "Split the file into smaller parts and upload those."
)
CRASHED = (
    "The file could not be read: it seems to be damaged. "
    "Save it again in the program it was made with, or as PDF, and upload that."
)
TOO_MUCH_TEXT = (
    "The file holds more text than can be taken in (%(mib)s MiB). Split the file into smaller parts and upload those."
)
TOO_MANY_PAGES = "The file has more than %(pages)s pages. Split the file into smaller parts and upload those."
NOT_STARTED = (
    "The file could not be read because the server is short of memory or processes. Try again in a few minutes."
)


@dataclass(frozen=True)
class Limits:
    """What reading one file may take. `seconds` is wall time for all tries together, `stall_seconds` the longest a
    single page may take, `output_mib` bounds text and attachments together, `pixels` a picture of a page."""

    seconds: float = 600
    stall_seconds: float = 60
    memory_mib: int = 1500
    output_mib: int = 256
    pages: int = 20_000
    pixels: int = 8_000_000


def parse(path: Path, name: str, limits: Limits, on_page: Callable[[int, int], None] | None = None) -> Parsed:
    """Read the file at `path`, which people call `name`. `on_page(done, total)` is told how far it is.

    Raises `Refused`, and only that, for everything that goes wrong with the file. May be called from any thread; ends
    within `limits.seconds` and a moment.
    """
    deadline = time.monotonic() + limits.seconds
    skip: set[int] = set()
    while True:
        reading = _Reading(limits, on_page or (lambda done, total: None))
        try:
            return reading.run(path, name, deadline, skip)
        except _PageFailed as failed:
            if failed.page in skip or len(skip) >= SKIPS or time.monotonic() >= deadline:
                raise failed.refused from None
            skip.add(failed.page)


def draw_page(path: Path, number: int, limits: Limits, scale: float = 2.0) -> bytes:
    """Page `number` (from 1) of the PDF at `path` as PNG, `scale` pixels a point, less where that would exceed
    `limits.pixels`. Raises `Refused` like `parse`."""
    request = {"do": "draw", "path": str(path), "page": number, "scale": scale, "pixels": limits.pixels}
    seconds = min(limits.seconds, limits.stall_seconds)
    for frame in _Child(request, limits, time.monotonic() + seconds).frames():
        if isinstance(frame, bytes):
            return frame
        _raise_refusal(frame, limits)
    raise Refused("crashed", CRASHED)


class _PageFailed(Exception):
    def __init__(self, page: int, refused: Refused) -> None:
        super().__init__(page)
        self.page = page
        self.refused = refused


class _Reading:
    """One try: collects what a child sends, and knows which page it was at when it failed."""

    def __init__(self, limits: Limits, on_page: Callable[[int, int], None]) -> None:
        self.limits = limits
        self.on_page = on_page
        self.pages: list[Page] = []
        self.attached: list[bytes] = []
        self.at = 0

    def run(self, path: Path, name: str, deadline: float, skip: set[int]) -> Parsed:
        request = {"do": "parse", "path": str(path), "name": name, "skip": sorted(skip)}
        try:
            for frame in _Child(request, self.limits, deadline).frames():
                parsed = self._take(frame)
                if parsed is not None:
                    return parsed
            raise Refused("crashed", CRASHED)
        except Refused as refused:
            if self.at and refused.code in ("crashed", "too_slow", "too_much_memory"):
                raise _PageFailed(self.at, refused) from None
            raise
        except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
            log.warning("reading child sent what is no answer: %s", type(error).__name__)
            raise Refused("crashed", CRASHED) from error

    def _take(self, frame: Any) -> Parsed | None:
        if isinstance(frame, bytes):
            self.attached.append(frame)
        elif "at" in frame:
            done, total = (int(value) for value in frame["at"])
            if total > self.limits.pages:
                raise Refused("too_large", TOO_MANY_PAGES, pages=self.limits.pages)
            self.at = done + 1 if done < total else 0
            self.on_page(done, total)
        elif "page" in frame:
            self.at = 0
            self.pages.append(page_from_json(frame["page"]))
        elif "end" in frame:
            return ending_from_json(frame, self.pages, self.attached)
        else:
            _raise_refusal(frame, self.limits)
        return None


def _raise_refusal(frame: dict[str, Any], limits: Limits) -> None:
    if "refused" in frame:
        raise Refused(str(frame["refused"]), str(frame["reason"]), **frame["values"])
    if frame.get("failed") == "memory":
        raise Refused("too_much_memory", TOO_MUCH_MEMORY, mib=limits.memory_mib)
    log.warning("reading failed: %s", frame.get("detail", "no detail"))
    raise Refused("crashed", CRASHED)


class _Child:
    """One child process, from start to its certain end."""

    def __init__(self, request: dict[str, Any], limits: Limits, deadline: float) -> None:
        self.request = request | {"memory_mib": limits.memory_mib, "seconds": limits.seconds, "parent": os.getpid()}
        self.limits = limits
        self.deadline = deadline
        self.progressed = time.monotonic()

    def frames(self) -> Iterator[Any]:
        """What the child says, until it ends. Raises `Refused` when it breaks a limit or dies."""
        process = self._start()
        try:
            yield from self._listen(process)
            self._judge(process)
        finally:
            _end(process)

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            process = subprocess.Popen(
                [sys.executable, "-S", "-s", "-P", "-B", "-X", "utf8", "-m", "ingestion.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=_environment(),
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise Refused("crashed", NOT_STARTED) from error
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(self.request).encode())
            process.stdin.close()
        except OSError:
            pass  # it died at once: listening finds out
        return process

    def _listen(self, process: subprocess.Popen[bytes]) -> Iterator[Any]:
        assert process.stdout is not None
        reader, left = FrameReader(), self.limits.output_mib * MIB
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                self._wait(selector)
                data = os.read(process.stdout.fileno(), 1 << 18)
                if not data:
                    return
                left -= len(data)
                if left < 0:
                    raise Refused("too_large", TOO_MUCH_TEXT, mib=self.limits.output_mib)
                self.progressed = time.monotonic()
                yield from reader.feed(data)

    def _wait(self, selector: selectors.BaseSelector) -> None:
        until = min(self.deadline, self.progressed + self.limits.stall_seconds)
        while not selector.select(max(0.0, min(until - time.monotonic(), 1.0))):
            if time.monotonic() >= until:
                raise self._too_slow()

    def _too_slow(self) -> Refused:
        template = TOO_SLOW_PICTURE if self.request["do"] == "draw" else TOO_SLOW
        stalled = self.progressed + self.limits.stall_seconds <= self.deadline
        return Refused(
            "too_slow", template, seconds=round(self.limits.stall_seconds if stalled else self.limits.seconds)
        )

    def _judge(self, process: subprocess.Popen[bytes]) -> None:
        """The output has ended: did the child end well?"""
        try:
            code = process.wait(timeout=max(0.0, min(self.deadline - time.monotonic(), 5.0)))
        except subprocess.TimeoutExpired:
            raise self._too_slow() from None
        if code == -signal.SIGXCPU:
            raise self._too_slow()
        if code == -signal.SIGKILL:  # not by us: the kernel, out of memory
            raise Refused("too_much_memory", TOO_MUCH_MEMORY, mib=self.limits.memory_mib)
        if code != 0:
            log.warning("reading child ended with %s", code)
            raise Refused("crashed", CRASHED)


def _environment() -> dict[str, str]:
    """Next to nothing: no secret of ours is in there, and no library starts threads."""
    folders = [str(PACKAGE_ROOT), *(entry for entry in sys.path if entry.endswith("-packages"))]
    return {
        "PYTHONPATH": os.pathsep.join(folders),
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "HOME": "/nonexistent",
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    """Whatever state it is in: end it and all it started, and reap it."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()
