"""Seconds and bytes of each step of a first run, kept as JSON so that `beleg bench first-run` can report them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FirstRun:
    """Writes steps only while the file does not say "engine ready" yet: later starts do not overwrite the first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begun = time.monotonic()
        self._steps: list[dict[str, float | int | str]] = read_steps(path)
        self._closed = any(step["step"] == "engine ready" for step in self._steps)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        begun = time.monotonic()
        yield
        self.add(name, time.monotonic() - begun)

    def mark(self, name: str) -> None:
        """A moment, in seconds since `beleg up` began."""
        self.add(f"{name}", time.monotonic() - self._begun)

    def add(self, name: str, seconds: float, size: int = 0) -> None:
        if self._closed:
            return
        self._steps.append({"step": name, "seconds": round(seconds, 2), "bytes": size})
        self._path.write_text(json.dumps(self._steps, indent=1))
        self._closed = name == "engine ready"


def read_steps(path: Path) -> list[dict[str, float | int | str]]:
    try:
        steps = json.loads(path.read_text())
    except (OSError, ValueError):
        return []
    return steps if isinstance(steps, list) else []
