"""Small office files made of raw XML, to say exactly what stands in them."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = (
    f'xmlns:w="{WORD}" xmlns:r="{RELATIONS}" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)


def paragraph(text: str, properties: str = "") -> str:
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def row(*cells: str, properties: str = "") -> str:
    inner = "".join(cell if cell.startswith("<w:tc>") else f"<w:tc>{paragraph(cell)}</w:tc>" for cell in cells)
    return f"<w:tr>{properties}{inner}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def docx(path: Path, body: str, parts: Mapping[str, str] | None = None, head: str = "") -> Path:
    """A Word file with `body`; `parts` are further parts under word/, related by their names."""
    parts = parts or {}
    related = "".join(
        f'<Relationship Id="r{at}" Type="{RELATIONS}/{name.rstrip("0123456789")}" Target="{name}.xml"/>'
        for at, name in enumerate(parts)
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", CONTENT_TYPES)
        file.writestr(
            "_rels/.rels",
            relations(f'<Relationship Id="a" Type="{RELATIONS}/officeDocument" Target="word/document.xml"/>'),
        )
        file.writestr("word/_rels/document.xml.rels", relations(related))
        file.writestr("word/document.xml", f"{head}<w:document {NAMES}><w:body>{body}</w:body></w:document>")
        for name, content in parts.items():
            file.writestr(f"word/{name}.xml", content)
    return path


def relations(inner: str) -> str:
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inner}</Relationships>'
    )


def silent(done: int, total: int) -> None:
    """Progress that nobody looks at."""
