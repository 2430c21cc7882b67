"""What goes into the index and what comes out of it, and what can be wrong with it. Plain data."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ingestion.types import Passage

Vectors = NDArray[np.float32]
Keys = NDArray[np.int64]


@dataclass(frozen=True)
class IndexEntry:
    """All passages of one content. `language` is ISO 639-1 ("" unknown); `vectors` are unit vectors, one a passage,
    shape (len(passages), dim)."""

    content_id: int
    language: str
    passages: Sequence[Passage]
    vectors: Vectors = field(repr=False)


@dataclass(frozen=True)
class Query:
    """A question. `vector` (unit, shape (dim,)) None searches words only. Only passages of the contents in `allowed`
    are looked at. `language` is the question's; "" lets the index guess. `dense_weight` None lets the index decide from
    the languages of the embedder, the question and the allowed contents (see `fusion.dense_weight`)."""

    text: str
    vector: Vectors | None
    allowed: Collection[int]
    limit: int = 10
    language: str = ""
    dense_weight: float | None = None


@dataclass(frozen=True)
class Hit:
    """A passage found, named by (content_id, ordinal). `score` is the fused one (`fusion.py`), comparable within one
    search only. Ranks count from 1; `similarity` is the cosine, None where the dense leg did not return the passage."""

    content_id: int
    ordinal: int
    score: float
    dense_rank: int | None = None
    lexical_rank: int | None = None
    similarity: float | None = None


@dataclass(frozen=True)
class Problem:
    """Something wrong with the index on disk. `code`: "damaged" (a generation does not verify), "lost" (no good
    generation is left), "other_embedder", "other_analyser" (made by another embedder or version of the analyser).
    `text` says what; the remedy is always a rebuild from the database (`beleg reindex`)."""

    code: str
    text: str


class IndexFault(Exception):
    """Base of the index's own errors; `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message} {hint}")
        self.message = message
        self.hint = hint


class OtherEmbedder(IndexFault):
    """The index was made by another embedder: vectors of two models do not compare."""


class OtherAnalyser(IndexFault):
    """The index was made by another version of the analyser: its words do not match today's."""


class WriterBusy(IndexFault):
    """Another process (or another writer in this one) is writing to the index."""


class IndexLost(IndexFault):
    """An index was there, and no generation of it can be read any more."""
