"""Which of the passages found go into the prompt: the best ones, without near copies, within their number of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.questions.normal import plain
from app.questions.numbers import Figure, figures
from app.questions.spans import Source

_COPY = 0.9


def select(found: Sequence[Source], limit: int, known: Iterable[str] = ()) -> list[Source]:
    """The first `limit` passages that are no near copy of an earlier one, most relevant first. Those whose ids are
    `known` already stand in the conversation and are chosen like any other; the prompt does not repeat them."""
    chosen: list[Source] = []
    seen: list[tuple[frozenset[str], frozenset[str]]] = []
    for passage in found:
        if len(chosen) == limit:
            break
        print_ = _fingerprint(passage)
        if not any(_near_copy(print_, other) for other in seen):
            chosen.append(passage)
            seen.append(print_)
    return chosen


def _fingerprint(passage: Source) -> tuple[frozenset[str], frozenset[str]]:
    text = plain(passage.text).casefold()
    return frozenset(text.split()), frozenset(_key(figure) for figure in figures(text))


def _key(figure: Figure) -> str:
    return figure.shown.casefold()


def _near_copy(one: tuple[frozenset[str], frozenset[str]], other: tuple[frozenset[str], frozenset[str]]) -> bool:
    """Nearly the same words and exactly the same figures: two booklets that differ in a price are no copies."""
    words, figures_ = one
    if figures_ != other[1] or not words:
        return False
    return len(words & other[0]) / len(words | other[0]) >= _COPY
