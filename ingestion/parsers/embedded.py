"""Files that lie in an office document (a workbook in a report, a PDF behind an icon), to be read by themselves.

Programs keep them as they are, or in a compound file (MS-CFB) that says in one of its streams what it is.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from lxml import etree
from olefile import OleFileIO

from ingestion.parsers.lines import file_name
from ingestion.parsers.odf import OFFICE, Document
from ingestion.parsers.office_zip import Package
from ingestion.types import Attachment, Warning

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_STREAMS = (("WordDocument", ".doc"), ("Workbook", ".xls"), ("Book", ".xls"), ("PowerPoint Document", ".ppt"))
_STARTS = ((b"%PDF-", ".pdf"), (b"{\\rtf", ".rtf"), (b"\x89PNG", ".png"), (b"\xff\xd8\xff", ".jpg"))
_MAINS = (("word/document.xml", ".docx"), ("xl/workbook.xml", ".xlsx"), ("ppt/presentation.xml", ".pptx"))
_MIMES = (("text", ".odt"), ("spreadsheet", ".ods"), ("presentation", ".odp"))
_FAULTS = (OSError, ValueError, KeyError, IndexError, AttributeError, TypeError, RecursionError, EOFError, struct.error)
_MOST_NAMED = 20


def embedded(package: Package) -> tuple[Attachment, ...]:
    """The files in the document that are of a kind which can be told. Workbooks behind charts are none: their figures
    are read with the chart."""
    charts = _behind_charts(package)
    found = (_taken_out(name, data) for name, data in package.embedded.items() if name not in charts)
    return tuple(one for one in found if one)


def embedded_odf(document: Document) -> tuple[Attachment, ...]:
    """Texts, sheets and slides in an OpenDocument file, each a folder of parts in it; charts and formulas are none.
    What other programs put there is kept as they do."""
    package = document.package
    if package is None:
        return ()
    folders = sorted(name.removesuffix("/content.xml") for name in package.names if name.count("/") == 1)
    made = [_repacked(package, folder) for folder in folders if f"{folder}/content.xml" in package.names]
    others = [_taken_out(f"{name}.bin", data) for name, data in package.embedded.items()]
    return tuple(one for one in [*made, *others] if one)


def _repacked(package: Package, folder: str) -> Attachment | None:
    body = package.root(f"{folder}/content.xml").find(f"{OFFICE}body")
    kind = next((etree.QName(child.tag).localname for child in body), "") if body is not None else ""
    suffix = dict(_MIMES).get(kind, "")
    if not suffix:
        return None
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(_undated("mimetype"), f"application/vnd.oasis.opendocument.{kind}")
        for part in ("content.xml", "styles.xml"):
            if f"{folder}/{part}" in package.names:
                made.writestr(_undated(part), package.data(f"{folder}/{part}"))
    return Attachment(f"{folder}{suffix}", out.getvalue())


def _undated(name: str) -> zipfile.ZipInfo:
    """The same content is the same bytes whenever it is read."""
    return zipfile.ZipInfo(name)


def has_others(package: Package, taken: Iterable[Attachment]) -> bool:
    """Are there embedded files that were not taken out?"""
    lying = {name for name in package.left_out if "/embeddings/" in name} - _behind_charts(package)
    return len(lying) > len(list(taken))


def _behind_charts(package: Package) -> set[str]:
    return {name for part in package.names if "/charts/" in part for name in package.related(part, "package")}


def told(files: Iterable[Attachment]) -> Iterator[Warning]:
    """Says which files were taken out."""
    names = [item.name for item in files]
    if names:
        shown = ", ".join(names[:_MOST_NAMED]) + (" and more" if len(names) > _MOST_NAMED else "")
        yield Warning("attachments", f"Files embedded in it are read as documents of their own: {shown}.")


def linked_in(number: int, figures: Iterable[str]) -> Attachment | None:
    """The file in an object of an RTF text, whose bytes stand there as hexadecimal `figures` (MS-OLEDS 2.2.5)."""
    try:
        data = bytes.fromhex("".join(figures))
        at = 8  # version, format
        (length,) = struct.unpack_from("<I", data, at)
        kind = data[at + 4 : at + 4 + length]
        for _ in range(3):  # class, topic, item
            at += 4 + struct.unpack_from("<I", data, at)[0]
        (size,) = struct.unpack_from("<I", data, at)
        inner = data[at + 4 : at + 4 + size]
        if kind.startswith(b"Package"):
            name, inner = _packed(b"\0\0\0\0" + inner)
            return _named(name or f"object{number}", inner)
        return _taken_out(f"object{number}.bin", inner)
    except _FAULTS:
        return None


def _taken_out(part: str, data: bytes) -> Attachment | None:
    base = posixpath.basename(part)
    if data.startswith(_OLE):
        try:
            with OleFileIO(io.BytesIO(data)) as ole:
                return _from_compound(ole, base, data)
        except _FAULTS:  # the library raises all kinds of errors on broken files
            return None
    return _named(base, data)


def _from_compound(ole: OleFileIO, base: str, data: bytes) -> Attachment | None:
    if ole.exists("\x01Ole10Native"):
        name, inner = _packed(ole.openstream("\x01Ole10Native").read())
        return _named(name or base, inner)
    for stream in ("Package", "CONTENTS", "EmbeddedOdf"):
        if ole.exists(stream):
            return _named(base, ole.openstream(stream).read())
    suffix = next((suffix for stream, suffix in _STREAMS if ole.exists(stream)), "")
    return Attachment(_with_suffix(base, suffix), data) if suffix else None


def _packed(stream: bytes) -> tuple[str, bytes]:
    """Name and bytes of a file that Windows' packager put into a stream (MS-OLEDS 2.3.6, its data as usual)."""
    at = 6  # size, version
    label, at = _text(stream, at)
    path, at = _text(stream, at)
    (length,) = struct.unpack_from("<I", stream, at + 4)
    at += 8 + length
    (size,) = struct.unpack_from("<I", stream, at)
    return file_name(label or path), stream[at + 4 : at + 4 + size]


def _text(stream: bytes, at: int) -> tuple[str, int]:
    end = stream.index(b"\0", at)
    return stream[at:end].decode("cp1252", "replace"), end + 1


def _named(name: str, data: bytes) -> Attachment | None:
    """With a name that says what it is; None where nobody can tell."""
    suffix = _suffix_of(data)
    if suffix:
        return Attachment(_with_suffix(name, suffix), data)
    known = PurePosixPath(name).suffix.lower() not in ("", ".bin")
    return Attachment(name, data) if data and known else None


def _suffix_of(data: bytes) -> str:
    if data.startswith(b"PK"):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                names = set(archive.namelist())
                mime = archive.read("mimetype")[:100].decode("ascii", "replace") if "mimetype" in names else ""
        except (zipfile.BadZipFile, *_FAULTS, NotImplementedError, RuntimeError):
            return ""
        office = next((suffix for main, suffix in _MAINS if main in names), "")
        return office or next((suffix for kind, suffix in _MIMES if mime.endswith(kind)), "")
    return next((suffix for start, suffix in _STARTS if data.startswith(start)), "")


def _with_suffix(name: str, suffix: str) -> str:
    """The name as it is where its ending fits (a .docm is read like a .docx)."""
    path = PurePosixPath(name)
    fits = path.suffix.lower()[:4] == suffix[:4]
    return name if fits else f"{path.stem if path.suffix.lower() == '.bin' else name}{suffix}"
