"""Which of the passages found go into the prompt: the best ones, without near copies."""

from __future__ import annotations

from collections.abc import Sequence

from app.questions.spans import Source

_ALIKE = 0.9  # share of common words


def select(found: Sequence[Source], limit: int) -> list[Source]:
    """The first `limit` passages that are no near copy of an earlier one, most relevant first."""
    chosen: list[Source] = []
    for passage in found:
        if len(chosen) == limit:
            break
        if not any(_alike(passage, earlier) for earlier in chosen):
            chosen.append(passage)
    return chosen


def _alike(one: Source, other: Source) -> bool:
    """Two booklets that differ in a price are no copies of each other."""
    common, all_words = len(one.words & other.words), len(one.words | other.words)
    return bool(one.words) and common / all_words >= _ALIKE and one.shown_figures == other.shown_figures
