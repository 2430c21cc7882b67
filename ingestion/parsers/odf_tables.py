"""Rows and cells of OpenDocument tables and sheets: what is repeated is written out within bounds, spans are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lxml import etree

from ingestion.parsers.odf import OFFICE, TABLE
from ingestion.parsers.tables import ACROSS, MAX_COLUMNS, repeated
from ingestion.parsers.whole import whole
from ingestion.types import Refused

MOST_ROWS = 2**20  # of a sheet, as office programs have it
MOST_COLUMNS = 2**14
MAX_GRID = 2_000_000  # cells of one table in a text or on a slide
MAX_COPIES = 1_000  # of a filled row or cell that is written once and said to repeat
TOO_MANY_CELLS = "A table in this file has more cells than can be read. Split the table and upload the file again."
_GROUPS = frozenset(f"{TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group"))
_CELL, _COVERED = f"{TABLE}table-cell", f"{TABLE}covered-table-cell"


@dataclass(frozen=True)
class Cell:
    """A cell with its column from 0 and how many columns and rows it spans. `covered`: another cell lies over it."""

    column: int
    element: etree._Element
    wide: int = 1
    high: int = 1
    covered: bool = False


def rows(table: etree._Element, header: bool = False) -> Iterator[tuple[etree._Element, bool]]:
    """The rows of this table (not of tables in it), and whether each is a header row."""
    for child in table:
        if child.tag == f"{TABLE}table-row":
            yield child, header
        elif child.tag in _GROUPS:
            yield from rows(child, header or child.tag == f"{TABLE}table-header-rows")


def cells(row: etree._Element, most: int) -> Iterator[Cell]:
    """The cells of a row that hold something or are covered, at most up to column `most`; repeated ones each."""
    column = 0
    for element in row:
        if element.tag not in (_CELL, _COVERED):
            continue
        times = max(whole(element.get(f"{TABLE}number-columns-repeated"), 1, MOST_COLUMNS), 1)
        if len(element) or element.tag == _COVERED or element.get(f"{OFFICE}value-type"):
            wide, high = _span(element, "columns", MOST_COLUMNS), _span(element, "rows", MOST_ROWS)
            for copy in range(min(times, MAX_COPIES, most - column)):
                yield Cell(column + copy, element, wide, high, element.tag == _COVERED)
        column += times
        if column >= most:
            return


def copies(row: etree._Element) -> int:
    """How many times the row stands there."""
    return max(whole(row.get(f"{TABLE}number-rows-repeated"), 1, MOST_ROWS), 1)


def grid(table: etree._Element, read: Callable[[etree._Element], str]) -> tuple[list[list[str]], int | None]:
    """The texts of a table's cells, and how many rows name the columns (None: not said). A cell that spans rows
    stands in each of them, one that spans columns stands once, over several header rows in each column.

    Raises `Refused` "too_large".
    """
    marked = list(rows(table))
    headers = next((at for at, (_, header) in enumerate(marked) if not header), len(marked))
    found: list[list[str]] = []
    below: dict[int, tuple[str, int]] = {}  # column -> text of a cell from above, rows it still covers
    left = MAX_GRID
    for number, (row, _) in enumerate(marked):
        texts = _texts(row, read, below, across=headers > 1 and number < headers)
        times = min(copies(row), MAX_COPIES) if any(texts) else 1
        left -= len(texts) * times
        if left < 0:
            raise Refused("too_large", TOO_MANY_CELLS)
        found += [texts] * times
    if not headers and table.get(f"{TABLE}use-first-row-styles") == "true":
        headers = 1
    return found, headers if 0 < headers < len(marked) else None


def _texts(
    row: etree._Element, read: Callable[[etree._Element], str], below: dict[int, tuple[str, int]], across: bool
) -> list[str]:
    texts: list[str] = []
    last, said = None, ""  # a cell that repeats is read once
    for cell in cells(row, MAX_COLUMNS):
        texts += [""] * (cell.column + 1 - len(texts))
        if not cell.covered and cell.element is not last:
            last, said = cell.element, read(cell.element)
        text, left = below.pop(cell.column, ("", 0)) if cell.covered else (said, cell.high)
        texts[cell.column] = text or texts[cell.column]
        if left > 1:
            below[cell.column] = (repeated(text), left - 1)
        for column in range(cell.column + 1, min(cell.column + cell.wide, MAX_COLUMNS)):
            texts += [""] * (column + 1 - len(texts))
            texts[column] = text if across else ACROSS
    return texts


def _span(element: etree._Element, kind: str, most: int) -> int:
    said = element.get(f"{TABLE}number-{kind}-spanned")
    return max(whole(said, 1, most), 1) if said else 1
