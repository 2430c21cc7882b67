"""The steps of making a model ready: shown while they run, kept with their seconds and bytes afterwards."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol


class Progress(Protocol):
    """Who wants to see how far it is."""

    def step(self, name: str, done: int, total: int) -> None:
        """`done` of `total` bytes of the step called `name`; total 0: nobody knows. `done == total` ends it."""
        ...


class Silent:
    """Progress nobody looks at."""

    def step(self, name: str, done: int, total: int) -> None:
        pass


@dataclass(frozen=True)
class StepTime:
    """What one step took and moved."""

    name: str
    seconds: float
    bytes: int


@dataclass
class Timings:
    """The steps of one or several `prepare` calls, in order. A bundle found complete adds a single short step."""

    steps: list[StepTime] = field(default_factory=list)

    def add(self, name: str, started: float, moved: int) -> None:
        self.steps.append(StepTime(name, time.monotonic() - started, moved))


@dataclass
class Step:
    """A running step. `done` is what it has moved, in bytes."""

    progress: Progress
    name: str
    total: int
    done: int = 0

    def on_bytes(self, done: int) -> None:
        self.done = done
        self.progress.step(self.name, min(done, self.total - 1) if self.total else 0, self.total)


@dataclass(frozen=True)
class Steps:
    """Runs steps one after another, tells `progress` and keeps `timings`."""

    progress: Progress
    timings: Timings

    @contextlib.contextmanager
    def step(self, name: str, total: int = 0) -> Iterator[Step]:
        """`total` in bytes, 0 where nobody knows. A step that raises is not kept."""
        step, started = Step(self.progress, name, total), time.monotonic()
        step.on_bytes(0)
        yield step
        self.progress.step(name, total or 1, total or 1)
        self.timings.add(name, started, step.done)

    def waiting(self, name: str) -> None:
        self.progress.step(name, 0, 0)
