"""A figure of a table row proves something only under its own column's head."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from app.questions.numbers import Figure, figures, missing
from app.questions.spans import Span, tabular
from app.questions.words import content_stems, covered

_CELL = re.compile(r"\t| \| |^\| ?| ?\|$")


def other_column(wanted: Sequence[Figure], said: frozenset[str], span: Span) -> tuple[Figure, str] | None:
    """A wanted figure that stands in the row only under a head the statement does not speak of, while it names another
    column: the figure and that head. `said` are the stems of the statement and its question."""
    heads, cells = _heads(span), _cells(span.text)
    if len(heads) != len(cells) or len(cells) < 3:
        return None
    meant = [sum(covered(stem, said) for stem in stems) for stems in _distinctive(heads)]
    held = {figure: [i for i, cell in enumerate(cells) if not missing([figure], figures(cell))] for figure in wanted}
    given = {place for places in held.values() for place in places}
    rival = max((score for place, score in enumerate(meant) if place not in given), default=0)
    for figure, places in held.items():
        if places and places[0] > 0 and rival > 0 == max(meant[place] for place in places):
            return figure, heads[places[0]]
    return None


def _heads(span: Span) -> list[str]:
    first = span.source.text.split("\n", 1)[0]
    return _cells(first) if tabular(first) and span.start > 0 and tabular(span.text) else []


def _cells(row: str) -> list[str]:
    cells = [cell.strip() for cell in _CELL.split(row.strip("\n"))]
    return cells[1:-1] if row.startswith("|") else cells


def _distinctive(heads: list[str]) -> list[frozenset[str]]:
    """The stems of each head that no other head has; the first column names the row and is no answer."""
    stems = [frozenset(content_stems(head)) for head in heads]
    often = Counter(stem for one in stems for stem in one)
    return [frozenset(), *(frozenset(s for s in one if often[s] == 1) for one in stems[1:])]
