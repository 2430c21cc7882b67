"""The shapes of a slide as blocks: placed from top to bottom and left to right, groups kept together.

python-pptx knows placeholders and groups; what it passes over (SmartArt, alternative content) is read from the XML.
Two shapes count as standing in one row when they overlap vertically by more than half of the lower one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ingestion.parsers.drawings import DRAWN, paragraph
from ingestion.parsers.lines import block
from ingestion.parsers.tables import ACROSS, repeated, table
from ingestion.parsers.whole import whole
from ingestion.types import Block

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_TITLES = {"title", "ctrTitle"}
_FURNITURE = {"sldNum", "dt", "ftr", "hdr"}  # slide number, date, footer: the same on every slide
_MAX_GROUPS = 60

Draw = Callable[[etree._Element], Iterator[Block]]  # what stands in the chart or SmartArt behind an element


@dataclass(frozen=True)
class Placed:
    """What a shape holds, and where it stands on the slide."""

    top: int
    left: int
    height: int
    order: int
    found: tuple[Block, ...]


def blocks(slide: Any, draw: Draw) -> Iterator[Block]:
    """Title first, then the other shapes as one reads them."""
    placed = [_placed(order, shape, draw, 0) for order, shape in enumerate(slide.shapes)]
    placed += [_alternative(len(placed) + order, item) for order, item in enumerate(_alternatives(slide))]
    titles = [item for item in placed if item.found and item.found[0].kind == "heading"]
    others = [item for item in placed if item not in titles]
    for item in [*in_order(titles), *in_order(others)]:
        yield from item.found


def _placed(order: int, shape: Any, draw: Draw, depth: int) -> Placed:
    """A shape with its place. What cannot be told of a damaged shape counts as zero."""
    try:
        top, left, height = shape.top or 0, shape.left or 0, shape.height or 0
    except (ValueError, KeyError, AttributeError):
        top = left = height = 0
    return Placed(top, left, height, order, tuple(_read(shape, draw, depth)))


def _read(shape: Any, draw: Draw, depth: int) -> Iterator[Block]:
    element = shape._element
    if element.tag == f"{_P}grpSp":
        if depth < _MAX_GROUPS:
            inner = [_placed(order, item, draw, depth + 1) for order, item in enumerate(shape.shapes)]
            for item in in_order(inner):
                yield from item.found
    elif getattr(shape, "has_table", False):
        yield from _table(element)
    elif element.tag == f"{_P}graphicFrame":
        for item in element.iter(*DRAWN):
            yield from draw(item)
    elif _kind(element) not in _FURNITURE:
        yield from _text(element, _kind(element))


def in_order(placed: Sequence[Placed]) -> list[Placed]:
    """As one reads them: row by row, from left to right."""
    rows: list[list[Placed]] = []
    for item in sorted(placed, key=lambda item: (item.top, item.left, item.order)):
        if rows and _beside(rows[-1][0], item):
            rows[-1].append(item)
        else:
            rows.append([item])
    return [item for row in rows for item in sorted(row, key=lambda item: (item.left, item.top, item.order))]


def _beside(first: Placed, item: Placed) -> bool:
    overlap = min(first.top + first.height, item.top + item.height) - item.top
    return overlap * 2 > min(item.height, first.height) > 0


def _kind(element: etree._Element) -> str:
    """The placeholder's type, "" for other shapes."""
    holder = next(element.iter(f"{_P}ph"), None)
    return holder.get("type", "") if holder is not None else ""


def _text(element: etree._Element, kind: str) -> Iterator[Block]:
    filled = [text for text in (paragraph(item) for item in element.iter(f"{_A}p")) if text.strip()]
    if kind in _TITLES:
        yield from filter(None, [block("heading", " ".join(" ".join(text.split()) for text in filled), level=1)])
        return
    text = "\n".join(filled)
    several = len(filled) > 1 and kind != "subTitle"
    yield from filter(None, [block("list" if several else "paragraph", text)])


def _table(element: etree._Element) -> Iterator[Block]:
    found = next(element.iter(f"{_A}tbl"), None)
    if found is None:
        return
    rows: list[list[str]] = []
    for row in found.iter(f"{_A}tr"):
        above = rows[-1] if rows else []
        rows.append([_cell(cell, column, above) for column, cell in enumerate(row.iter(f"{_A}tc"))])
    properties = found.find(f"{_A}tblPr")
    named = properties is not None and properties.get("firstRow") in ("1", "true") and len(rows) > 1
    yield from filter(None, [table(rows, 1 if named and ACROSS not in rows[0] else None)])


def _cell(cell: etree._Element, column: int, above: Sequence[str]) -> str:
    """A cell merged over rows stands in each of them, one merged over columns stands once."""
    if cell.get("vMerge") in ("1", "true"):
        return repeated(above[column]) if column < len(above) else ""
    if cell.get("hMerge") in ("1", "true"):
        return ACROSS
    return " ".join(paragraph(item) for item in cell.iter(f"{_A}p"))


def _alternatives(slide: Any) -> list[etree._Element]:
    """Shapes in alternative renderings, of which the first is taken; python-pptx passes over them."""
    found = [
        next((c for c in item if isinstance(c.tag, str)), None)
        for item in slide._element.iter(f"{_MC}AlternateContent")
    ]
    return [item for item in found if item is not None]


def _alternative(order: int, choice: etree._Element) -> Placed:
    offset = next(choice.iter(f"{_A}off"), None)
    top, left = (whole(offset.get(name), 0, 10**9) if offset is not None else 0 for name in ("y", "x"))
    return Placed(top, left, 0, order, tuple(_text(choice, "")))
