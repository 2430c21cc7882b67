"""The columns of a table, and in which of them a cell stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ingestion.layout.types import Row

NUMBER = re.compile(r"[^A-Za-z]*\d[^A-Za-z]*")


def columns_of(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """The columns' x ranges, from the rows with most cells; none where rows disagree."""
    most = max(len(row.ranges) for row in rows)
    full = [row for row in rows if len(row.ranges) == most]
    columns = [(min(row.ranges[at][0] for row in full), max(row.ranges[at][1] for row in full)) for at in range(most)]
    ordered = all(left[1] <= right[0] + 1 for left, right in pairwise(columns))
    return columns if ordered and most >= 2 else []


def place(start: float, end: float, columns: Sequence[tuple[float, float]]) -> int:
    """The column that [start, end] overlaps most, or else stands nearest to."""

    def distance(at: int) -> float:
        left, right = columns[at]
        overlap = min(end, right) - max(start, left)
        return -overlap if overlap > 0 else abs((start + end) - (left + right)) / 2

    return min(range(len(columns)), key=distance)
