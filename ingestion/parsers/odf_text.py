"""Walks OpenDocument text (a body, a shape, a cell) and yields its blocks in reading order.

Deleted text is kept apart in such files and is not read; notes and comments come as blocks of their own after the
paragraph that refers to them. XML is at most 256 levels deep here, so recursion along the tree is bounded too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from ingestion.parsers.lines import block
from ingestion.parsers.odf import CHART, DC, DRAW, OFFICE, SVG, TABLE, TEXT, XLINK, Document
from ingestion.parsers.odf_lists import OUTLINE, Lists
from ingestion.parsers.odf_tables import cells, grid, rows
from ingestion.parsers.tables import MAX_COLUMNS, table
from ingestion.parsers.whole import whole
from ingestion.signs import raised
from ingestion.types import Block

_SPACE = re.compile(r"[ \t\r\n]+")
_CONTENTS = "table-of-content illustration-index table-index object-index user-index alphabetical-index"
_COUNTED = "page-number page-count page-continuation placeholder script hidden-text ruby-text number"
_DECLARED = "sequence-decls variable-decls user-field-decls dde-connection-decls bibliography-source"
_SKIPPED = frozenset(
    [
        *(f"{TEXT}{name}" for name in f"{_CONTENTS} {_COUNTED} {_DECLARED}".split()),
        *(f"{OFFICE}{name}" for name in ("forms", "scripts", "event-listeners", "annotation-end", "binary-data")),
        *(f"{DRAW}{name}" for name in ("image", "plugin", "applet", "glue-point", "enhanced-geometry", "image-map")),
        *(f"{SVG}{name}" for name in ("title", "desc")),
        f"{TABLE}tracked-changes",
        f"{TABLE}desc",
        f"{TABLE}title",
    ]
)
_SIGNS = {f"{TEXT}s": " ", f"{TEXT}tab": " ", f"{TEXT}line-break": "\n"}
_NOTES = (f"{TEXT}note", f"{OFFICE}annotation")
_PARAGRAPHS = (f"{TEXT}p", f"{TEXT}h")
_MATH = "{http://www.w3.org/1998/Math/MathML}math"
_LAYOUT_CELL = 1_500  # characters; a longer cell is a column of a page, not of a table
_MAX_TABLES = 40  # tables in tables; text of deeper ones is read as running text


class Story:
    """Reads the texts of one document. `title`, `hidden`, `changes` and `embedded` tell afterwards what was met."""

    def __init__(self, document: Document, bullet: str = "- ") -> None:
        self.title = ""
        self.hidden = False
        self.changes = False
        self.embedded = 0
        self._document = document
        self._lists = Lists(document.roots, bullet)
        self._after: list[etree._Element] = []  # notes, comments and drawings met in the paragraph being read
        self._tables = 0

    def blocks(self, parent: etree._Element) -> Iterator[Block]:
        """The blocks of all that stands in `parent`."""
        for child in parent:
            if isinstance(child.tag, str) and child.tag not in _SKIPPED:
                yield from self.block(child)

    def block(self, element: etree._Element) -> Iterator[Block]:
        """The blocks of one element."""
        tag = element.tag
        if tag in _PARAGRAPHS:
            yield from self._paragraph(element)
        elif tag == f"{TEXT}list":
            yield from self._list(element, "", 1)
        elif tag == f"{TABLE}table":
            yield from self._table(element)
        elif tag == f"{TEXT}tracked-changes":
            self.changes |= len(element) > 0
        elif tag in _NOTES:
            yield from self._note(element)
        elif tag in (f"{DRAW}object", f"{DRAW}object-ole"):
            yield from self._object(element)
        elif tag == f"{TEXT}section" and self._is_hidden_section(element):
            self.hidden = True
        else:
            yield from self.blocks(element)

    def text(self, cell: etree._Element, after: list[Block]) -> str:
        """What a table cell says on one line; notes and tables in it go to `after`."""
        found = list(self.blocks(cell))
        after += [item for item in found if item.kind in ("note", "table")]
        return " ".join(item.text for item in found if item.kind not in ("note", "table"))

    def _paragraph(self, element: etree._Element, mark: str = "", in_list: bool = False) -> Iterator[Block]:
        outer, self._after = self._after, []
        text = "".join(self._runs(element))
        after, self._after = self._after, outer
        name = element.get(f"{TEXT}style-name")
        if element.get(f"{TEXT}is-hidden") == "true" or self._document.hides("paragraph", name):
            self.hidden |= bool(text.strip())
        elif text.strip():
            yield from filter(None, [self._shaped(element, text.strip(), mark, in_list)])
        for item in after:
            yield from self.block(item)

    def _shaped(self, element: etree._Element, text: str, mark: str, in_list: bool) -> Block | None:
        names = (name.lower() for name, _ in self._document.chain("paragraph", element.get(f"{TEXT}style-name")))
        if element.tag == f"{TEXT}h":
            level = max(whole(element.get(f"{TEXT}outline-level"), 1, 9), 1)
            if not in_list and element.get(f"{TEXT}is-list-header") != "true":
                mark = self._lists.mark(OUTLINE, level)
            return block("heading", mark + " ".join(text.split()), level=level)
        if not in_list and "title" in names:
            self.title = self.title or text
            return block("heading", " ".join(text.split()), level=1)
        return block("list" if in_list else "paragraph", mark + text)

    def _runs(self, node: etree._Element) -> Iterator[str]:
        """The text under `node`; what else is met there is noted for later."""
        yield _SPACE.sub(" ", node.text or "")
        for child in node:
            if isinstance(child.tag, str):
                yield from self._run(child)
            yield _SPACE.sub(" ", child.tail or "")

    def _run(self, child: etree._Element) -> Iterator[str]:
        tag = child.tag
        if tag in _SIGNS:
            yield _SIGNS[tag]
        elif tag in _NOTES or tag.startswith(DRAW) or tag == f"{TABLE}table":
            if tag != f"{DRAW}a":
                self._after.append(child)
            else:
                yield from self._runs(child)
        elif tag == f"{TEXT}span" and self._document.hides("text", child.get(f"{TEXT}style-name")):
            self.hidden |= any(text.strip() for text in child.itertext())
        elif tag not in _SKIPPED and tag != f"{TEXT}hidden-paragraph":
            found = self._runs(child)
            is_raised = tag == f"{TEXT}span" and self._document.raises(child.get(f"{TEXT}style-name"))
            yield from [raised("".join(found))] if is_raised else found

    def _note(self, element: etree._Element) -> Iterator[Block]:
        """A note's text without its number; a comment's with its author."""
        is_comment = element.tag == f"{OFFICE}annotation"
        body = element if is_comment else element.find(f"{TEXT}note-body")
        if body is None:
            return
        parts = [child for child in body if child.tag in (*_PARAGRAPHS, f"{TEXT}list", f"{TABLE}table")]
        text = "\n".join(found.text for part in parts for found in self.block(part))
        author = " ".join((element.findtext(f"{DC}creator") or "").split()) if is_comment else ""
        lead = f"Comment by {author}: " if author else ""
        yield from filter(None, [block("note", lead + text) if text.strip() else None])

    def _list(self, element: etree._Element, style: str, depth: int) -> Iterator[Block]:
        style = element.get(f"{TEXT}style-name") or style or self._list_style(element)
        goes_on = element.get(f"{TEXT}continue-numbering") == "true" or element.get(f"{TEXT}continue-list")
        if depth == 1 and not goes_on:
            self._lists.restart(style)
        for item in element:
            marked = item.tag == f"{TEXT}list-item"
            start = item.get(f"{TEXT}start-value") if marked else None
            for child in item if isinstance(item.tag, str) else ():
                if child.tag == f"{TEXT}list":
                    yield from self._list(child, style, depth + 1)
                elif child.tag in _PARAGRAPHS:
                    mark = self._lists.mark(style, depth, start) if marked and _says_something(child) else ""
                    marked &= not mark
                    yield from self._paragraph(child, mark, in_list=True)
                elif isinstance(child.tag, str) and child.tag not in _SKIPPED:
                    yield from self.block(child)

    def _list_style(self, element: etree._Element) -> str:
        """The list style that the first paragraph's style names."""
        first = next(element.iter(*_PARAGRAPHS), None)
        name = first.get(f"{TEXT}style-name") if first is not None else None
        return next((found.lists for _, found in self._document.chain("paragraph", name) if found.lists), "")

    def _table(self, element: etree._Element) -> Iterator[Block]:
        if self._tables >= _MAX_TABLES or _is_layout(element):
            for row, _ in rows(element):
                for cell in row:
                    yield from self.blocks(cell)
            return
        self._tables += 1
        after: list[Block] = []
        texts, headers = grid(element, lambda cell: "" if _is_no_number(cell) else self.text(cell, after))
        self._tables -= 1
        yield from filter(None, [table(texts, headers)])
        yield from after

    def _object(self, element: etree._Element) -> Iterator[Block]:
        """A chart's title and figures. Other objects are shown by a picture, which nobody reads here."""
        inner = element.find(f"{OFFICE}document")
        root = inner if inner is not None else self._document.embedded(element.get(f"{XLINK}href", ""))
        chart = next(root.iter(f"{CHART}chart"), None) if root is not None else None
        if chart is None or self._tables >= _MAX_TABLES:
            is_formula = next((root if root is not None else element).iter(_MATH), None) is not None
            self.embedded += chart is None and not is_formula
            return
        for part in chart.iter(f"{CHART}title", f"{CHART}subtitle"):
            yield from self.blocks(part)
        for figures in chart.iter(f"{TABLE}table"):
            yield from self._table(figures)

    def _is_hidden_section(self, section: etree._Element) -> bool:
        return section.get(f"{TEXT}display") == "none" or self._document.hides(
            "section", section.get(f"{TEXT}style-name")
        )


def _says_something(paragraph: etree._Element) -> bool:
    return any(text.strip() for text in paragraph.itertext())


def _is_no_number(cell: etree._Element) -> bool:
    """A point that is missing from a chart's figures."""
    return str(cell.get(f"{OFFICE}value", "")).lower() == "nan"


def _is_layout(element: etree._Element) -> bool:
    """One column, or whole articles in cells: the table only arranges a page."""
    widest = 0
    for row, _ in rows(element):
        for cell in cells(row, MAX_COLUMNS):
            widest = max(widest, cell.column + 1)
            if sum(len(text) for text in cell.element.itertext()) > _LAYOUT_CELL:
                return True
    return widest < 2
