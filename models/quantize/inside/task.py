"""What a script inside a tool's environment is told, and how it says how far it is: one line of JSON each."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

Item = TypeVar("Item")
LEFT_ALONE = 3  # exit code of a script whose parent is gone
NICE = 5


@dataclass(frozen=True)
class Task:
    """`source` is the original's folder, `out` the one to write or to compare. `sequences` are tokens, all of one
    length: to calibrate with, or to compare on."""

    source: str
    out: str
    method: str
    tool: str
    group_size: int
    layers: int
    sequences: tuple[tuple[int, ...], ...]

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), "utf-8")


def read(path: str) -> Task:
    told = json.loads(Path(path).read_text("utf-8"))
    return Task(**{**told, "sequences": tuple(map(tuple, told["sequences"]))})


class Teller:
    """Writes progress and the result to the stdout this process was started with."""

    def __init__(self, stream: int) -> None:
        self._stream = stream

    def step(self, name: str, done: int, total: int, unit: str) -> None:
        self._line({"step": name, "done": done, "total": total, "unit": unit})

    def result(self, **figures: float) -> None:
        self._line({"result": figures})

    def count(self, items: Iterable[Item], name: str, total: int, unit: str) -> Iterator[Item]:
        """The items, telling after each how many are done."""
        self.step(name, 0, total, unit)
        for done, item in enumerate(items, 1):
            yield item
            self.step(name, min(done, total), total, unit)

    def _line(self, said: dict[str, Any]) -> None:
        os.write(self._stream, (json.dumps(said) + "\n").encode())


def begin() -> tuple[Task, Teller]:
    """The task and who to tell. Whatever a package prints goes to stderr; this process ends when its parent does."""
    stream = os.dup(1)
    os.dup2(2, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # `os._exit` below would lose what a buffer still holds
    with contextlib.suppress(OSError):
        os.nice(NICE)  # answers go first, should an engine run beside it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    return read(sys.argv[1]), Teller(stream)


def _end_with_parent() -> None:
    while os.read(0, 1024):
        pass
    os._exit(LEFT_ALONE)
