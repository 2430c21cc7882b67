"""Excel workbooks of the old kind (XLS) and binary ones (XLSB) without LibreOffice: values, not their formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from python_calamine import CalamineError, CalamineWorkbook

from ingestion.parsers.office_zip import damaged, open_package, password_protected
from ingestion.parsers.sheets import hidden_sheets, page_of, sheet_of
from ingestion.parsers.sheets_tables import empty_workbook
from ingestion.types import Parsed, Warning


def read_xls(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page a sheet. Raises `Refused`: "empty", "password_protected", "damaged"."""
    try:
        return _read("xls", CalamineWorkbook.from_path(path), on_page)
    except CalamineError as error:
        raise password_protected() if "assword" in str(error) else damaged() from error


def read_xlsb(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page a sheet. Raises `Refused` like `read_xls`, and "inflates"."""
    package = open_package(path, binary=True)
    try:
        return _read("xlsb", CalamineWorkbook.from_filelike(package.opened()), on_page)
    except CalamineError as error:
        raise damaged() from error


def _read(kind: str, workbook: CalamineWorkbook, on_page: Callable[[int, int], None]) -> Parsed:
    pages = []
    for done, name in enumerate(workbook.sheet_names, start=1):
        page = page_of(done, name, sheet_of(workbook, name), {})
        pages += [page] if page.blocks else []
        on_page(done, len(workbook.sheet_names))
    if not pages:
        raise empty_workbook()
    plain = Warning(
        "number_formats",
        "Figures were read as they are stored: percent signs, currencies and comments may be missing. "
        "To have them, save the workbook as .xlsx and upload that.",
    )
    return Parsed(kind, "text", tuple(pages), warnings=(plain, *hidden_sheets(workbook, pages)))
