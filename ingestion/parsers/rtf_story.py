"""Puts the paragraphs and cells of an RTF story (body, header, note) together as blocks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingestion.parsers.lines import block
from ingestion.parsers.tables import MAX_COLUMNS, repeated, table
from ingestion.types import Block

SLACK = 60  # twips (a millimetre) that edges of one column may lie apart
MAX_AREA = 2_000_000  # cells of a table that is laid out by its edges


@dataclass
class CellStyle:
    """What the definition of a row says of a cell: its right edge (in twips), whether it goes on from above."""

    edge: int = 0
    from_above: bool = False


@dataclass(frozen=True)
class _Row:
    cells: list[str]
    styles: list[CellStyle]


@dataclass
class Paragraph:
    """How the paragraph that ends is set: heading level (0: text), item of a list, depth in tables."""

    level: int = 0
    in_list: bool = False
    is_title: bool = False
    depth: int = 0


@dataclass
class Story:
    """Text goes to `text` and is taken from there when a paragraph, cell or row ends. `after` holds notes that follow
    the paragraph or table they were met in."""

    text: list[str] = field(default_factory=list)
    mark: str = ""
    after: list[Block] = field(default_factory=list)
    title: str = ""
    found: list[Block] = field(default_factory=list)
    styles: list[CellStyle] = field(default_factory=lambda: [CellStyle()])
    header: bool = False  # the row that is being read names the columns
    _cell: list[str] = field(default_factory=list)
    _row: list[str] = field(default_factory=list)
    _rows: list[_Row] = field(default_factory=list)
    _headers: int = 0
    _inner: list[str] = field(default_factory=list)
    _inner_row: list[str] = field(default_factory=list)
    _inner_rows: list[list[str]] = field(default_factory=list)

    def end_paragraph(self, style: Paragraph) -> None:
        """\\par and its like."""
        text, mark = self._taken()
        if style.depth:
            cell = self._inner if style.depth > 1 else self._cell
            cell += [mark + text] if text else []
            return
        self.end_table()
        if text:
            self.found += filter(None, [self._shaped(text, mark, style)])
        self._place_notes()

    def end_cell(self, inner: bool = False) -> None:
        """\\cell, or \\nestcell of a table in a cell."""
        text, mark = self._taken()
        cell, row = (self._inner, self._inner_row) if inner else (self._cell, self._row)
        said = " ".join([*cell, mark + text if text else ""]).strip()
        cell.clear()
        if len(row) < MAX_COLUMNS:
            row.append(said)

    def end_row(self, inner: bool = False) -> None:
        """\\row, or \\nestrow."""
        if inner:
            self._inner_rows.append(list(self._inner_row))
            self._inner_row.clear()
            return
        if self._cell or "".join(self.text).strip():
            self.end_cell()
        if self._inner_rows:
            self.after += filter(None, [table(self._inner_rows)])
            self._inner_rows = []
        if self.header and self._headers == len(self._rows):
            self._headers += 1
        self._rows.append(_Row(self._row, self.styles))
        self._row = []

    def end_table(self) -> None:
        """What follows is no row."""
        if self._row or self._cell or self._inner_rows:
            self.end_row()
        if self._rows:
            headers = self._headers if 0 < self._headers < len(self._rows) else None
            self.found += self._laid_out() if self._is_layout() else filter(None, [table(_grid(self._rows), headers)])
            self._place_notes()
        self._rows, self._headers, self.header = [], 0, False

    def end(self) -> list[Block]:
        """The story is over: its blocks."""
        self.end_paragraph(Paragraph())
        return self.found

    def _is_layout(self) -> bool:
        return max(len(row.cells) for row in self._rows) < 2

    def _laid_out(self) -> Iterator[Block]:
        yield from filter(None, (block("paragraph", cell) for row in self._rows for cell in row.cells if cell))

    def _shaped(self, text: str, mark: str, style: Paragraph) -> Block | None:
        if style.is_title and not self.title:
            self.title = text
        if style.level or style.is_title:
            return block("heading", mark + " ".join(text.split()), level=style.level or 1)
        return block("list" if mark or style.in_list else "paragraph", mark + text)

    def _place_notes(self) -> None:
        self.found += self.after
        self.after = []

    def _taken(self) -> tuple[str, str]:
        text, mark = "".join(self.text).strip(), " ".join(self.mark.split())
        self.text.clear()
        self.mark = ""
        if mark and not any(letter.isalnum() for letter in mark):
            mark = "-"
        return text, f"{mark} " if mark else ""


def _grid(rows: list[_Row]) -> list[list[str]]:
    """Cells under the right column: those of all rows whose edges lie over each other make one. A cell that spans rows
    stands in each of them, one that spans columns stands once."""
    edges = _edges(rows)
    if not edges or len(edges) > MAX_COLUMNS or len(edges) * len(rows) > MAX_AREA:
        return [row.cells for row in rows]
    found: list[list[str]] = []
    for row in rows:
        texts = [""] * (len(edges) + 1)
        left = 0
        for cell, style in zip(row.cells, row.styles, strict=False):
            goes_on = style.from_above and not cell and found
            texts[left] = repeated(found[-1][left]) if goes_on else cell
            left = max(bisect_left(edges, style.edge - SLACK) + 1, left + 1)
            if left > len(edges):
                break
        found.append(texts + row.cells[len(row.styles) :])
    return found


def _edges(rows: list[_Row]) -> list[int]:
    """The right edges of the table's columns; [] if a row does not say where its cells end."""
    if any(len(row.styles) <= len(row.cells) for row in rows):
        return []
    edges: list[int] = []
    for edge in sorted({style.edge for row in rows for style in row.styles[: len(row.cells)]}):
        if not edges or edge > edges[-1] + SLACK:
            edges.append(edge)
    return edges
