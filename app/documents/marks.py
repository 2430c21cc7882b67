"""Lines of a passage as they are kept in the database: [start, end, page, place]. The place is a box [x0, y0, x1, y1],
the cells of a sheet ("A5:D5"), or null."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ingestion.cells import around
from ingestion.types import Box, Mark


def values_of(mark: Mark) -> list[Any]:
    box = mark.box
    place = [box.x0, box.y0, box.x1, box.y1] if box else mark.cells or None
    return [mark.start, mark.end, mark.page, place]


def mark_of(values: list[Any]) -> Mark:
    start, end, page, place = values
    if isinstance(place, str):
        return Mark(start, end, page, None, place)
    return Mark(start, end, page, Box(*place) if place else None)


def cells_of(marks: Iterable[Mark], start: int, end: int) -> str:
    """The cells of a sheet that characters [start, end) came from; "" where the page is none."""
    return around(mark.cells for mark in marks if mark.start < end and mark.end > start)
