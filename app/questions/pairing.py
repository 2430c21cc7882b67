"""Figures of one statement must go together in the source as they do in the answer.

"450 leave on 2 October, the other 750 on 19 October" holds 750 and 2 October, and yet does not say that the 750 leave
on 2 October: the clause with 750 has a date of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from app.questions.numbers import Date, Figure, Identifier, Number, Time, figures, missing

_CLAUSE = re.compile(
    r"[;:]\s|,\s(?!\d{4}\b)|(?<!\d)\.\s+(?=[A-ZÄÖÜ])|\n|\s[-–—]\s|\b(?:and|but|while|whereas|und|aber|während|sowie)\b"
)


def paired_otherwise(wanted: Sequence[Figure], text: str) -> tuple[Figure, Figure] | None:
    """A wanted figure and the figure that stands beside it in the source where the statement has another of that
    kind; None when nothing is torn apart."""
    firm = [figure for figure in wanted if not (isinstance(figure, Number) and figure.loose)]
    if len(firm) < 2:
        return None
    clauses = [held for clause in _CLAUSE.split(text) if (held := _read(clause))]
    for figure in firm:
        for other in firm:
            if _kind(figure) == _kind(other):
                continue
            rival = _rival(figure, other, firm, clauses)
            if rival is not None:
                return figure, rival
    return None


def _rival(
    figure: Figure, other: Figure, wanted: Sequence[Figure], clauses: Sequence[tuple[Figure, ...]]
) -> Figure | None:
    """What stands in `other`'s place in every clause that holds `figure`, when `other` stands only elsewhere."""
    own = [held for held in clauses if not missing([figure], held)]
    if not own or any(not missing([other], held) for held in own):
        return None
    if all(missing([other], held) for held in clauses):
        return None
    for held in own:
        rivals = [one for one in held if _kind(one) == _kind(other) and missing([one], wanted)]
        if not rivals:
            return None
    return rivals[0]


def _kind(figure: Figure) -> str:
    if isinstance(figure, Number):
        return f"number {figure.unit}"
    if isinstance(figure, Identifier):
        return "identifier " + re.sub(r"\d+", "0", figure.key)
    return "date" if isinstance(figure, Date) else "time" if isinstance(figure, Time) else ""


@lru_cache(maxsize=4096)
def _read(clause: str) -> tuple[Figure, ...]:
    return tuple(f for f in figures(clause) if not (isinstance(f, Number) and f.loose))
