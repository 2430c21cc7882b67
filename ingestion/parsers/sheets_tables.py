"""Finds the tables on a sheet: titles above them, column names of one or two rows, blank rows between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ingestion.parsers.lines import block
from ingestion.parsers.sheets_regions import Row, regions
from ingestion.parsers.tables import LONG_HEADING, repeated, table
from ingestion.types import Block, Refused

Place = tuple[int, int]
Merged = list[tuple[Place, Place]]  # first and last cell of each merged range
_UNNAMED = re.compile(r"^(sheet|tabelle|feuil|hoja|foglio|blad|ark|arkusz|list|munka)\s?\d*$", re.IGNORECASE)
_YEAR = re.compile(r"^(19|20)\d\d$")


def empty_workbook() -> Refused:
    """The refusal for a workbook without a figure or word."""
    return Refused("empty", "This workbook has no filled cell. Check the original and upload it again.")


def blocks(name: str, rows: list[Row], merged: Merged) -> Iterator[Block]:
    """The blocks of a sheet. Its name comes first as a heading, unless it says nothing ("Sheet1")."""
    if rows and not _UNNAMED.match(name):
        yield from filter(None, [block("heading", name, level=1)])
    header, columns = "", (0, 0)
    for group in _joined(list(regions(rows)), merged):
        titles, body = _split(group, merged)
        for row in titles:
            yield from filter(None, [_title(row)])
        if not body:
            continue
        places = [row.reference for row in body]
        body = _filled_down(body, merged)
        headers = _header_rows(body, merged)
        found = table([row.cells for row in _filled_across(body, headers, merged)], headers, places)
        span = (min(row.filled[0] for row in body), max(row.filled[-1] for row in body))
        if found and not headers and header and span == columns:
            found = replace(found, header=header)
        if found:
            yield found
            header, columns = (found.header, span) if found.header else ("", (0, 0))


def _title(row: Row) -> Block | None:
    found = block("paragraph", " ".join(cell for cell in row.cells if cell))
    return found and replace(found, lines=tuple(replace(line, cells=row.reference) for line in found.lines))


def _joined(groups: list[list[Row]], merged: Merged) -> Iterator[list[Row]]:
    """Column names set off from their figures by one blank row go with the figures."""
    held: list[Row] = []
    for group in groups:
        if held and held[-1].number + 2 == group[0].number and any(group[0].figures):
            held, group = [], held + group  # noqa: PLW2901
        elif held:
            yield held
        held = []
        names = _split(group, merged)[1]
        if names and len(names) <= 3 and all(_names(row) for row in names) and len(names[-1].filled) > 1:
            held = group
        else:
            yield group
    if held:
        yield held


def _split(group: list[Row], merged: Merged) -> tuple[list[Row], list[Row]]:
    """Title rows (one filled text cell, before the first row with several) and the rest."""
    start = 0
    while start < len(group) and _is_title(group[start], group, merged):
        start += 1
    if start + 2 < len(group) and _is_caption(group[start], group[start + 1], merged):
        start += 1
    if all(len(row.filled) == 1 for row in group):  # a list in one column
        return ([], group) if any(any(row.figures) for row in group) else (group, [])
    return group[:start], group[start:]


def _is_title(row: Row, group: list[Row], merged: Merged) -> bool:
    """One text alone in its row. Merged over some columns, but not from the first on, it names those columns."""
    if len(row.filled) != 1 or any(row.figures):
        return False
    first = min(other.filled[0] for other in group)
    return row.filled[0] == first or not _spans_columns(row, merged)


def _is_caption(row: Row, names: Row, merged: Merged) -> bool:
    """A sparse row above the column names ("In millions of CHF ... January-June 2023") holds for all columns."""
    sparse = len(row.filled) * 2 <= len(names.filled)
    return sparse and _names(row) and _names(names) and not _spans_columns(row, merged)


def _header_rows(body: list[Row], merged: Merged) -> int:
    if len(body) < 2 or not _names(body[0]):
        return 0
    if len(body) > 2 and _names(body[1]) and _spans_columns(body[0], merged):
        return 2
    below = [row for row in body[1:50] if any(row.figures)]
    full = set(body[1].filled[1:]) <= set(body[0].filled)
    return 1 if below or full else 0


def _names(row: Row) -> bool:
    """True if the row may hold column names: texts (or years) only, none long."""
    texts = [row.cells[column] for column in row.filled if not _YEAR.match(row.cells[column])]
    figures = [column for column in row.filled if row.figures[column] and not _YEAR.match(row.cells[column])]
    return not figures and bool(texts or row.filled) and all(len(text) <= LONG_HEADING for text in texts)


def _spans_columns(row: Row, merged: Merged) -> bool:
    return any(first[0] <= row.number <= last[0] and last[1] > first[1] for first, last in merged)


def _filled_down(body: list[Row], merged: Merged) -> list[Row]:
    """A cell merged over several rows belongs to each of them."""
    at = {row.number: index for index, row in enumerate(body)}
    cells = [list(row.cells) for row in body]
    for (top, left), (bottom, _) in merged:
        if top in at and bottom > top and left < len(cells[at[top]]):
            for number in range(top + 1, bottom + 1):
                if number in at and left < len(cells[at[number]]) and not cells[at[number]][left]:
                    cells[at[number]][left] = repeated(cells[at[top]][left])
    return [replace(row, cells=tuple(filled)) for row, filled in zip(body, cells, strict=True)]


def _filled_across(body: list[Row], headers: int, merged: Merged) -> list[Row]:
    """With two header rows, a name merged over several columns belongs to each of them."""
    if headers < 2:
        return body
    top = list(body[0].cells)
    for (first_row, left), (_, right) in merged:
        if first_row == body[0].number:
            for column in range(left + 1, min(right, len(top) - 1) + 1):
                top[column] = top[column] or top[left]
    return [replace(body[0], cells=tuple(top)), *body[1:]]
