"""The generations under one folder, for the one process that may write there: how the next is made and old ones go."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import generation, lexical, vectors
from .generation import ContentRecord, Damaged, Stamp, Verified
from .types import Keys, Problem, Vectors


@dataclass(frozen=True)
class Prepared:
    """A content ready to be written."""

    language: str
    rows: tuple[lexical.Row, ...]
    vectors: Vectors = field(repr=False)


class Series:
    """Opens the newest good generation (`problems` says what was wrong with a newer one) and sweeps away what a crash
    left. `stamp` is the index's own, or `wanted` where there is none yet."""

    def __init__(self, root: Path, wanted: Stamp) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self._root = root
        self._wanted = wanted
        self._verified: Verified = {}
        problems: list[Problem] = []
        self._current = next(generation.candidates(root, self._verified, problems), None)
        if problems and self._current is None:
            problems.append(Problem("lost", "No generation of the search index could be read; it starts empty."))
        self.problems = tuple(problems)
        generation.delete(root / generation.BUILDING)
        if self._current:
            if problems:
                generation.switch(root, self._current.number, self._current.digest)
            self._prune(keep=self._fallback())

    @property
    def number(self) -> int:
        return self._current.number if self._current else 0

    @property
    def stamp(self) -> Stamp:
        return self._current.manifest.stamp if self._current else self._wanted

    @property
    def contents(self) -> Mapping[int, ContentRecord]:
        return self._current.contents if self._current else {}

    def change(self, added: Mapping[int, Prepared], removed: Collection[int]) -> None:
        """Commit a generation without `removed` and with `added`, if that changes anything."""
        gone = self.contents.keys() & {*added, *removed}
        if added or gone:
            before = self.number
            try:
                self._publish(self._root / generation.BUILDING, self._build(added, gone))
            except BaseException:
                generation.delete(self._root / generation.BUILDING)  # above all, give its space back to a full disk
                raise
            self._prune(keep=0 if gone else before)

    def adopt(self, other: Series) -> None:
        """Make the current generation of another series the current one here; the other is gone afterwards."""
        if other._current is None:
            other._publish(other._root / generation.BUILDING, other._build({}, set()))
        assert other._current is not None
        self._publish(other._current.folder, other._current.digest)
        self._prune(keep=0)
        generation.delete(other._root)

    def verify(self) -> list[Problem]:
        """Read everything again."""
        if self._current is None:
            return []
        try:
            generation.load(self._root, self.number, {}, self._current.digest)
        except Damaged as error:
            return [Problem("damaged", str(error))]
        return []

    def _build(self, added: Mapping[int, Prepared], gone: Collection[int]) -> str:
        """Make and seal a generation in the folder `building`; returns its digest."""
        folder = self._root / generation.BUILDING
        generation.delete(folder)
        (folder / generation.LEXICAL).mkdir(parents=True)
        contents = {key: record for key, record in self.contents.items() if key not in gone}
        since = self._next()
        contents |= {key: ContentRecord(key, len(p.rows), p.language, since) for key, p in added.items()}
        rows = [row for prepared in added.values() for row in prepared.rows]
        passages = self._build_words(folder / generation.LEXICAL, rows, gone)
        if passages != sum(record.passages for record in contents.values()):
            raise RuntimeError(f"the lexical index holds {passages} passages, which is wrong; nothing was committed")
        segments = self._build_vectors(folder, added, gone)
        return generation.seal(folder, self.stamp, segments, contents.values(), self._verified)

    def _build_words(self, folder: Path, rows: list[lexical.Row], gone: Collection[int]) -> int:
        if self._current:
            lexical.link(self._current.folder / generation.LEXICAL, folder)
        else:
            lexical.create(folder)
        return lexical.change(folder, rows, gone)

    def _build_vectors(self, folder: Path, added: Mapping[int, Prepared], gone: Collection[int]) -> list[str]:
        named = [(row.content_id, row.ordinal) for prepared in added.values() for row in prepared.rows]
        keys: Keys = np.array(named, np.int64).reshape(-1, 2)
        rows = np.concatenate([np.empty((0, self.stamp.dim), np.float32), *(p.vectors for p in added.values())])
        before = self._current
        names = before.manifest.segments if before else ()
        return vectors.change(before.folder if before else None, names, folder, gone, (keys, rows))

    def _publish(self, folder: Path, digest: str) -> None:
        """Give a sealed folder its name and make it current."""
        number = self._next()
        folder.rename(self._root / generation.folder_name(number))
        generation.sync(self._root)
        generation.switch(self._root, number, digest)
        self._current = generation.load(self._root, number, self._verified, digest)

    def _next(self) -> int:
        return max([self.number, *generation.numbers(self._root)]) + 1

    def _prune(self, *, keep: int) -> None:
        """Delete all generations but the current one and `keep`, its fallback."""
        for number in generation.numbers(self._root):
            if number not in {self.number, keep}:
                generation.delete(self._root / generation.folder_name(number))
        self._forget()

    def _fallback(self) -> int:
        """The newest older generation that is good and holds no content that was removed or replaced since; 0: none."""
        for number in generation.numbers(self._root):
            if number < self.number:
                try:
                    older = generation.load(self._root, number, dict(self._verified))
                except Damaged:
                    continue
                if older.manifest.stamp == self.stamp and older.contents.items() <= self.contents.items():
                    return number
        return 0

    def _forget(self) -> None:
        """Drop what was noted of files that are no longer there."""
        live = set(self._current.manifest.files) if self._current else set()
        self._verified = {record: inode for record, inode in self._verified.items() if record in live}
