"""Rows of a table whose cells run over several lines: the lines of each become one row, so that what belongs together
is read together.

Only where white space parts the rows more widely than the lines in them, each cell begins on its row's first line, and
the lines below go on with its words; other tables are left as they are, line by line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ingestion.layout.places import NUMBER, columns_of, place
from ingestion.layout.types import Row
from ingestion.layout.words import HYPHENS, Spelling, joined_lines
from ingestion.types import Box

APART = 0.3  # heights of white space by which rows are further apart than their lines
ONWARD = 0.25  # of the lines of cells go on with a sentence
OVERHANG = 4.0  # points that a cell may begin left of its column


def with_whole_cells(rows: Sequence[Row], spelling: Spelling) -> list[Row]:
    """The rows of one region, those of one table row as one."""
    found: list[Row] = []
    for run in _runs(_groups(rows)):
        found += _whole(run, spelling) or [row for group in run for row in group]
    return found


def _groups(rows: Sequence[Row]) -> list[list[Row]]:
    """Lines that stand close to each other."""
    gaps = sorted(after.box.y0 - row.box.y1 for row, after in pairwise(rows))
    groups: list[list[Row]] = []
    for at, row in enumerate(rows):
        height = row.box.y1 - row.box.y0
        usual = gaps[len(gaps) // 4] if gaps else 0.0
        if at and abs(row.box.y0 - rows[at - 1].box.y1 - usual) <= APART * height and not row.outline[0]:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _runs(groups: Sequence[list[Row]]) -> Iterator[list[list[Row]]]:
    """Groups that may be rows of one table, and each other one for itself."""
    run: list[list[Row]] = []
    for group in groups:
        begins = len(group[0].cells) >= 2 and not any(row.aside or row.outline[0] for row in group)
        if run and not begins:
            yield run
            run = []
        if begins:
            run.append(group)
        else:
            yield [group]
    if run:
        yield run


def _whole(groups: Sequence[Sequence[Row]], spelling: Spelling) -> list[Row]:
    """One row a group; none where the groups are not rows whose cells go on."""
    if len(groups) < 2 or all(len(group) == 1 for group in groups):
        return []
    columns = columns_of([group[0] for group in groups])
    if not columns:
        return []
    placed = [[_placed(row, columns) for row in group] for group in groups]
    tall = [lines for lines in placed if len(lines) > 1]
    if not all(map(_is_row, tall)) or _onward(tall) < ONWARD:
        return []
    return [
        _joined(group, lines, spelling) if len(group) > 1 else group[0]
        for group, lines in zip(groups, placed, strict=True)
    ]


def _placed(row: Row, columns: Sequence[tuple[float, float]]) -> dict[int, str]:
    """The row's cells by their columns; none if one does not fit into a column of its own."""
    cells: dict[int, str] = {}
    for (start, end), text in zip(row.ranges, row.cells, strict=True):
        at = place(start, end, columns)
        after = columns[at + 1][0] if at + 1 < len(columns) else end
        if at in cells or start < columns[at][0] - OVERHANG or end > after:
            return {}
        cells[at] = text
    return cells


def _is_row(lines: Sequence[dict[int, str]]) -> bool:
    """Does every cell begin on the first line, and is no line below it a row by itself?"""
    below = pairwise(lines)
    return bool(lines[0]) and all(
        line and set(line) <= set(lines[0]) and not _stands_alone(before, line) for before, line in below
    )


def _stands_alone(before: dict[int, str], line: dict[int, str]) -> bool:
    """Nothing but figures, or something new in the first column."""
    new = 0 in line and not (line[0][0].islower() or before.get(0, "").endswith(HYPHENS))
    return new or all(NUMBER.fullmatch(text) for text in line.values())


def _onward(rows: Sequence[Sequence[dict[int, str]]]) -> float:
    """Share of the lines of cells that go on with what the line above began."""
    goes = [
        text[0].islower() or _is_open(before[at])
        for lines in rows
        for before, line in pairwise(lines)
        for at, text in line.items()
        if at in before
    ]
    return sum(goes) / max(len(goes), 1)


def _is_open(text: str) -> bool:
    """Ends within a sentence: in a comma, a hyphen or a word that is written small."""
    last = text.rsplit(maxsplit=1)[-1]
    return text.endswith((",", *HYPHENS)) or (last.isalpha() and last[0].islower())


def _joined(rows: Sequence[Row], lines: Sequence[dict[int, str]], spelling: Spelling) -> Row:
    cells, ranges = [], []
    for at, (start, end) in zip(sorted(lines[0]), rows[0].ranges, strict=True):
        parts = [
            replace(row, cells=(line[at],), hyphen=row.hyphen and at == max(line))
            for row, line in zip(rows, lines, strict=True)
            if at in line
        ]
        cells.append(" ".join(text for text in joined_lines(parts, spelling) if text))
        ranges.append((start, end))
    boxes = [row.box for row in rows]
    around = Box(min(b.x0 for b in boxes), boxes[0].y0, max(b.x1 for b in boxes), max(b.y1 for b in boxes))
    return replace(rows[0], cells=tuple(cells), ranges=tuple(ranges), box=around, hyphen=False)
