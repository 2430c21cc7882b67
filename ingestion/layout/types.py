"""Pieces of a page on their way to blocks. Coordinates are points, top-left origin, in the frame text reads in."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.types import Box


@dataclass(frozen=True, slots=True)
class Segment:
    """Characters printed next to each other without a wide gap: a line of a paragraph, a cell, a superscript.
    `hyphen`: ends in a hyphen that divides a word; `upright` is False for text that runs down or up the page."""

    text: str
    box: Box
    size: float
    bold: bool
    hyphen: bool = False
    upright: bool = True

    @property
    def middle(self) -> float:
        return (self.box.y0 + self.box.y1) / 2


@dataclass(frozen=True, slots=True)
class Row:
    """One printed line: its cells from first to last (one cell: running text) and their x ranges. `aside`: it does not
    run across the page (a note in the margin, a watermark). `outline`: number and level of the entry of the document's
    outline that names it."""

    cells: tuple[str, ...]
    ranges: tuple[tuple[float, float], ...]
    box: Box
    size: float
    bold: bool
    hyphen: bool
    aside: bool = False
    outline: tuple[int, int] = (0, 0)

    @property
    def text(self) -> str:
        return "\t".join(self.cells)


@dataclass(frozen=True, slots=True)
class PageRows:
    """A page in reading order: regions (columns, or bands across the page) of rows."""

    number: int
    width: float
    height: float
    regions: tuple[tuple[Row, ...], ...]

    @property
    def letters(self) -> int:
        return sum(sum(map(len, row.cells)) + len(row.cells) - 1 for region in self.regions for row in region)
