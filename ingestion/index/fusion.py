"""Two rankings become one: a weighted sum of normalised scores.

Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid retrieval", ACM TOIS 42(1), 2023: the convex
combination keeps what reciprocal rank fusion (Cormack et al., SIGIR 2009) throws away, how much better one passage is
than the next; measured here it ranks better on every set tried (docs/decisions). The weights say what a leg can do for
this question: an embedder that does not speak the language ranks at random and would only do harm, and words that occur
nowhere cannot rank at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from . import lexical, vectors
from .types import Hit

DENSE = 0.7  # beside 1 for words that are known: best over XQuAD, Northwind and CLAP NQ with two embedders
FAMILIAR = 0.5  # questions in the documents' language have .6 and more of their weight in them, translated ones .2
FOREIGN = 0.1  # share of the documents below which a language is not theirs
NAMED = 2.0  # for "holds the identifier asked for": more than both legs can give, so that it comes first

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
    similarity = {(int(content), int(ordinal)): s for (content, ordinal), s in _pairs(dense)}
    relevance = dict(zip(words.keys, words.scores, strict=True))
    scores = dict.fromkeys([*similarity, *relevance], 0.0)
    if weight > 0:
        _add(scores, similarity, weight, floor=min(similarity.values(), default=0.0))
    _add(scores, relevance, lexical_weight(words.coverage), floor=0.0)
    for key in words.named:
        scores[key] = scores.get(key, 0.0) + NAMED
    dense_rank, lexical_rank = _ranks(similarity), _ranks(relevance)
    best = sorted(scores, key=lambda key: (-scores[key], key))[:limit]
    return [Hit(*key, scores[key], dense_rank.get(key), lexical_rank.get(key), similarity.get(key)) for key in best]


def _pairs(dense: vectors.Found) -> Iterable[tuple[list[int], float]]:
    return zip(dense.keys.tolist(), dense.similarities.tolist(), strict=True)


def _add(scores: dict[Key, float], found: dict[Key, float], weight: float, *, floor: float) -> None:
    """Add a leg's scores, scaled from [floor, its best] to [0, weight]. The floor of the dense leg is the least similar
    passage it ranked: cosines of one model lie in [0, .6], of another in [.7, .9]."""
    top = max(found.values(), default=floor)
    for key, score in found.items():
        scores[key] += weight * ((score - floor) / (top - floor) if top > floor else 1.0)


def _ranks(found: dict[Key, float]) -> dict[Key, int]:
    return {key: rank for rank, key in enumerate(found, start=1)}
