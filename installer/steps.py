"""How a step of the set-up runs: a command with a live line, a log of what it says, a record of its cost."""

from __future__ import annotations

import ctypes
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Protocol, TextIO

SILENCE_SECONDS = 900
"""A command that says nothing for this long is stopped: nothing hangs for ever."""


class SetupError(Exception):
    """The set-up cannot go on. `what` happened, `todo` says what the person can do about it.

    `cut_short`: a command was ended from outside, so what it was writing may be half there.
    """

    def __init__(self, what: str, todo: str, *, cut_short: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.todo = todo
        self.cut_short = cut_short


@dataclass(frozen=True)
class Ran:
    """A command that ended: exit code (negative: the signal that ended it) and what it said."""

    code: int
    output: str


class Commands(Protocol):
    """The seam to other programs; tests put a script of answers here."""

    def run(
        self, arguments: Sequence[str], on_line: Callable[[str], None] | None = None, silence: float = SILENCE_SECONDS
    ) -> Ran:
        """Runs a program to its end. Raises SetupError when it says nothing for `silence` seconds."""
        ...


@dataclass
class Step:
    """What one step cost. Bytes fetched are what pip says it downloaded, not what it took from its cache."""

    name: str
    seconds: float = 0.0
    fetched_bytes: int = 0
    disk_bytes: int = 0


@dataclass
class Record:
    """Seconds and bytes of every step, kept as JSON for `beleg bench first-run`."""

    profile: str
    python: str
    fresh: bool
    steps: list[Step] = field(default_factory=list)

    def save(self, path: Path) -> None:
        total = round(sum(step.seconds for step in self.steps), 1)
        path.write_text(json.dumps({**asdict(self), "total_seconds": total}, indent=1) + "\n", "utf-8")


class Screen:
    """Tells a person what goes on: a line that is rewritten on a terminal, few plain lines elsewhere."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.live = stream.isatty()
        self.doing: str | Callable[[], str] = ""
        self.started = self.said = time.monotonic()

    def say(self, text: str) -> None:
        self._write("\r\x1b[2K" * self.live + text + "\n")

    def begin(self, name: str) -> None:
        self.started = time.monotonic()
        self.said = self.started if not self.live else 0.0
        self.doing = name
        self.tick()

    def detail(self, text: str | Callable[[], str]) -> None:
        """Changes what the line says; a function is asked anew each time the line is drawn."""
        self.doing = text

    def tick(self) -> None:
        """Shows what goes on and for how long: five times a second on a terminal, once a minute elsewhere."""
        now = time.monotonic()
        if now - self.said < (0.2 if self.live else 60):
            return
        self.said = now
        doing = self.doing if isinstance(self.doing, str) else self.doing()
        line = f"  {doing} … {now - self.started:.0f} s"
        if self.live:
            self._write("\r\x1b[2K" + line[: shutil.get_terminal_size().columns - 1])
        else:
            self._write(line + "\n")

    def _write(self, text: str) -> None:
        encoding = self.stream.encoding or "ascii"
        self.stream.write(text.encode(encoding, "replace").decode(encoding))
        self.stream.flush()


@contextmanager
def step(name: str, screen: Screen, record: Record, folder: Path) -> Iterator[Step]:
    """Measures one step and tells about it; `folder` is where its bytes end up."""
    begun, before, entry = time.monotonic(), size_of(folder), Step(name)
    screen.begin(name)
    yield entry
    entry.seconds = round(time.monotonic() - begun, 1)
    entry.disk_bytes = size_of(folder) - before
    record.steps.append(entry)
    sizes = [f"{readable(entry.fetched_bytes)} fetched"] * (entry.fetched_bytes > 0)
    sizes += [f"{readable(entry.disk_bytes)} on disk"] * (entry.disk_bytes > 0)
    screen.say(f"  {name:<28} {entry.seconds:>5.0f} s  {', '.join(sizes)}".rstrip())


class Processes:
    """Runs real programs: their output goes line by line to the log and to whoever listens."""

    def __init__(self, log: Path, screen: Screen) -> None:
        self.log = log
        self.screen = screen

    def run(
        self, arguments: Sequence[str], on_line: Callable[[str], None] | None = None, silence: float = SILENCE_SECONDS
    ) -> Ran:
        with self.log.open("a", encoding="utf-8", errors="replace") as log:
            log.write(f"\n$ {' '.join(arguments)}\n")
            child = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - no threads run before the first command
            )
            try:
                said = self._listen(child, log, on_line, silence)
            except BaseException:
                _end(child)
                raise
            return Ran(child.wait(), "\n".join(said))

    def _listen(
        self, child: subprocess.Popen[str], log: IO[str], on_line: Callable[[str], None] | None, silence: float
    ) -> list[str]:
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_pump, args=(child.stdout, lines), daemon=True).start()
        said: list[str] = []
        heard = time.monotonic()
        while True:
            self.screen.tick()
            try:
                line = lines.get(timeout=0.25)
            except queue.Empty:
                if time.monotonic() - heard > silence:
                    raise SetupError(
                        f"`{_words(child)}` said nothing for {silence:.0f} seconds and was stopped.",
                        f"Run this again; if it happens again, look at {self.log}.",
                        cut_short=True,
                    ) from None
                continue
            if line is None:
                return said
            heard = time.monotonic()
            if on_line is not None:
                on_line(line)
            if not line.startswith("Progress "):
                said.append(line)
                log.write(line + "\n")
                log.flush()


def _words(child: subprocess.Popen[str]) -> str:
    return " ".join(map(str, child.args)) if isinstance(child.args, list | tuple) else str(child.args)


def _pump(stream: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    for line in stream or ():
        lines.put(line.rstrip())
    lines.put(None)


def _die_with_parent() -> None:
    """The kernel ends the child when we are killed, so no pip writes on behind the next run's back."""
    pr_set_pdeathsig = 1
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _end(child: subprocess.Popen[str]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(child.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            child.wait(5)
            return


def size_of(folder: Path) -> int:
    """Bytes that a folder takes on the disk."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total


def readable(count: float) -> str:
    """Bytes in words: `4.2 GB`."""
    for unit in ("bytes", "kB", "MB"):
        if abs(count) < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def bytes_in(text: str) -> int:
    """The size that a line of pip names, `(190.3 MB)`, in bytes; 0 without one."""
    found = re.search(r"\((\d+(?:\.\d+)?) (bytes|kB|MB|GB)\)", text)
    factors = {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
    return int(float(found[1]) * factors[found[2]]) if found else 0


def stderr_screen() -> Screen:
    return Screen(sys.stderr)
