"""Binary workbooks (MS-XLSB) made for tests: no program at hand writes them but Excel."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence

Value = str | float | bool | None
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def workbook(sheets: Mapping[str, Sequence[Sequence[Value]]], hidden: tuple[str, ...] = ()) -> bytes:
    """A workbook of these sheets; texts stand in the cells or, when they begin with "=", as a formula's result."""
    out = io.BytesIO()
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{at}.bin" ContentType="application/vnd.ms-excel.worksheet"/>'
        for at in range(1, len(sheets) + 1)
    )
    related = "".join(
        f'<Relationship Id="rId{at}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{at}.bin"/>'
        for at in range(1, len(sheets) + 1)
    )
    main = f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.bin"/>'
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_TYPES}"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
            'PartName="/xl/workbook.bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/>'
            f"{overrides}</Types>",
        )
        file.writestr("_rels/.rels", f'<Relationships xmlns="{_RELATIONS}">{main}</Relationships>')
        file.writestr("xl/_rels/workbook.bin.rels", f'<Relationships xmlns="{_RELATIONS}">{related}</Relationships>')
        file.writestr("xl/workbook.bin", _workbook(list(sheets), hidden))
        for at, rows in enumerate(sheets.values(), start=1):
            file.writestr(f"xl/worksheets/sheet{at}.bin", _sheet(rows))
    return out.getvalue()


def _workbook(names: Sequence[str], hidden: tuple[str, ...]) -> bytes:
    sheets = b"".join(
        _record(156, struct.pack("<II", int(name in hidden), at) + _text(f"rId{at}") + _text(name))
        for at, name in enumerate(names, start=1)
    )
    return _record(131) + _record(143) + sheets + _record(144) + _record(132)


def _sheet(rows: Sequence[Sequence[Value]]) -> bytes:
    width = max(len(row) for row in rows)
    size = _record(148, struct.pack("<IIII", 0, len(rows) - 1, 0, width - 1))
    lines = b"".join(
        _record(0, struct.pack("<IIHBBBI", at, 0, 300, 0, 0, 0, 0)) + b"".join(map(_cell, range(len(row)), row))
        for at, row in enumerate(rows)
    )
    return _record(129) + size + _record(145) + lines + _record(146) + _record(130)


def _cell(column: int, value: Value) -> bytes:
    head = struct.pack("<II", column, 0)
    if value is None:
        return b""
    if isinstance(value, bool):
        return _record(4, head + bytes([value]))
    if isinstance(value, str):
        return _record(6, head + _text(value))
    return _record(5, head + struct.pack("<d", value))


def _text(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _record(kind: int, data: bytes = b"") -> bytes:
    number = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    length, size = b"", len(data)
    while True:
        length += bytes([size & 0x7F | (0x80 if size > 127 else 0)])
        size >>= 7
        if not size:
            return number + length + data
