from __future__ import annotations

import numpy as np
import pytest

from ingestion.index import lexical, vectors
from ingestion.index.fusion import DENSE, dense_weight, fuse


def dense(*keys: tuple[int, int]) -> vectors.Found:
    rows = np.array(keys, np.int64).reshape(-1, 2)
    return vectors.Found(rows, np.linspace(0.9, 0.1, len(keys), dtype=np.float32))


def words(*keys: tuple[int, int], named: tuple[tuple[int, int], ...] = (), coverage: float = 1.0) -> lexical.Found:
    return lexical.Found(list(keys), [8.0 / (1 + n) for n in range(len(keys))], list(named), coverage)


def test_scores_are_weighted_sums_of_normalised_scores() -> None:
    hits = fuse(dense((1, 0), (2, 0), (4, 0)), words((2, 0), (3, 0)), 0.5, 10)
    assert [hit.content_id for hit in hits] == [2, 1, 3, 4]
    assert [hit.score for hit in hits] == pytest.approx([1 + 0.25, 0.5, 0.5, 0.0])
    assert (hits[0].dense_rank, hits[0].lexical_rank, hits[1].lexical_rank, hits[2].dense_rank) == (2, 1, None, None)
    assert hits[1].similarity == pytest.approx(0.9)


def test_a_single_passage_has_the_whole_weight() -> None:
    (hit,) = fuse(dense((1, 0)), words(), 0.5, 10)
    assert hit.score == pytest.approx(0.5)


def test_a_passage_that_holds_the_identifier_comes_first() -> None:
    hits = fuse(dense((1, 0), (2, 0)), words((1, 0), (2, 0), named=((2, 0),)), 1.0, 10)
    assert hits[0].content_id == 2


def test_a_leg_without_weight_decides_nothing() -> None:
    hits = fuse(dense((1, 0), (2, 0)), words((2, 0), (1, 0)), 0.0, 10)
    assert [hit.content_id for hit in hits] == [2, 1]


def test_words_that_occur_nowhere_do_not_count() -> None:
    hits = fuse(dense((1, 0), (2, 0)), words((3, 0), coverage=0.0), 1.0, 10)
    assert hits[0].content_id == 1
    assert hits[-1].score == 0.0


@pytest.mark.parametrize(
    ("spoken", "question", "documents", "weight"),
    [
        (None, "de", {"de": 5}, DENSE),
        ({"en"}, "en", {"en": 5}, DENSE),
        ({"en"}, "de", {"de": 5}, 0.0),
        ({"en"}, "de", {"de": 5, "en": 5}, 0.0),
        ({"en"}, "de", {"en": 5}, DENSE),
        ({"en"}, "de", {"en": 50, "de": 1}, DENSE),
        ({"en"}, "de", {"": 5}, 0.0),
        ({"en"}, "", {"de": 5, "en": 1}, 0.0),
        ({"en"}, "", {"en": 5}, DENSE),
        ({"en"}, "", {"": 5}, DENSE),
        ({"en", "de"}, "de", {"en": 5}, DENSE),
        ({"en", "de"}, "de", {"de": 5}, DENSE),
    ],
)
def test_an_embedder_counts_where_it_speaks_the_language(
    spoken: set[str] | None, question: str, documents: dict[str, int], weight: float
) -> None:
    assert dense_weight(frozenset(spoken) if spoken else None, question, documents) == weight
