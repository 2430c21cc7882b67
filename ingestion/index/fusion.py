"""Two rankings become one: weighted reciprocal rank fusion, score = sum of weight / (60 + rank).

Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
SIGIR 2009. The weights say what a leg can do for this question: an embedder that does not speak the language ranks at
random and would only do harm, and words that occur nowhere cannot rank at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import lexical, vectors
from .types import Hit

K = 60
NAMED = 2.0  # weight of "holds the identifier asked for": enough to come before the best of both other legs

Key = tuple[int, int]


def dense_weight(spoken: frozenset[str] | None, question: str, documents: Mapping[str, int]) -> float:
    """Weight of the dense leg in [0, 1]. `spoken`: the embedder's languages, None for any; `question`: its language,
    "" when unknown; `documents`: passages by language of what is searched."""
    if spoken is None:
        return 1.0
    known = {language: count for language, count in documents.items() if language}
    if not question:
        question = max(known, key=lambda language: known[language], default="")
    return 1.0 if not question or question in spoken else 0.0


def lexical_weight(coverage: float) -> float:
    """Weight of the lexical leg in [0, 1], from how much of the question's weight occurs in the index at all."""
    return min(1.0, coverage / 0.5)


def fuse(dense: vectors.Found, words: lexical.Found, weight: float, limit: int) -> list[Hit]:
    """The best `limit` of both legs; `weight` is the dense leg's. Ties go to the smaller key."""
    dense_keys = [(int(content), int(ordinal)) for content, ordinal in dense.keys]
    dense_rank, lexical_rank, named_rank = _ranks(dense_keys), _ranks(words.keys), _ranks(words.named)
    similarity = dict(zip(dense_keys, dense.similarities.tolist(), strict=True))
    legs = [(dense_rank, weight), (lexical_rank, lexical_weight(words.coverage)), (named_rank, NAMED)]
    scores: dict[Key, float] = {}
    for ranks, leg_weight in legs:
        if leg_weight > 0:
            for key, rank in ranks.items():
                scores[key] = scores.get(key, 0.0) + leg_weight / (K + rank)
    best = sorted(scores, key=lambda key: (-scores[key], key))[:limit]
    return [Hit(*key, scores[key], dense_rank.get(key), lexical_rank.get(key), similarity.get(key)) for key in best]


def _ranks(keys: Sequence[Key]) -> dict[Key, int]:
    return {key: rank for rank, key in enumerate(keys, start=1)}
