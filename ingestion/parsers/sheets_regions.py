"""Parts of a sheet that belong together: rows without a blank one between them, and tables side by side told apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingestion.cells import reference

_BESIDE = 20  # tables next to each other
MAX_AREA = 500_000  # cells; in a larger part no tables side by side are looked for


@dataclass(frozen=True)
class Row:
    """A row of a sheet: its number from 0, its cells as text, and which of them are figures or dates."""

    number: int
    cells: tuple[str, ...]
    figures: tuple[bool, ...]

    @property
    def filled(self) -> list[int]:
        return [column for column, cell in enumerate(self.cells) if cell]

    @property
    def reference(self) -> str:
        filled = self.filled
        return reference(self.number, filled[0], filled[-1]) if filled else ""


def regions(rows: Sequence[Row], depth: int = 0) -> Iterator[list[Row]]:
    """The parts of a sheet, from top to bottom; of tables side by side the left one first."""
    for group in _groups(rows):
        column = _between(group) if depth < _BESIDE else 0
        if column:
            yield from regions(_part(group, 0, column), depth + 1)
            yield from regions(_part(group, column, max(len(row.cells) for row in group)), depth + 1)
        else:
            yield group


def _groups(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Rows that follow each other without a blank one."""
    group: list[Row] = []
    for row in rows:
        if group and row.number != group[-1].number + 1:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _between(group: list[Row]) -> int:
    """An empty column that parts two tables (0: none): names begin on one side of it in the midst of figures on the
    other. An empty column alone parts nothing: figures are often set off from the names of their rows."""
    if sum(len(row.cells) for row in group) > MAX_AREA:
        return 0
    filled = [row.filled for row in group]
    used = {column for columns in filled for column in columns}
    gaps = sorted(column + 1 for column in used if column + 1 not in used)[:-1][:_BESIDE]
    found = (at for at in gaps if _begins(group, filled, at, right=True) or _begins(group, filled, at, right=False))
    return next(found, 0)


def _begins(group: list[Row], filled: list[list[int]], gap: int, right: bool) -> bool:
    first = next((at for at, columns in enumerate(filled) if any((there > gap) == right for there in columns)), 0)
    if first == 0 or first + 1 >= len(group):
        return False
    here = [there for there in filled[first] if (there > gap) == right]
    beside = [there for there in filled[first] if (there > gap) != right]
    figures = group[first].figures
    return len(here) > 1 and not any(figures[at] for at in here) and any(figures[at] for at in beside)


def _part(group: list[Row], start: int, end: int) -> list[Row]:
    """The columns from `start` to before `end`; rows that have nothing there are left out."""
    cut = [
        Row(
            row.number,
            tuple(cell if start <= column < end else "" for column, cell in enumerate(row.cells)),
            tuple(figure and start <= column < end for column, figure in enumerate(row.figures)),
        )
        for row in group
    ]
    return [row for row in cut if any(row.cells)]
