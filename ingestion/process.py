"""One reading child, from start to its certain end: its frames as they come, a refusal for every way it can fail."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ingestion import bytecode
from ingestion.types import Refused
from ingestion.wire import FrameReader

log = logging.getLogger(__name__)

MIB = 1024 * 1024
PACKAGE_ROOT = Path(__file__).resolve().parent.parent
PYTHON = [sys.executable, "-S", "-s", "-P", "-X", "utf8"]  # without site and user folders it starts in half the time
COMMAND = [*PYTHON, "-B", "-m", "ingestion.child"]
KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME")  # what an unusual Python needs to start

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
NOT_STARTED = (
    "The file could not be read because the server is short of memory or processes. Try again in a few minutes."
)


@dataclass(frozen=True)
class Recognition:
    """How text in pictures is recognised: Tesseract's names of `languages` (the likeliest first; none: not at all), how
    many pages `at_once` (0: one a core, at most eight), how much processor time one page may take, how many `pages` of
    a file, and the pixels of a page's picture."""

    languages: tuple[str, ...] = ("deu", "eng", "fra", "ita", "spa")
    at_once: int = 0
    page_seconds: float = 120
    pages: int = 2_000
    pixels: int = 12_000_000


@dataclass(frozen=True)
class Limits:
    """What reading one file may take. `seconds` is wall time for all tries together, `stall_seconds` the longest a
    single page may take, `output_mib` bounds its text, `pixels` a picture of a page. Recognising
    pictures has a time limit of its own, for each page."""

    seconds: float = 600
    stall_seconds: float = 60
    memory_mib: int = 1500
    output_mib: int = 256
    pages: int = 20_000
    pixels: int = 8_000_000
    attached_files: int = 10_000
    attached_mib: int = 2048
    attachment_mib: int = 200
    recognition: Recognition = Recognition()


class Child:
    """Answers one request (see `ingestion/child.py`) until `deadline` (monotonic seconds). While `stalls` is set, no
    more than `limits.stall_seconds` may pass between two frames."""

    def __init__(self, request: dict[str, Any], limits: Limits, deadline: float) -> None:
        self.request = request
        self.limits = limits
        self.deadline = deadline
        self.stalls = False
        self.left = limits.output_mib * MIB  # bytes that may still come; whoever keeps them elsewhere adds to it
        self._heard = time.monotonic()

    def frames(self) -> Generator[Any, None, None]:
        """What the child says, until it ends. Raises `Refused` when it breaks a limit or dies, `ValueError` when it
        talks nonsense. Close the iterator and the child is gone."""
        process = self._start()
        try:
            yield from self._listen(process)
            self._judge(process)
        finally:
            end(process)

    def _start(self) -> subprocess.Popen[bytes]:
        _compile_once()
        try:
            process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=environment(),
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise Refused("crashed", NOT_STARTED) from error
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # it died at once: listening finds out
            process.stdin.write(json.dumps(self._whole_request()).encode())
            process.stdin.close()
        return process

    def _whole_request(self) -> dict[str, Any]:
        seconds = int(self.limits.seconds) + 1
        return self.request | {"memory_mib": self.limits.memory_mib, "seconds": seconds, "parent": os.getpid()}

    def _listen(self, process: subprocess.Popen[bytes]) -> Iterator[Any]:
        assert process.stdout is not None
        reader = FrameReader()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                self._wait(selector)
                data = os.read(process.stdout.fileno(), 1 << 18)
                if not data:
                    return
                self.left -= len(data)
                if self.left < 0:
                    raise Refused("too_large", TOO_MUCH_TEXT, mib=self.limits.output_mib)
                self._heard = time.monotonic()
                yield from reader.feed(data)

    def _wait(self, selector: selectors.BaseSelector) -> None:
        until = self._until()
        while not selector.select(max(0.0, min(until - time.monotonic(), 1.0))):
            if time.monotonic() >= until:
                raise self._too_slow()

    def _until(self) -> float:
        return min(self.deadline, self._heard + self.limits.stall_seconds) if self.stalls else self.deadline

    def _too_slow(self) -> Refused:
        template = TOO_SLOW_PICTURE if self.request["do"] == "draw" else TOO_SLOW
        seconds = self.limits.stall_seconds if self._until() < self.deadline else self.limits.seconds
        return Refused("too_slow", template, seconds=round(seconds))

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


@cache
def _compile_once() -> None:
    bytecode.ensure(PYTHON, environment())


def environment() -> dict[str, str]:
    """Next to nothing: no secret of ours is in there, and no library starts threads."""
    folders = [str(PACKAGE_ROOT), *(entry for entry in sys.path if entry.endswith("-packages"))]
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return kept | {
        "PYTHONPATH": os.pathsep.join(folders),
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "HOME": "/nonexistent",
    }


def end(process: subprocess.Popen[bytes]) -> None:
    """Whatever state it is in: end it and all it started, and reap it."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    process.wait()
