"""Searching the index while another process writes it: generations are verified, opened, and swapped whole."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ingestion.language import guess

from . import fusion, generation, lexical, vectors, words
from .generation import Damaged, Generation, Verified
from .types import Hit, IndexLost, Problem, Query, Vectors

DEPTH = 100  # passages each leg ranks before fusion
MOST_LANGUAGES = 8  # a question is stemmed for
_TRIES = 10  # openings, while a writer replaces generations


@dataclass(frozen=True)
class Snapshot:
    """A generation, opened. Lives as long as a search uses it, whatever happens on the disk."""

    generation: Generation
    words: lexical.LexicalIndex
    segments: tuple[vectors.Segment, ...]


class Index:
    """The index under `root`, for searching; thread-safe. Opens at first use; a folder where nothing was ever written
    is an empty index. `languages` are those the embedder speaks (None: any)."""

    def __init__(self, root: Path, embedder_id: str, dim: int, languages: frozenset[str] | None = None) -> None:
        self._root = Path(root)
        self._stamp = generation.Stamp(embedder_id, dim, words.VERSION)
        self._spoken = languages
        self._opening = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._seen: tuple[int, ...] | None = None
        self._verified: Verified = {}
        self._problems: tuple[Problem, ...] = ()

    @property
    def generation(self) -> int:
        """Number of the generation being searched; 0 before the first."""
        return self._snapshot.generation.number if self._snapshot else 0

    @property
    def ready(self) -> bool:
        """Whether questions can be answered from it: yes for an empty index, no when all generations are damaged."""
        self.refresh()
        return not self._lost

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the index on disk, as of the last refresh; empty when all is well."""
        return self._problems

    def refresh(self, at_least: int = 0) -> int:
        """Pick up a newer generation if there is one; returns the number of the one searched from now on. One stat when
        nothing changed. While another thread opens the newer one, this returns the older at once, unless it is older
        than `at_least`."""
        if self._opening.acquire(blocking=self._snapshot is None or self.generation < at_least):
            try:
                self._catch_up()
            finally:
                self._opening.release()
        return self.generation

    def verify(self) -> tuple[Problem, ...]:
        """Read every byte on the disk again, and say what is wrong; what is being searched stays."""
        again = Index(self._root, self._stamp.embedder_id, self._stamp.dim, self._spoken)
        again.refresh()
        return again.problems

    def languages(self, allowed: Collection[int]) -> dict[str, int]:
        """Passages by language ("" unknown) among the contents allowed."""
        self.refresh()
        return _languages(self._snapshot, allowed) if self._snapshot else {}

    def search(self, query: Query) -> list[Hit]:
        """The best passages among the contents allowed, best first. Raises `IndexLost` when there was an index and no
        generation of it can be read (no hits would be a lie), ValueError for a vector that is not one."""
        self.refresh()
        snapshot = self._snapshot
        if self._lost:
            raise IndexLost("The search index is damaged.", "Run `beleg reindex` to build it anew.")
        if snapshot is None or query.limit < 1:
            return []
        allowed = snapshot.generation.contents.keys() & set(query.allowed)
        if not allowed:
            return []
        return self._search(snapshot, query, allowed)

    def _search(self, snapshot: Snapshot, query: Query, allowed: set[int]) -> list[Hit]:
        depth = max(DEPTH, 2 * query.limit)
        spread, language = _languages(snapshot, allowed), query.language or guess(query.text)
        weight = query.dense_weight
        if weight is None:
            weight = fusion.dense_weight(self._spoken, language, spread)
        dense = vectors.NOTHING
        if query.vector is not None and weight > 0 and snapshot.generation.manifest.stamp.same_vectors(self._stamp):
            dense = vectors.search(snapshot.segments, self._unit(query.vector), allowed, depth)
        terms = words.analyse_question(query.text, _stemmed(language, spread))
        return fusion.fuse(dense, snapshot.words.search(terms, allowed, depth), weight, query.limit)

    @property
    def _lost(self) -> bool:
        return self._snapshot is None and any(problem.code == "lost" for problem in self._problems)

    def _unit(self, vector: Vectors) -> Vectors:
        vector = np.ascontiguousarray(vector, np.float32)
        if vector.shape != (self._stamp.dim,) or not np.isfinite(vector).all():
            raise ValueError(
                f"a question's vector has shape ({self._stamp.dim},) and finite numbers, not {vector.shape}"
            )
        return vector

    def _mark(self) -> tuple[int, ...]:
        try:
            status = (self._root / generation.CURRENT).stat()
        except FileNotFoundError:
            return ()
        return status.st_ino, status.st_mtime_ns, status.st_size

    def _catch_up(self) -> None:
        for _ in range(_TRIES):
            mark = self._mark()
            if mark == self._seen:
                return
            self._seen = mark
            self._open()
            if not any(problem.code == "damaged" for problem in self._problems):
                return  # else the writer may have replaced it under our hands: look again

    def _open(self) -> None:
        """Open the current generation, else the newest good one, else keep what is open; note what was wrong."""
        problems: list[Problem] = []
        found = next(self._openable(problems), None)
        if found:
            self._snapshot = found
        elif problems:
            problems.append(Problem("lost", "No generation of the search index can be read."))
        else:
            self._snapshot = None
        live = found.generation.manifest.files if found else ()
        self._verified = {record: self._verified[record] for record in live}
        self._problems = (*problems, *(_stamp_problems(found, self._stamp) if found else ()))

    def _openable(self, problems: list[Problem]) -> Iterator[Snapshot]:
        for found in generation.candidates(self._root, self._verified, problems):
            try:
                yield opened(found, self._snapshot)
            except Damaged as error:
                problems.append(Problem("damaged", str(error)))


def opened(found: Generation, before: Snapshot | None) -> Snapshot:
    """Open a verified generation, sharing the segments that an older snapshot has loaded."""
    loaded = {segment.name: segment for segment in before.segments} if before else {}
    manifest = found.manifest
    try:
        segments = [
            loaded.get(name) or vectors.Segment(found.folder, name, manifest.stamp.dim) for name in manifest.segments
        ]
        texts = lexical.LexicalIndex(found.folder / generation.LEXICAL, found.contents)
    except (OSError, ValueError) as error:
        raise Damaged(f"{found.folder.name} cannot be opened ({error})") from error
    if texts.passages != manifest.passages or sum(len(s.keys) for s in segments) != manifest.passages:
        raise Damaged(f"{found.folder.name} does not hold the {manifest.passages} passages it should")
    return Snapshot(found, texts, tuple(segments))


def _stamp_problems(snapshot: Snapshot, wanted: generation.Stamp) -> Iterator[Problem]:
    made = snapshot.generation.manifest.stamp
    if not made.same_vectors(wanted):
        text = f"The search index was made by {made.embedder_id}, not {wanted.embedder_id}: it finds words only."
        yield Problem("other_embedder", text)
    if made.analyser != wanted.analyser:
        yield Problem("other_analyser", "The search index was made by another version of Beleg and finds less.")


def _languages(snapshot: Snapshot, allowed: Collection[int]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for record in map(snapshot.generation.contents.get, allowed):
        if record:
            counts[record.language] += record.passages
    return dict(counts)


def _stemmed(question: str, documents: dict[str, int]) -> list[str]:
    """Languages to stem a question for: those of the documents, most frequent first, its own before all. A stem carries
    its language, so that a question is never compared with words of another; and a guess that was wrong, or a German
    word in an English question, costs nothing."""
    known = sorted((language for language in documents if language), key=lambda language: -documents[language])
    return sorted(known, key=lambda language: language != question)[:MOST_LANGUAGES]
