"""Workbooks in one XML file (Excel 2003), which many programs export and call .xls: values under their column names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree

from ingestion.parsers.lines import one_line
from ingestion.parsers.office_zip import MAX_PART, parse_xml
from ingestion.parsers.sheets_formats import shown
from ingestion.parsers.sheets_regions import Row
from ingestion.parsers.sheets_tables import Merged, blocks, empty_workbook
from ingestion.parsers.whole import whole
from ingestion.types import Page, Parsed, Refused

_SS = "{urn:schemas-microsoft-com:office:spreadsheet}"
MAX_AREA = 12_000_000  # cells of all rows together
MOST_ROWS, MOST_COLUMNS = 2**20, 2**14
TOO_LARGE = "This file is larger than %(limit)s MiB. Split it into smaller files."
TOO_WIDE = (
    'The filled cells of sheet "%(sheet)s" lie too far apart to be read. Press Ctrl+End in that sheet, '
    "delete the stray cells or split the sheet, and upload it again."
)


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page a sheet. Raises `Refused`: "damaged", "empty", "too_large"."""
    if path.stat().st_size > MAX_PART:
        raise Refused("too_large", TOO_LARGE, limit=MAX_PART // 2**20)
    sheets = list(parse_xml(path.read_bytes().strip()).iter(f"{_SS}Worksheet"))
    pages = []
    for number, sheet in enumerate(sheets, start=1):
        name, merged = sheet.get(f"{_SS}Name", ""), []  # type: tuple[str, Merged]
        page = Page(number, tuple(blocks(name, list(_rows(sheet, name, merged)), merged)), label=name)
        pages += [page] if page.blocks else []
        on_page(number, len(sheets))
    if not pages:
        raise empty_workbook()
    return Parsed("spreadsheetml", "text", tuple(pages))


def _rows(sheet: etree._Element, name: str, merged: Merged) -> Iterator[Row]:
    """The rows that have a filled cell; ranges of merged cells go to `merged`."""
    at, area = 0, 0
    for row in sheet.iter(f"{_SS}Row"):
        at = whole(row.get(f"{_SS}Index"), at + 1, MOST_ROWS)
        cells = dict(_cells(row, at - 1, merged))
        width = max(cells, default=-1) + 1
        area += width
        if area > MAX_AREA:
            raise Refused("too_large", TOO_WIDE, sheet=name)
        if cells:
            texts = tuple(cells.get(column, ("", False))[0] for column in range(width))
            yield Row(at - 1, texts, tuple(cells.get(column, ("", False))[1] for column in range(width)))


def _cells(row: etree._Element, number: int, merged: Merged) -> Iterator[tuple[int, tuple[str, bool]]]:
    """Column from 0, text, and whether it is a figure or date."""
    column = 0
    for cell in row.iter(f"{_SS}Cell"):
        column = whole(cell.get(f"{_SS}Index"), column + 1, MOST_COLUMNS)
        wide, high = (whole(cell.get(f"{_SS}Merge{way}"), 0, MOST_COLUMNS) for way in ("Across", "Down"))
        data = cell.find(f"{_SS}Data")
        kind = data.get(f"{_SS}Type", "String") if data is not None else ""
        text = one_line("".join(data.itertext())) if data is not None else ""
        if text:
            yield column - 1, (_value(text, kind), kind not in ("String", "Error"))
            if wide or high:
                merged.append(((number, column - 1), (number + high, column - 1 + wide)))
        column = min(column + wide, MOST_COLUMNS)


def _value(text: str, kind: str) -> str:
    if kind == "DateTime":
        day, _, clock = text.partition("T")
        return day if clock.startswith("00:00:00") or not clock else f"{day} {clock[:5]}"
    if kind == "Boolean":
        return "TRUE" if text == "1" else "FALSE"
    try:
        return shown(float(text)) if kind == "Number" else text
    except ValueError:
        return text
