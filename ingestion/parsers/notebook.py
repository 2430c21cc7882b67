"""Jupyter notebooks: text cells as Markdown, code as code, and what the code printed. Pictures are left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from ingestion.parsers import html_blocks, json_text, markdown
from ingestion.parsers.encoding import read_text
from ingestion.parsers.json_values import NotJson, Value, get, joined, load, word
from ingestion.parsers.lines import code, paragraphs
from ingestion.types import Block, Page, Parsed, Refused, Warning

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # of a terminal
_DATA = re.compile(r"data:[\w/+.-]+;base64,[A-Za-z0-9+/=\s]{100,}")
PICTURES = Warning("pictures", "Pictures in the notebook were not read.")


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page. A notebook that cannot be understood is read like JSON. Raises `Refused` "empty", "unknown_type"."""
    try:
        notebook = load(read_text(path))
    except NotJson:
        notebook = ""
    cells = _cells(notebook)
    if not cells:
        return json_text.read(path, on_page)
    found = tuple(item for cell in cells for item in _cell(cell))
    if not found:
        raise Refused("empty", "This notebook holds no text. Check the original and upload it again.")
    on_page(1, 1)
    title = next((item.text for item in found if item.kind == "heading"), "")
    warnings = (PICTURES,) if any(_shows_picture(output) for cell in cells for output in _outputs(cell)) else ()
    return Parsed("ipynb", "text", (Page(1, found),), has_pages=False, title=title, warnings=warnings)


def _cells(notebook: Value) -> list[Value]:
    """Of format 4, or 3 and older, which has sheets in between."""
    sheets = [notebook, *_items(get(notebook, "worksheets"))]
    return [cell for sheet in sheets for cell in _items(get(sheet, "cells"))]


def _cell(cell: Value) -> Iterator[Block]:
    source = joined(get(cell, "source")) or joined(get(cell, "input"))
    kind = get(cell, "cell_type")
    if kind == "code":
        yield from code(source)
        for output in _outputs(cell):
            yield from _output(output)
    elif kind == "heading":  # format 3
        level = get(cell, "level")
        yield from markdown.blocks(f"{'#' * (int(level) if level in _LEVELS else 1)} {source}")[0]
    elif kind == "raw":
        yield from paragraphs(source)
    else:
        yield from markdown.blocks(_DATA.sub("", source))[0]


_LEVELS = ("1", "2", "3", "4", "5", "6")


def _output(output: Value) -> Iterator[Block]:
    """What a cell printed or returned: a table where it drew one, else the plain form."""
    data = get(output, "data") or output
    rich, plain = joined(get(data, "text/html")) or joined(get(data, "html")), joined(get(data, "text/plain"))
    if "<table" in rich:
        yield from html_blocks.blocks(_DATA.sub("", rich))
    elif get(output, "output_type") in ("error", "pyerr"):
        yield from code(f"{_plain(get(output, 'ename'))}: {_plain(get(output, 'evalue'))}")
    else:
        yield from code(_COLOURS.sub("", plain or joined(get(output, "text"))))


def _shows_picture(output: Value) -> bool:
    data = get(output, "data") or output
    return isinstance(data, tuple) and any(key.startswith("image/") or key in ("png", "jpeg", "svg") for key, _ in data)


def _outputs(cell: Value) -> list[Value]:
    return _items(get(cell, "outputs"))


def _items(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _plain(value: Value) -> str:
    return "" if isinstance(value, list | tuple) else _COLOURS.sub("", word(value))
