"""In which order the chosen passages stand in the prompt. Each order has a name, set by configuration.

`relevance` is the search's order. `canonical` is by document and position: the same set of passages is the same
bytes, whoever asks. The hint after the question gives the model the relevance order back in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.questions.spans import Source

Layout = Callable[[Sequence[Source]], list[Source]]


def by_relevance(passages: Sequence[Source]) -> list[Source]:
    """As they came: most relevant first."""
    return list(passages)


def canonical(passages: Sequence[Source]) -> list[Source]:
    """By content and position within it."""
    return sorted(passages, key=lambda passage: (passage.content_id, passage.ordinal))


LAYOUTS: dict[str, Layout] = {"relevance": by_relevance, "canonical": canonical}
