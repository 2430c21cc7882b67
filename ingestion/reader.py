"""Reads one file: finds out what it is and hands it to the parser of that format. Runs inside the reading child.

Parsers are imported when needed, so that a text file does not wait for PDFium, NumPy or lxml to load.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.sniff import sniff
from ingestion.types import Parsed

if TYPE_CHECKING:  # loading it takes longer than reading most files
    from ingestion.ocr.results import Results

__all__ = ["read_as", "read_file", "sniff"]

PARSERS = {
    "pdf": ("ingestion.parsers.pdf", "read"),
    "docx": ("ingestion.parsers.word", "read"),
    "pptx": ("ingestion.parsers.slides", "read"),
    "xlsx": ("ingestion.parsers.sheets", "read"),
    "odt": ("ingestion.parsers.odt", "read"),
    "ods": ("ingestion.parsers.ods", "read"),
    "odp": ("ingestion.parsers.odp", "read"),
    "rtf": ("ingestion.parsers.rtf", "read"),
    "xls": ("ingestion.parsers.sheets_old", "read_xls"),
    "xlsb": ("ingestion.parsers.sheets_old", "read_xlsb"),
    "csv": ("ingestion.parsers.csv_table", "read"),
    "html": ("ingestion.parsers.html", "read"),
    "markdown": ("ingestion.parsers.text", "read_markdown"),
    "text": ("ingestion.parsers.text", "read"),
    "eml": ("ingestion.parsers.mail", "read"),
    "image": ("ingestion.parsers.images", "read"),
    "mbox": ("ingestion.parsers.mailbox", "read"),
    "xml": ("ingestion.parsers.xml_text", "read"),
    "zip": ("ingestion.parsers.archive", "read"),
    "msg": ("ingestion.parsers.outlook", "read"),
    "epub": ("ingestion.parsers.epub", "read"),
    "mhtml": ("ingestion.parsers.web_archive", "read"),
    "spreadsheetml": ("ingestion.parsers.sheets_xml", "read"),
    "calendar": ("ingestion.parsers.appointments", "read"),
    "json": ("ingestion.parsers.json_text", "read"),
    "ipynb": ("ingestion.parsers.notebook", "read"),
}


def read_file(path: Path, name: str, on_page: Callable[[int, int], None]) -> Parsed:
    """The pages of the file at `path`, called `name` by people. `on_page(done, total)` is told how far reading is.

    Raises `Refused`; anything else a parser raises is a damaged file or a fault of ours.
    """
    return read_as(sniff(path, name), path, on_page)


def read_as(
    found: str,
    path: Path,
    on_page: Callable[[int, int], None],
    skip: frozenset[int] = frozenset(),
    results: Results | None = None,
) -> Parsed:
    """Like `read_file`, of a known format. Pages in `skip` (PDF only) broke an earlier try: they are left out with a
    warning. `results` holds what text recognition found on pages that are pictures; None where there is no text
    recognition. Raises `Wanted` when it lacks a page."""
    module, function = PARSERS[found]
    read = getattr(import_module(module), function)
    if found == "pdf":
        parsed: Parsed = read(path, on_page, skip, results)
    elif found == "image":
        parsed = read(path, on_page, results)
    else:
        parsed = read(path, on_page)
    return parsed
