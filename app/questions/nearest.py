"""The passages that came closest to a question the documents do not answer."""

from __future__ import annotations

from collections.abc import Sequence

from app.questions.claims import read_claim
from app.questions.matching import best_match
from app.questions.spans import Source, whole
from app.questions.types import CitationView
from app.questions.verify import cite

NEAREST = 3


def nearest(passages: Sequence[Source], question: str) -> tuple[tuple[CitationView, Source], ...]:
    """The first three of the passages (most relevant first), each with the line that has most of the question's
    words."""
    claim = read_claim(question)
    matches = [(best_match(claim, [passage]), passage) for passage in passages[:NEAREST]]
    return tuple((cite(match.span if match else whole(passage)), passage) for match, passage in matches)
