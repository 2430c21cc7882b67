"""Lines of a passage as they are kept in the database: [start, end, page, [x0, y0, x1, y1] or null]."""

from __future__ import annotations

from typing import Any

from ingestion.types import Box, Mark


def values_of(mark: Mark) -> list[Any]:
    box = mark.box
    return [mark.start, mark.end, mark.page, [box.x0, box.y0, box.x1, box.y1] if box else None]


def mark_of(values: list[Any]) -> Mark:
    start, end, page, box = values
    return Mark(start, end, page, Box(*box) if box else None)
