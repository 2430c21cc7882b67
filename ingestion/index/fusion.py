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
DENSE = 0.5  # beside 1 for words that are known: best for three embedders on XQuAD
FAMILIAR = 0.5  # questions in the documents' language have .6 and more of their weight in them, translated ones .2
FOREIGN = 0.1  # share of the documents below which a language is not theirs
NAMED = 2.0  # weight of "holds the identifier asked for": enough to come before the best of both other legs

Key = tuple[int, int]


def dense_weight(spoken: frozenset[str] | None, question: str, documents: Mapping[str, int]) -> float:
    """Weight of the dense leg, to be given as `Query.dense_weight`; the lexical leg's is 1 where its words are known.

    `spoken`: the embedder's languages, None for any; `question`: its language, "" when unknown; `documents`: passages
    by language of what is searched. 0 where question and documents share a language that the embedder does not speak:
    there the words do it alone. It is heard across languages, where the words have little to say."""
    if spoken is None:
        return DENSE
    known = {language: count for language, count in documents.items() if language}
    language = question or max(known, key=lambda name: known[name], default="")
    if not language or language in spoken:
        return DENSE
    return DENSE if known.get(language, 0) < FOREIGN * sum(known.values()) else 0.0


def lexical_weight(coverage: float) -> float:
    """Weight of the lexical leg, from the share of the question's weight that occurs in the index at all."""
    return 1.0 if coverage >= FAMILIAR else 0.2 * coverage


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
