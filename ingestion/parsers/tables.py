"""Tables as blocks: one line a row, a tab between cells, the header row apart so that every passage can repeat it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingestion.cells import around
from ingestion.parsers.lines import broken, one_line
from ingestion.types import Block, Line

SEPARATOR = "\t"
ACROSS = "\0"  # a cell that the one to its left lies over, too; nobody sees it
LONG_HEADING = 100  # characters; a longer cell is no column name
MAX_COLUMNS = 2_000  # that a cell may be stretched to by spanning
_NUMBER = re.compile(r"^[\s€$£%+\-–(]*\d[\d\s.,'’:/\-]*[\s€$£%)]*$")

_YEAR = re.compile(r"^(?:19|20)\d\d$")  # "2025" over a column of figures is a name

Row = Sequence[str]


def table(rows: Sequence[Row], headers: int | None = None, cells: Sequence[str] = ()) -> Block | None:
    """A table block of `rows`; the first `headers` of them name the columns (None: found out; below a row that is one
    cell from edge to edge, its title). `cells`: the reference of each row, where it stands on a sheet.

    Empty rows and columns that are empty throughout are left out; empty cells between others stay, so that no
    value moves under another column's name.
    """
    kept = _without_empty(rows)
    if not kept:
        return None
    titles = _titles(kept) if headers is None else 0
    if headers is None:
        headers = _headers(kept[titles:])
    start = titles + headers
    top = _merged_names(kept[titles:start])
    shown = kept[:titles] + ([top] if top else []) + kept[start:]
    places = [place for row, place in zip(rows, cells, strict=True) if any(map(one_line, row))] if cells else []
    heads = [around(places[titles:start])] if top else []
    places = places[:titles] + heads + places[start:] if places else [""] * len(shown)
    lines = (line for row, place in zip(shown, places, strict=True) for line in _row_lines(row, place))
    return Block("table", tuple(lines), header=_joined(top))


def _titles(rows: Sequence[Row]) -> int:
    """How many rows on top are one cell that lies over all columns."""
    over = (row[0] not in ("", ACROSS) and len(row) > 1 and set(row[1:]) == {ACROSS} for row in rows[:-1])
    return next((at for at, title in enumerate(over) if not title), 0)


def _headers(rows: Sequence[Row]) -> int:
    """Names over several columns are followed by the names of each of them."""
    if len(rows) > 2 and ACROSS in rows[0] and _are_names(rows[0]) and all(rows[1][1:]) and _are_names(rows[1]):
        return 2
    return 1 if names_columns(rows) else 0


def names_columns(rows: Sequence[Row]) -> bool:
    """True if the first row reads like column names: more rows follow, no empty cell (but the first), no numbers."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    return all(cell not in ("", ACROSS) for cell in rows[0][1:]) and _are_names(rows[0])


def _are_names(row: Row) -> bool:
    texts = [cell for cell in row if cell != ACROSS and not _YEAR.match(cell)]
    return any(texts) and all(len(cell) <= LONG_HEADING and not _NUMBER.match(cell) for cell in texts)


def is_number(cell: str) -> bool:
    """True for figures, amounts and dates: what stands in a table's body and not in its header."""
    return bool(_NUMBER.match(cell))


def repeated(text: str) -> str:
    """What a cell merged over several rows says in the second and later ones: itself, unless it is long."""
    return text if len(text) <= LONG_HEADING else ""


def _without_empty(rows: Sequence[Row]) -> list[list[str]]:
    cleaned = [[cell if cell == ACROSS else one_line(cell) for cell in row] for row in rows]
    cleaned = [row for row in cleaned if any(cell not in ("", ACROSS) for cell in row)]
    used = sorted({column for row in cleaned for column, cell in enumerate(row) if cell not in ("", ACROSS)})
    if used == list(range(len(used))) and all(len(row) == len(used) for row in cleaned):
        return cleaned
    return [[row[column] if column < len(row) else "" for column in used] for row in cleaned]


def _merged_names(rows: Sequence[Row]) -> list[str]:
    """Several header rows as one: "2023" above "Q1" names the column "2023 Q1"."""
    if not rows:
        return []
    rows = [_spread(row) for row in rows] if len(rows) > 1 else rows
    return [one_line(" ".join(dict.fromkeys(cell for cell in column if cell))) for column in zip(*rows, strict=True)]


def _spread(row: Row) -> list[str]:
    """With a name that lies over several columns in each of them."""
    spread: list[str] = []
    for cell in row:
        spread.append(spread[-1] if cell == ACROSS and spread else cell)
    return spread


def _row_lines(row: Row, cells: str) -> list[Line]:
    return [Line(piece, cells=cells) for piece in broken(_joined(row))]


def _joined(row: Row) -> str:
    plain = ["" if cell == ACROSS else cell for cell in row]
    filled = max((index for index, cell in enumerate(plain) if cell), default=-1)
    return SEPARATOR.join(plain[: filled + 1])
