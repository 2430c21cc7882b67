"""What stands on a sheet but in no cell: comments, text boxes, charts."""

from __future__ import annotations

from collections.abc import Iterator

from ingestion.parsers.drawings import DRAWN, drawn, paragraph
from ingestion.parsers.lines import block
from ingestion.parsers.office_zip import Package
from ingestion.types import Block

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_BOX = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}txBody"
_THREADED = "[Threaded comment]"


def notes(package: Package, sheet: str) -> Iterator[Block]:
    """The blocks of all that refers to the sheet's cells or lies over them."""
    for name in package.related(sheet, "drawing"):
        if name in package.names:
            yield from _drawing(package, name)
    for name in package.related(sheet, "comments"):
        if name in package.names:
            yield from _comments(package, name)


def _drawing(package: Package, name: str) -> Iterator[Block]:
    for element in package.root(name).iter(_BOX, *DRAWN):
        if element.tag == _BOX:
            text = "\n".join(paragraph(item) for item in element.iter(f"{_A}p"))
            yield from filter(None, [block("paragraph", text)])
        else:
            yield from drawn(element, package, name)


def _comments(package: Package, name: str) -> Iterator[Block]:
    for comment in package.root(name).iter(f"{_MAIN}comment"):
        text = "".join(part.text or "" for part in comment.iter(f"{_MAIN}t")).strip()
        if text.startswith(_THREADED):  # Excel explains itself at length to older programs
            text = text.partition("Comment:")[2].strip()
        if text:
            yield from filter(None, [block("note", f"Comment on {comment.get('ref', '')}: {text}")])
