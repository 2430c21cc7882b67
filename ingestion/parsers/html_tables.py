"""The grid behind an HTML table: cells under the right column whatever they span, inner tables set apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

from ingestion.parsers.tables import ACROSS, MAX_COLUMNS, repeated
from ingestion.parsers.whole import whole
from ingestion.signs import raised

MAX_DEPTH = 12  # tables in tables; deeper ones are read as running text
_LAYOUT_CELL = 1_500  # characters; a longer cell is a column of a page, not of a table
_PARTS = frozenset({"thead", "tbody", "tfoot"})
_BREAKING_NAMES = "p div br li dt dd tr td th ul ol dl table h1 h2 h3 h4 h5 h6 pre blockquote"
_BREAKING = frozenset(_BREAKING_NAMES.split())
Unshown = Callable[[etree._Element], bool]


@dataclass(frozen=True)
class Grid:
    """`rows` as cells; the first `headers` rows name the columns (None: not said); `inner` are tables in cells."""

    rows: list[list[str]]
    headers: int | None
    caption: str
    inner: list[etree._Element]


def is_layout(element: etree._Element) -> bool:
    """True if the table only arranges a page: one column, headings or whole articles in its cells."""
    if element.get("role") in {"presentation", "none"}:
        return True
    cells = [[cell for cell in row if cell.tag in ("td", "th")] for row in _rows(element)]
    if max((len(row) for row in cells), default=0) < 2:
        return True
    flat = [cell for row in cells for cell in row]
    if any(_length(cell) > _LAYOUT_CELL for cell in flat):
        return True
    return any(next(cell.iter("h1", "h2", "h3"), None) is not None for cell in flat if cell.tag == "td")


def grid(element: etree._Element, unshown: Unshown) -> Grid:
    """The table's rows. A cell that spans rows stands in each of them; one that spans columns stands once."""
    rows: list[list[str]] = []
    heads: list[bool] = []
    inner: list[etree._Element] = []
    below: dict[int, tuple[str, int]] = {}  # column -> text of a cell from above, rows it still covers
    for row in _rows(element):
        if unshown(row):
            continue
        cells = [cell for cell in row if cell.tag in ("td", "th") and not unshown(cell)]
        rows.append(_place(cells, below, inner, unshown))
        heads.append(bool(cells) and (row.getparent().tag == "thead" or all(cell.tag == "th" for cell in cells)))
    captions = [_text(child, inner, unshown) for child in element if child.tag == "caption"]
    return Grid(rows, _leading(heads), " ".join(captions), inner)


def _rows(element: etree._Element) -> list[etree._Element]:
    parts = [part for part in element if part.tag in _PARTS or part.tag == "tr"]
    return [row for part in parts for row in ([part] if part.tag == "tr" else part.iterchildren("tr"))]


def _place(
    cells: list[etree._Element],
    below: dict[int, tuple[str, int]],
    inner: list[etree._Element],
    unshown: Unshown,
) -> list[str]:
    row: list[str] = []
    waiting = list(reversed(cells))
    while waiting or any(column >= len(row) for column in below):
        column = len(row)
        if column in below:
            text, left = below.pop(column)
            row.append(text)
            if left > 1:
                below[column] = (text, left - 1)
        elif waiting and column < MAX_COLUMNS:
            cell = waiting.pop()
            text, wide, high = _text(cell, inner, unshown), _span(cell, "colspan"), _span(cell, "rowspan")
            for offset in range(min(wide, MAX_COLUMNS - column)):
                row.append(ACROSS if offset else text)
                if high > 1:
                    below[column + offset] = (ACROSS if offset else repeated(text), high - 1)
        elif waiting:
            row[-1] = f"{row[-1]} {_text(waiting.pop(), inner, unshown)}"
        else:
            row.append("")
    return row


def _text(cell: etree._Element, inner: list[etree._Element], unshown: Unshown) -> str:
    """The cell's text on one line, list items with "; " between them; tables in it go to `inner`."""
    out: list[str] = []
    skipped: etree._Element | None = None
    walk = etree.iterwalk(cell, events=("start", "end"))
    for event, element in walk:
        if element.tag in _BREAKING:
            out.append(" ")
        if event == "start":
            if element is not cell and (element.tag == "table" or unshown(element)):
                if element.tag == "table" and not unshown(element):
                    inner.append(element)
                skipped = element
                walk.skip_subtree()
                continue
            if element.tag == "li" and element.getprevious() is not None:
                out.append("; ")
            out.append(raised(element.text or "") if element.tag == "sup" else element.text or "")
        elif element is not cell:
            out.append(element.tail or "")
    del skipped
    return " ".join("".join(out).split()).replace(" ; ", "; ")


def _length(cell: etree._Element) -> int:
    return sum(len(text) for text in cell.itertext())


def _span(cell: etree._Element, name: str) -> int:
    return max(whole(cell.get(name), 1, 1_000), 1)


def _leading(heads: list[bool]) -> int | None:
    """How many rows from the top are header rows; None if the table does not say or would be nothing else."""
    count = next((index for index, head in enumerate(heads) if not head), len(heads))
    return count if 0 < count < len(heads) else None
