"""Rows with several cells to a table block: cells in their columns, the header kept apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ingestion.layout.places import NUMBER, columns_of, place
from ingestion.layout.types import Row
from ingestion.layout.words import Spelling, joined_lines
from ingestion.types import Block, Line


def is_table_row(row: Row) -> bool:
    return len(row.cells) >= 2 and not row.outline[0]


def end_of_table(rows: Sequence[Row], at: int) -> int:
    """Where the table that starts at row `at` ends; `at` itself if none does. A row with one short cell goes along when
    the table goes on below it."""
    end = at
    while end < len(rows):
        if not is_table_row(rows[end]) and not _lonely_cell(rows, at, end):
            break
        end += 1
    return end


def _lonely_cell(rows: Sequence[Row], start: int, at: int) -> bool:
    if at == start or at + 1 >= len(rows) or not is_table_row(rows[at + 1]):
        return False
    row, above, below = rows[at], rows[at - 1], rows[at + 1]
    width = max(r.box.x1 for r in rows[start:at]) - min(r.box.x0 for r in rows[start:at])
    height = row.box.y1 - row.box.y0
    near = row.box.y0 - above.box.y1 < 1.2 * height and below.box.y0 - row.box.y1 < 1.2 * height
    return near and row.box.x1 - row.box.x0 < 0.4 * width


def table(rows: Sequence[Row], spelling: Spelling) -> Block:
    """One line a row, cells separated by tabs; an empty cell leaves its tab, so that no value shifts."""
    columns = columns_of(rows)
    aligned = [replace(row, cells=(_aligned(row, columns),)) for row in rows]
    texts = joined_lines(aligned, spelling)
    lines = tuple(Line(text, row.box) for text, row in zip(texts, rows, strict=True) if text)
    return Block("table", lines, header=lines[0].text if _has_header(rows) else "")


def _aligned(row: Row, columns: list[tuple[float, float]]) -> str:
    if not columns or len(row.ranges) in (0, len(columns)):
        return row.text
    places = [place(start, end, columns) for start, end in row.ranges]
    if sorted(set(places)) != places:
        return row.text
    cells = [""] * len(columns)
    for at, cell in zip(places, row.cells, strict=True):
        cells[at] = cell
    return "\t".join(cells).rstrip("\t")


def _has_header(rows: Sequence[Row]) -> bool:
    """The first row names columns when it holds no figures and rows below do."""
    first, rest = rows[0], rows[1:]
    if any(NUMBER.fullmatch(cell) and not re.fullmatch(r"(19|20)\d\d", cell) for cell in first.cells):
        return False
    figures = sum(any(NUMBER.fullmatch(cell) for cell in row.cells) for row in rest)
    return len(rest) >= 2 and figures * 2 >= len(rest) and len(first.cells) * 2 >= max(len(row.cells) for row in rest)
