"""Small OpenDocument files made of raw XML, to say exactly what stands in them."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

SPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (
        ("office", "office"),
        ("style", "style"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("chart", "chart"),
        ("presentation", "presentation"),
        ("svg", "svg-compatible"),
    )
)
NAMES = f'{SPACES} xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
MIME = "application/vnd.oasis.opendocument."
KINDS = {"text": "text", "spreadsheet": "spreadsheet", "presentation": "presentation"}


def odf(path: Path, kind: str, body: str, styles: str = "", parts: Mapping[str, str] | None = None) -> Path:
    """An OpenDocument file of `kind` (text, spreadsheet, presentation) with `body` and automatic `styles`."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", f"{MIME}{kind}")
        file.writestr("META-INF/manifest.xml", "<manifest/>")
        file.writestr("content.xml", content(kind, body, styles))
        for name, data in (parts or {}).items():
            file.writestr(name, data)
    return path


def content(kind: str, body: str, styles: str = "") -> str:
    return (
        f"<office:document-content {NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )


def flat(kind: str, body: str) -> str:
    return (
        f'<?xml version="1.0"?>\n<office:document {NAMES} office:mimetype="{MIME}{kind}">'
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document>"
    )


def p(text: str, style: str = "") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}>{p(text) if text else ''}</table:table-cell>"


def row(*cells: str, attributes: str = "") -> str:
    inner = "".join(item if item.startswith("<") else cell(item) for item in cells)
    return f"<table:table-row {attributes}>{inner}</table:table-row>"


def figure(value: str, shown: str, kind: str = "float") -> str:
    return cell(shown, f'office:value-type="{kind}" office:value="{value}"')


def table(*rows: str) -> str:
    return f"<table:table>{''.join(rows)}</table:table>"


def items(*inner: str) -> str:
    return "".join(f"<text:list-item>{item}</text:list-item>" for item in inner)


COVERED = "<table:covered-table-cell/>"
