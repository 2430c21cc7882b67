"""Walks the XML of a Word story (body, header, note) and yields its blocks in reading order.

Deleted and moved-away text is not in, inserted and moved-to text is; of alternative renderings the first is taken;
notes and comments come as blocks of their own after the paragraph that refers to them. XML is at most 256 levels
deep here (the parser's bound), so recursion along the tree is bounded too.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from ingestion.parsers.drawings import DRAWN, drawn
from ingestion.parsers.lines import block
from ingestion.parsers.math_text import M, line
from ingestion.parsers.office_zip import Package
from ingestion.parsers.tables import ACROSS, MAX_COLUMNS, repeated, table
from ingestion.parsers.whole import whole
from ingestion.parsers.word_notes import Notes, author
from ingestion.parsers.word_numbering import Numbering
from ingestion.parsers.word_signs import box, is_contents, is_raised, mark_is_gone, symbol
from ingestion.parsers.word_styles import Style, Styles, W
from ingestion.signs import raised
from ingestion.types import Block, BlockKind

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_GONE = frozenset(f"{W}{name}" for name in ("del", "moveFrom", "instrText", "delText", "rPr", "pPr", "rt", "sectPr"))
_TEXT = {f"{W}tab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}ptab": " "}
_REFERENCES = {f"{W}{kind}Reference": kind for kind in ("footnote", "endnote", "comment")}
_PAGE_FIELDS = ("PAGE", "NUMPAGES", "SECTIONPAGES")
_RUN, _PROPERTIES, _VANISH = f"{W}r", f"{W}rPr", f"{W}vanish"
_MAX_TABLES = 40  # tables in tables; text of deeper ones is read as running text
_LAYOUT_CELL = 1_500  # characters; a longer cell is a column of a page, not of a table


class Story:
    """Reads one document's stories. `title`, `hidden`, `changes` and `embedded` tell afterwards what was met."""

    def __init__(self, package: Package, styles: Styles, numbering: Numbering, notes: Notes) -> None:
        self.title = ""
        self.hidden = False
        self.changes = False
        self.embedded = 0  # files that the text takes in from parts of their own
        self._package = package
        self._source = ""  # the part being read
        self._styles = styles
        self._numbering = numbering
        self._notes = dict(notes)
        self._boxes: list[etree._Element] = []  # text boxes met in the paragraph being read
        self._drawn: list[etree._Element] = []  # charts and SmartArt met there
        self._references: list[tuple[str, str]] = []
        self._fields: list[str | None] = []  # instruction of each open field; None once its result has begun
        self._tables = 0
        self._open = ""  # text of a paragraph whose end was deleted: it goes on in the next

    def part(self, name: str) -> Iterator[Block]:
        """The blocks of a whole part."""
        self._source = name
        yield from self.blocks(self._package.root(name))

    def blocks(self, parent: etree._Element) -> Iterator[Block]:
        """The blocks of all paragraphs and tables under `parent`."""
        for child in parent:
            if child.tag == f"{W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{W}tbl":
                yield from self._left_open()
                yield from self._table(child)
            elif child.tag == f"{_MC}AlternateContent":
                yield from self.blocks(_chosen(child))
            elif child.tag in _GONE:
                self.changes |= child.tag in (f"{W}del", f"{W}moveFrom")
            elif child.tag == f"{W}altChunk":
                self.embedded += 1
            elif isinstance(child.tag, str) and not _is_placeholder(child) and not is_contents(child):
                yield from self.blocks(child)
        yield from self._left_open()

    def unplaced_notes(self) -> Iterator[Block]:
        """Notes that no text referred to."""
        for key in list(self._notes):
            yield from self._note(key)

    def _paragraph(self, paragraph: etree._Element) -> Iterator[Block]:
        outer = self._boxes, self._drawn, self._references
        self._boxes, self._drawn, self._references = [], [], []
        text = self._open + "".join(self._runs(paragraph))
        self._open = text if mark_is_gone(paragraph) else ""
        boxes, drawings, references = self._boxes, self._drawn, self._references
        self._boxes, self._drawn, self._references = outer
        self.changes |= bool(self._open)
        if text.strip() and not self._open:
            yield from filter(None, [self._shaped(self._styles.of(paragraph), text)])
        held, self._open = self._open, ""
        for inner in boxes:
            yield from self.blocks(inner)
        for drawing in drawings:
            yield from drawn(drawing, self._package, self._source)
        for reference in references:
            yield from self._note(reference)
        self._open = held

    def _left_open(self) -> Iterator[Block]:
        """What was to go on in a next paragraph, where there is none."""
        text, self._open = self._open, ""
        yield from filter(None, [block("paragraph", text)])

    def _shaped(self, style: Style, text: str) -> Block | None:
        if style.is_contents:
            return None
        mark = self._numbering.mark(style.number, style.depth) if style.number else ""
        if style.level:
            if style.is_title and not self.title:
                self.title = text
            return block("heading", mark + " ".join(text.split()), level=style.level)
        kind: BlockKind = "list" if style.number or style.is_list else "paragraph"
        return block(kind, mark + text.strip())

    def _runs(self, node: etree._Element) -> Iterator[str]:
        """The text under `node`; what else is met there is noted on the way."""
        for child in node:
            tag = child.tag
            if tag == f"{W}t":
                yield child.text or "" if self._shows() else ""
            elif tag in _TEXT:
                yield _TEXT[tag]
            elif tag == f"{W}sym":
                yield symbol(child)
            elif tag == f"{W}fldChar":
                self._field(child.get(f"{W}fldCharType", ""))
                yield box(child)
            elif tag == f"{M}oMath":
                yield line(child)
            elif tag == f"{_MC}AlternateContent":
                yield from self._runs(_chosen(child))
            elif not self._noted(child) and isinstance(tag, str):
                self.changes |= tag in (f"{W}ins", f"{W}moveTo")
                found = self._runs(child)
                yield from [raised("".join(found))] if tag == _RUN and is_raised(child) else found

    def _noted(self, child: etree._Element) -> bool:
        """True if `child` holds no running text: it is noted for later, or nothing people see."""
        tag = child.tag
        if tag == f"{W}instrText" and self._fields and self._fields[-1] is not None:
            self._fields[-1] += child.text or ""
        elif tag in _GONE:
            self.changes |= tag in (f"{W}del", f"{W}moveFrom")
        elif tag == f"{W}txbxContent":
            self._boxes.append(child)
        elif tag in DRAWN:
            self._drawn.append(child)
        elif tag in _REFERENCES:
            self._references.append((_REFERENCES[tag], child.get(f"{W}id", "")))
        elif tag == _RUN and _vanishes(child):
            self.hidden |= any(text.text for text in child.iter(f"{W}t"))
        else:
            return _is_placeholder(child) or (tag == f"{W}fldSimple" and _counts_pages(child.get(f"{W}instr", "")))
        return True

    def _field(self, kind: str) -> None:
        """Fields may hold fields; only the result part (after "separate") is text people see."""
        if kind == "begin":
            self._fields.append("")
        elif kind == "separate" and self._fields:
            drops = _counts_pages(self._fields[-1] or "")
            self._fields[-1] = "drop" if drops else None
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _shows(self) -> bool:
        return not self._fields or all(field is None for field in self._fields)

    def _note(self, key: tuple[str, str]) -> Iterator[Block]:
        note = self._notes.pop(key, None)
        if note is None:
            return
        text = "\n".join(found.text for found in self.blocks(note))
        lead = f"Comment by {author(note)}: " if key[0] == "comment" and author(note) else ""
        yield from filter(None, [block("note", lead + text) if text.strip() else None])

    def _table(self, element: etree._Element) -> Iterator[Block]:
        rows_found = list(_rows(element))
        cells = [list(_cells(row)) for row in rows_found]
        if self._tables >= _MAX_TABLES or max((len(row) for row in cells), default=0) < 2 or _is_layout(cells):
            for cell in (cell for row in cells for cell in row):
                yield from self.blocks(cell)
            return
        self._tables += 1
        after: list[Block] = []
        rows = self._grid(cells, [_before(row) for row in rows_found], after)
        yield from filter(None, [table(rows, _named_headers(element, len(rows)))])
        yield from after
        self._tables -= 1

    def _grid(self, cells: list[list[etree._Element]], before: list[int], after: list[Block]) -> list[list[str]]:
        """Texts of the cells, of which each row leaves out some at its start. A cell that spans rows stands in each of
        them, one that spans columns stands once."""
        rows: list[list[str]] = []
        above: dict[int, str] = {}
        for row, left_out in zip(cells, before, strict=True):
            texts = [""] * left_out
            for cell in row:
                column, properties = len(texts), cell.find(f"{W}tcPr")
                merge = properties.find(f"{W}vMerge") if properties is not None else None
                if merge is not None and merge.get(f"{W}val") != "restart":
                    text = repeated(above.get(column, ""))
                else:
                    text = self._cell(cell, after)
                above[column] = text
                texts += [text] + [ACROSS] * min(_span(properties) - 1, MAX_COLUMNS - len(texts))
            rows.append(texts)
        return rows

    def _cell(self, cell: etree._Element, after: list[Block]) -> str:
        """The cell's text; notes and tables in it come after the table, as blocks of their own."""
        found = list(self.blocks(cell))
        after += [item for item in found if item.kind in ("note", "table")]
        return " ".join(item.text for item in found if item.kind not in ("note", "table"))


def _chosen(alternatives: etree._Element) -> etree._Element:
    """The first choice of alternative renderings (the others show the same again)."""
    return next((child for child in alternatives if isinstance(child.tag, str)), alternatives)


def _is_placeholder(element: etree._Element) -> bool:
    """True for a form field that shows only its prompt ("Click here to enter text")."""
    return element.tag == f"{W}sdt" and element.find(f"{W}sdtPr/{W}showingPlcHdr") is not None


def _vanishes(run: etree._Element) -> bool:
    properties = run.find(_PROPERTIES)
    hidden = properties.find(_VANISH) if properties is not None else None
    return hidden is not None and hidden.get(f"{W}val", "1") not in ("0", "false", "off")


def _counts_pages(instruction: str) -> bool:
    return instruction.strip().upper().split(" ")[0] in _PAGE_FIELDS


def _rows(element: etree._Element) -> Iterator[etree._Element]:
    """Rows of this table (not of tables in it), without those deleted by a tracked change."""
    for child in element:
        if child.tag == f"{W}tr":
            if child.find(f"{W}trPr/{W}del") is None:
                yield child
        elif isinstance(child.tag, str) and child.tag != f"{W}tbl":
            yield from _rows(child)


def _cells(row: etree._Element) -> Iterator[etree._Element]:
    for child in row:
        if child.tag == f"{W}tc":
            yield child
        elif isinstance(child.tag, str):
            yield from _cells(child)


def _is_layout(rows: list[list[etree._Element]]) -> bool:
    cells = (cell for row in rows for cell in row)
    return any(sum(len(text.text or "") for text in cell.iter(f"{W}t")) > _LAYOUT_CELL for cell in cells)


def _named_headers(element: etree._Element, count: int) -> int | None:
    """Rows marked to be repeated on every page are column names; None if the table marks none."""
    marked = 0
    for row in _rows(element):
        if row.find(f"{W}trPr/{W}tblHeader") is None:
            break
        marked += 1
    return marked if 0 < marked < count else None


def _before(row: etree._Element) -> int:
    """How many columns of the table's grid a row leaves out at its start."""
    found = row.find(f"{W}trPr/{W}gridBefore")
    return whole(found.get(f"{W}val"), 0, 200) if found is not None else 0


def _span(properties: etree._Element | None) -> int:
    span = properties.find(f"{W}gridSpan") if properties is not None else None
    return max(whole(span.get(f"{W}val"), 1, 200), 1) if span is not None else 1
