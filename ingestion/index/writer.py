"""Writing the index: contents are added and removed, then committed as a new generation. One writer at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import numpy as np

from ingestion.types import Passage

from . import generation, lexical, words
from .generation import Stamp
from .series import Prepared, Series
from .types import IndexEntry, OtherAnalyser, OtherEmbedder, Problem, WriterBusy

LOCK = "writer.lock"
REBUILD = "rebuild"
_REMEDY = "Run `beleg reindex` to build it anew; the old one answers until then."


class IndexWriter:
    """The writer of the index under `root`; close it (or use it in a `with`) to let another one in.

    Raises `WriterBusy` when another holds the lock, `OtherEmbedder` or `OtherAnalyser` when the index was made with
    another stamp and so can only be rebuilt. With `fresh=True` it is: what is added is built beside the old index,
    which stays searchable until `switch()`; `remove` reaches both. A rebuild that was interrupted goes on where it was:
    `contents()` says what it has."""

    def __init__(self, root: Path, embedder_id: str, dim: int, *, fresh: bool = False) -> None:
        self._root = Path(root)
        self._root.mkdir(parents=True, exist_ok=True)
        self._stamp = Stamp(embedder_id, dim, words.VERSION)
        self._lock = _lock(self._root / LOCK)
        try:
            self._live = Series(self._root, self._stamp)
            self._building = self._rebuilding() if fresh else self._checked()
        except BaseException:
            self.close()
            raise
        self._added: dict[int, Prepared] = {}
        self._removed: set[int] = set()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong when it opened: contents that were lost are missing from `contents()`; add them again."""
        return self._live.problems

    def contents(self) -> set[int]:
        """Ids of the contents committed (with `fresh`, to the index being built)."""
        return set(self._building.contents)

    def add(self, entries: Sequence[IndexEntry]) -> None:
        """Take contents into the next commit; one that is there already is replaced. Raises ValueError for vectors that
        do not fit their passages."""
        for entry in entries:
            self._added[entry.content_id] = _prepared(entry, self._stamp.dim)

    def remove(self, content_ids: Iterable[int]) -> None:
        """Take contents out with the next commit; unknown ones are ignored."""
        for content_id in content_ids:
            self._added.pop(content_id, None)
            self._removed.add(content_id)

    def commit(self) -> int:
        """Make a new generation of all that was added and removed since the last, and return the number of the current
        one. Afterwards nothing removed is left on the disk. A failure (disk full) leaves index and additions as they
        were: commit again."""
        if self._building is not self._live:
            self._live.change({}, self._removed)
        self._building.change(self._added, self._removed)
        self._added, self._removed = {}, set()
        return self._live.number

    def switch(self) -> int:
        """End a rebuild: what was built becomes current. Without `fresh` this is a commit."""
        self.commit()
        if self._building is not self._live:
            self._live.adopt(self._building)
            self._building = self._live
        return self._live.number

    def verify(self) -> list[Problem]:
        """Read every byte of the current generation again and compare checksums and counts."""
        return self._building.verify()

    def close(self) -> None:
        """Let another writer in; what was not committed is dropped."""
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _checked(self) -> Series:
        made = self._live.stamp
        if not made.same_vectors(self._stamp):
            wanted = f"{self._stamp.embedder_id} ({self._stamp.dim} numbers)"
            message = f"The search index was made by {made.embedder_id} ({made.dim} numbers), not by {wanted}."
            raise OtherEmbedder(message, _REMEDY)
        if made.analyser != self._stamp.analyser:
            raise OtherAnalyser("The search index was made by another version of Beleg.", _REMEDY)
        generation.delete(self._root / REBUILD)
        return self._live

    def _rebuilding(self) -> Series:
        series = Series(self._root / REBUILD, self._stamp)
        if series.stamp != self._stamp:
            generation.delete(self._root / REBUILD)
            series = Series(self._root / REBUILD, self._stamp)
        return series


def _lock(path: Path) -> IO[str]:
    file = path.open("a+", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        holder = file.read(20).strip() or "unknown"
        file.close()
        message = f"Another process (number {holder}) is writing to the search index."
        raise WriterBusy(message, "Wait until it has finished, or stop it.") from error
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def _prepared(entry: IndexEntry, dim: int) -> Prepared:
    """Check an entry and analyse its words."""
    ordinals = [passage.ordinal for passage in entry.passages]
    array = np.ascontiguousarray(entry.vectors, np.float32) if ordinals else np.empty((0, dim), np.float32)
    if array.shape != (len(ordinals), dim):
        raise ValueError(f"content {entry.content_id}: vectors are {array.shape}, expected {(len(ordinals), dim)}")
    if not np.isfinite(array).all():
        raise ValueError(f"content {entry.content_id}: a vector is not finite")
    if len(set(ordinals)) != len(ordinals) or min([entry.content_id, *ordinals]) < 0:
        raise ValueError(f"content {entry.content_id}: ids and ordinals are unique and not negative")
    rows = tuple(_row(entry, passage) for passage in entry.passages)
    return Prepared(entry.language, rows, array)


def _row(entry: IndexEntry, passage: Passage) -> lexical.Row:
    analysed = words.analyse("\n".join((*passage.headings, passage.text)), entry.language)
    return lexical.Row(entry.content_id, passage.ordinal, analysed.words, analysed.stems, analysed.ends)
