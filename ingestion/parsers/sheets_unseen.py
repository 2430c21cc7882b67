"""What a reader of a sheet does not see, or sees and we do not: hidden rows and columns, formulas whose result the
program that wrote the file did not store."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingestion.types import Warning

_HIDDEN_ROW = re.compile(rb"""<(?:\w{1,20}:)?row\s[^<>]{0,1000}?\bhidden=["'](?:1|true)["'][^<>]{0,1000}(?<!/)>""")
_HIDDEN_COLUMN = re.compile(rb"""<(?:\w{1,20}:)?col\s[^<>]{0,1000}?\bhidden=["'](?:1|true)["'][^<>]{0,1000}>""")
_FIRST = re.compile(rb"""\bmin=["'](\d{1,6})["']""")
# A formula with no value after it; that of a text may be empty. Openpyxl writes all its formulas like this.
_UNCOMPUTED = re.compile(
    rb"<(?:\w{1,20}:)?c(?:\s(?![^<>]{0,200}\bt=[\"']str[\"'])[^<>]{0,200})?>\s*<(?:\w{1,20}:)?f(?:\s[^<>]{0,400})?"
    rb"(?:/>|>[^<>]{0,10000}</(?:\w{1,20}:)?f>)\s*(?:<(?:\w{1,20}:)?v\s*(?:/>|></(?:\w{1,20}:)?v>))?\s*</(?:\w{1,20}:)?c>"
)
MOST = 32 * 2**20  # bytes of a sheet that are looked through
UNCOMPUTED = "formulas_without_result"


def unseen(name: str, data: bytes, columns: int, page: int) -> Iterator[Warning]:
    """Of the sheet `name`, whose part is `data` and which fills `columns` from the first one on."""
    data = data[:MOST]
    firsts = (_FIRST.search(match.group()) for match in _HIDDEN_COLUMN.finditer(data))
    if _HIDDEN_ROW.search(data) or any(first and int(first.group(1)) <= columns for first in firsts):
        seen = f'Sheet "{name}" has hidden rows or columns; they were read all the same.'
        yield Warning("hidden_cells", seen, page=page)
    missing = sum(1 for _ in _UNCOMPUTED.finditer(data))
    if missing:
        text = (
            f'Sheet "{name}" has formulas whose results are not stored in the file ({missing}). Open the workbook in '
            "its program, save it and upload it again."
        )
        yield Warning(UNCOMPUTED, text, page=page)
