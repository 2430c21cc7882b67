"""The engine's log file: one a start, the last few kept, none without limit."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import IO

KEPT = 4  # older logs, engine.1.log the youngest
LIMIT = 50 << 20  # bytes of one log
TAIL = 60_000  # bytes looked at


class EngineLog:
    """`path`, and `engine.1.log` ... beside it from earlier starts."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rotate(self) -> None:
        """Put the last start's log aside and forget the oldest."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for number in range(KEPT, 0, -1):
            older = self.path if number == 1 else self._numbered(number - 1)
            with contextlib.suppress(FileNotFoundError):
                os.replace(older, self._numbered(number))

    def open(self) -> IO[bytes]:
        """For the engine to write to, always at the end (so that `limit` may cut it), readable by its owner only."""
        return os.fdopen(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab", buffering=0)

    def limit(self) -> None:
        """Keep only the end of a log that has grown too long."""
        with contextlib.suppress(OSError):
            if self.path.stat().st_size > LIMIT:
                end = self._end(LIMIT // 10)
                os.truncate(self.path, 0)
                with self.open() as log:
                    log.write(b"(older lines were cut)\n" + end)

    def tail(self) -> str:
        """The end of the log, empty where there is none."""
        try:
            return self._end(TAIL).decode("utf-8", "replace")
        except OSError:
            return ""

    def _end(self, size: int) -> bytes:
        with self.path.open("rb") as log:
            log.seek(max(0, self.path.stat().st_size - size))
            return log.read()

    def _numbered(self, number: int) -> Path:
        return self.path.with_suffix(f".{number}{self.path.suffix}")
