"""Which of the passages found go into the prompt: the best ones, without near copies."""

from __future__ import annotations

from collections.abc import Sequence

from app.questions.normal import plain
from app.questions.numbers import figures
from app.questions.spans import Source

_ALIKE = 0.9  # share of common words


def select(found: Sequence[Source], limit: int) -> list[Source]:
    """The first `limit` passages that are no near copy of an earlier one, most relevant first."""
    chosen: list[Source] = []
    words: list[frozenset[str]] = []
    for passage in found:
        if len(chosen) == limit:
            break
        own = frozenset(plain(passage.text).casefold().split())
        if not any(
            _alike(own, other) and _figures(passage) == _figures(twin)
            for other, twin in zip(words, chosen, strict=True)
        ):
            chosen.append(passage)
            words.append(own)
    return chosen


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) / len(one | other) >= _ALIKE


def _figures(passage: Source) -> frozenset[str]:
    """Two booklets that differ in a price are no copies of each other."""
    return frozenset(figure.shown.casefold() for figure in figures(passage.text))
