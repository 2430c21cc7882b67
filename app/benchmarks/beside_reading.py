"""How much reading slows answering: the same questions with nothing to read, then while documents keep coming in."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from app.benchmarks.sandboxed import Scratch
from app.collections.edit import create

_AHEAD = 4  # documents that always wait to be read
_LOOK_SECONDS = 0.2


@contextmanager
def reading(bench: Scratch, files: Sequence[Path]) -> Iterator[None]:
    """While the block runs, `files` are read again and again, in a collection of their own, under bytes that were never
    seen before."""
    with bench.database.session() as db:
        beside = replace(bench, collection_id=create(db, bench.viewer, "beside").id)
    stop = threading.Event()
    with TemporaryDirectory() as made:
        feeder = threading.Thread(target=_feed, args=(beside, files, Path(made), stop), daemon=True)
        feeder.start()
        try:
            yield
        finally:
            stop.set()
            feeder.join()


def _feed(beside: Scratch, files: Sequence[Path], made: Path, stop: threading.Event) -> None:
    number = 0
    while not stop.wait(_LOOK_SECONDS):
        for _ in range(_AHEAD - beside.unread()):
            beside.accept(_anew(files[number % len(files)], number, made))
            number += 1


def _anew(file: Path, number: int, made: Path) -> Path:
    """The file with a line at its end that no reader minds."""
    copy = made / f"{number} {file.name}"
    copy.write_bytes(file.read_bytes() + f"\n%{number}\n".encode())
    return copy
