"""Excel workbooks: every sheet is a page, its tables keep their column names, values stand as computed.

calamine reads the cells; formulas are never evaluated, the values Excel stored with them are taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetVisibleEnum

from ingestion.parsers.embedded import embedded, has_others, told
from ingestion.parsers.left_out import EMBEDDED_IN_WORKBOOK
from ingestion.parsers.office_zip import Package, damaged, open_package, password_protected
from ingestion.parsers.sheets_formats import PLAIN, Cell, Format, Place, formats, place_of, shown
from ingestion.parsers.sheets_notes import notes
from ingestion.parsers.sheets_regions import Row
from ingestion.parsers.sheets_tables import blocks, empty_workbook
from ingestion.parsers.sheets_unseen import UNCOMPUTED, unseen
from ingestion.types import Page, Parsed, Refused, Warning

MAX_AREA = 12_000_000  # cells of the rectangle around all filled cells, which calamine lays out in memory
_WORKSHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}sheet"
_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_FILLED = re.compile(
    rb"<(?:\w{1,20}:)?c\s[^<>]{0,200}?\br\s{0,9}=\s{0,9}[\"']([A-Za-z]{1,3}[0-9]{1,7})[\"']"
    rb"(?:[^<>]{0,200}[^<>/])?>"
)


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page a sheet, in the workbook's order, labelled with its name. Sheets without a filled cell are left out.

    Raises `Refused`: "empty" (no filled cell in any sheet), "password_protected", "damaged", "inflates",
    "too_large" (cells spread too far apart to be laid out).
    """
    package = open_package(path)
    parts = _parts(package)
    _check_area(package, parts)
    workbook = _open(package)
    pages: list[Page] = []
    more: list[Warning] = []
    for done, name in enumerate(workbook.sheet_names, start=1):
        part, sheet = parts.get(name, ""), sheet_of(workbook, name)
        page = page_of(done, name, sheet, formats(package, part))
        page = replace(page, blocks=(*page.blocks, *notes(package, part)))
        pages += [page] if page.blocks else []
        if part in package.names:
            more += unseen(name, package.data(part), sheet.end[1] + 1 if sheet and sheet.end else 0, done)
        on_page(done, len(workbook.sheet_names))
    files = embedded(package)
    missing = [warning for warning in more if warning.code == UNCOMPUTED]
    if not pages:
        raise Refused("empty", missing[0].text) if missing else empty_workbook()
    others = (EMBEDDED_IN_WORKBOOK,) if has_others(package, files) else ()
    warnings = (*hidden_sheets(workbook, pages), *more, *told(files), *others)
    return Parsed("xlsx", "partial" if missing else "text", tuple(pages), warnings=warnings, attachments=files)


def _parts(package: Package) -> dict[str, str]:
    """Sheet name to the part that holds its cells."""
    main = package.main()
    sheets = package.root(main).iter(_WORKSHEET)
    return {sheet.get("name", ""): package.target(main, sheet.get(_RELATION_ID, "")) for sheet in sheets}


def _check_area(package: Package, parts: dict[str, str]) -> None:
    for name, part in parts.items():
        if part in package.names:
            _check_sheet(name, package.data(part))


def _check_sheet(name: str, data: bytes) -> None:
    """Two far-apart cells cost nothing in the file and gigabytes when laid out."""
    rows, columns = [0, 0], [0, 0]
    for index, match in enumerate(_FILLED.finditer(data)):
        place = place_of(match.group(1).decode().upper()) or (0, 0)
        low, high = (place, place) if index == 0 else ((rows[0], columns[0]), (rows[1], columns[1]))
        rows = [min(low[0], place[0]), max(high[0], place[0])]
        columns = [min(low[1], place[1]), max(high[1], place[1])]
    if (rows[1] - rows[0] + 1) * (columns[1] - columns[0] + 1) > MAX_AREA:
        raise Refused(
            "too_large",
            'The filled cells of sheet "%(sheet)s" lie too far apart to be read. Press Ctrl+End in that sheet, '
            "delete the stray cells or split the sheet, and upload it again.",
            sheet=name,
        )


def _open(package: Package) -> CalamineWorkbook:
    try:
        return CalamineWorkbook.from_filelike(package.opened())
    except CalamineError as error:
        raise password_protected() if "assword" in str(error) else damaged() from error


def sheet_of(workbook: CalamineWorkbook, name: str) -> CalamineSheet | None:
    """The sheet, or None for a chart or dialog sheet, which has no cells."""
    try:
        return workbook.get_sheet_by_name(name)
    except CalamineError:
        return None


def page_of(number: int, name: str, sheet: CalamineSheet | None, forms: dict[Place, Format]) -> Page:
    """The page of a sheet, whose cells are written in the formats `forms`."""
    if sheet is None or sheet.start is None:
        return Page(number, (), label=name)
    merged = [(first, last) for first, last in sheet.merged_cell_ranges or ()]
    return Page(number, tuple(blocks(name, list(_rows(sheet, forms)), merged)), label=name)


def _rows(sheet: CalamineSheet, forms: dict[Place, Format]) -> Iterator[Row]:
    """The rows that have a filled cell. calamine gives rows from row 1 on, but cells from the first filled column."""
    left = sheet.start[1] if sheet.start else 0
    for number, values in enumerate(sheet.iter_rows()):
        cells = [_text(value, forms.get((number, left + column), PLAIN)) for column, value in enumerate(values)]
        if any(cells):
            yield Row(number, tuple([""] * left + cells), tuple([False] * left + [_figure(v) for v in values]))


def _text(value: Cell, form: Format) -> str:
    return "" if value is None or value == "" else shown(value, form)


def _figure(value: Cell) -> bool:
    return not isinstance(value, str) and value is not None


def hidden_sheets(workbook: CalamineWorkbook, pages: list[Page]) -> Iterator[Warning]:
    """Says which of the pages that were read are hidden in the workbook."""
    read_pages = {page.label: page.number for page in pages}
    for sheet in workbook.sheets_metadata:
        if sheet.visible != SheetVisibleEnum.Visible and sheet.name in read_pages:
            text = f'Sheet "{sheet.name}" is hidden in the workbook; it was read all the same.'
            yield Warning("hidden_sheet", text, page=read_pages[sheet.name])
