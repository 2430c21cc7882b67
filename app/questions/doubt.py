"""Whether the passages found look as if they did not answer the question.

A small model that is always reminded that it may decline declines too often, and one that is never reminded invents.
So it is reminded when no passage has most of the question's words and all of its figures.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.questions.claims import Claim, read_claim
from app.questions.numbers import missing
from app.questions.spans import Source

SHARED = 0.7  # share of the question's content words that one passage must have


def doubtful(question: str, passages: Iterable[Source]) -> bool:
    """By the words and figures of the question (its own and, for a follow-up, those of its standalone form)."""
    claim = read_claim(question)
    return not any(_fits(claim, passage) for passage in passages)


def _fits(claim: Claim, passage: Source) -> bool:
    shared = sum(bool(passage.kin(stem)) for stem in claim.stems)
    return shared >= SHARED * len(claim.stems) and _holds_figures(claim, passage)


def _holds_figures(claim: Claim, passage: Source) -> bool:
    held = [figure for span in passage.spans for figure in span.figures] if claim.figures else []
    return all(passage.is_about(getattr(figure, "key", "")) for figure in missing(claim.figures, held))
