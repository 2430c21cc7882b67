"""OpenDocument spreadsheets: every sheet is a page, its tables keep their column names, values stand as shown.

Formulas are never evaluated: the text of a cell is what the program that wrote the file showed in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from ingestion.cells import reference
from ingestion.parsers.embedded import embedded_odf, told
from ingestion.parsers.left_out import EMBEDDED_IN_WORKBOOK
from ingestion.parsers.lines import block, one_line
from ingestion.parsers.odf import DRAW, OFFICE, TABLE, TEXT, Document, open_document
from ingestion.parsers.odf_tables import MAX_COPIES, MOST_COLUMNS, Cell, cells, copies, rows
from ingestion.parsers.odf_text import Story
from ingestion.parsers.sheets_regions import Row
from ingestion.parsers.sheets_tables import Merged, blocks, empty_workbook
from ingestion.types import Block, Page, Parsed, Refused, Warning

MAX_AREA = 6_000_000  # cells from column 1 to the last filled one of all rows, which are held in memory
MAX_MERGED = 100_000  # cells that merged ranges cover and that are looked at
_FIGURES = frozenset({"float", "percentage", "currency", "date", "time", "boolean"})
_VALUES = ("value", "date-value", "time-value", "boolean-value", "string-value")


@dataclass
class _Sheet:
    name: str
    rows: list[Row] = field(default_factory=list)
    merged: Merged = field(default_factory=list)
    more: list[Block] = field(default_factory=list)
    shortened: bool = False


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page a sheet, in the workbook's order, labelled with its name. Sheets without a filled cell are left out.

    Raises `Refused`: "empty" (no filled cell in any sheet), "password_protected", "damaged", "inflates", "too_large".
    """
    document = open_document(path)
    tables = [item for item in document.body("spreadsheet") if item.tag == f"{TABLE}table"]
    reader, pages = _Reader(document), []
    warnings: list[Warning] = []
    for number, element in enumerate(tables, start=1):
        sheet = reader.sheet(element)
        page = Page(number, (*blocks(sheet.name, sheet.rows, sheet.merged), *sheet.more), label=sheet.name)
        if page.blocks:
            pages.append(page)
            hidden = document.hides("table", element.get(f"{TABLE}style-name"))
            warnings += _warnings(sheet, number, hidden)
        on_page(number, len(tables))
    if not pages:
        raise empty_workbook()
    files = embedded_odf(document)
    warnings += told(files)
    if reader.story.embedded > len(files):
        warnings.append(EMBEDDED_IN_WORKBOOK)
    return Parsed("ods", "text", tuple(pages), warnings=tuple(warnings), attachments=files)


class _Reader:
    """Reads sheets one after the other, with one bound for all."""

    def __init__(self, document: Document) -> None:
        self.story = Story(document)
        self._left = MAX_AREA
        self._merged = MAX_MERGED

    def sheet(self, element: etree._Element) -> _Sheet:
        sheet = _Sheet(element.get(f"{TABLE}name", ""))
        number = 0
        for row, _ in rows(element):
            times = copies(row)
            self._row(sheet, row, number, times)
            number += times
        for shapes in element.findall(f"{TABLE}shapes"):
            sheet.more += self.story.blocks(shapes)
        return sheet

    def _row(self, sheet: _Sheet, row: etree._Element, number: int, times: int) -> None:
        texts: dict[int, str] = {}
        figures: set[int] = set()
        end = 0  # of the last merged range
        last, text = None, ""  # a cell that repeats is read once
        for cell in cells(row, MOST_COLUMNS):
            if cell.covered:
                continue
            if cell.element is not last:
                last, text = cell.element, self._text(cell, number, sheet)
            if text:
                texts[cell.column] = text
            if cell.element.get(f"{OFFICE}value-type") in _FIGURES:
                figures.add(cell.column)
            if cell.wide > 1 or cell.high > 1:
                end = max(end, cell.column + cell.wide - 1)
                self._merge(sheet, cell, number)
        if not texts:
            return
        width = max(*texts, end) + 1
        shown = Row(
            number,
            tuple(texts.get(column, "") for column in range(width)),
            tuple(column in figures for column in range(width)),
        )
        sheet.shortened |= times > MAX_COPIES
        times = min(times, MAX_COPIES)
        self._spend(width * times, sheet.name)
        sheet.rows += [Row(number + copy, shown.cells, shown.figures) for copy in range(times)]

    def _text(self, cell: Cell, number: int, sheet: _Sheet) -> str:
        """What the cell shows; comments, charts and text boxes anchored in it come after the tables."""
        if len(cell.element) == 1 and cell.element[0].tag == f"{TEXT}p" and not len(cell.element[0]):
            return one_line(cell.element[0].text or "")  # nearly all cells
        shown = []
        for part in cell.element:
            if not isinstance(part.tag, str):
                continue
            found = list(self.story.block(part))
            if part.tag == f"{OFFICE}annotation":
                place = reference(number, cell.column, cell.column)
                notes = (block("note", f"Comment on {place}: {item.text}") for item in found)
                sheet.more += filter(None, notes)
            elif part.tag.startswith(DRAW) or part.tag == f"{TABLE}table":
                sheet.more += found
            else:
                shown += [item.text for item in found if item.kind != "note"]
                sheet.more += [item for item in found if item.kind == "note"]
        values = (cell.element.get(f"{OFFICE}{name}") for name in _VALUES)
        return one_line(" ".join(shown)) or one_line(next(filter(None, values), "") if not len(cell.element) else "")

    def _merge(self, sheet: _Sheet, cell: Cell, number: int) -> None:
        if self._merged > 0:
            self._merged -= cell.high
            high = min(cell.high, MAX_COPIES)
            sheet.merged.append(((number, cell.column), (number + high - 1, cell.column + cell.wide - 1)))

    def _spend(self, area: int, name: str) -> None:
        self._left -= area
        if self._left < 0:
            raise Refused(
                "too_large",
                'The filled cells of sheet "%(sheet)s" lie too far apart to be read. Press Ctrl+End in that sheet, '
                "delete the stray cells or split the sheet, and upload it again.",
                sheet=name,
            )


def _warnings(sheet: _Sheet, number: int, hidden: bool) -> Iterator[Warning]:
    if hidden:
        text = f'Sheet "{sheet.name}" is hidden in the workbook; it was read all the same.'
        yield Warning("hidden_sheet", text, page=number)
    if sheet.shortened:
        text = f'A row of sheet "{sheet.name}" repeats more than {MAX_COPIES} times; {MAX_COPIES} of them were read.'
        yield Warning("repeated_rows", text, page=number)
