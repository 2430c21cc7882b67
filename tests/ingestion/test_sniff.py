"""Kinds of file, told by content; names only tell text kinds apart."""

from __future__ import annotations

import io
import struct
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.kinds import NOT_YET, READABLE
from ingestion.sniff import sniff
from ingestion.types import Refused

MAIL = (
    b"Return-Path: <a@example.org>\r\nFrom: A <a@example.org>\r\nTo: b@example.org\r\n"
    b"Subject: Rechnung\r\nMessage-ID: <1@example.org>\r\n\r\nGuten Tag"
)


WORKBOOK = b"""<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet/></Workbook>"""


def zipped(*names: str, **contents: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in names:
            archive.writestr(name, b"x")
        for name, content in contents.items():
            archive.writestr(name, content)
    return data.getvalue()


def compound(*streams: str, stream: bytes = b"") -> bytes:
    """The header and directory of an OLE2 file (MS-CFB 2.2, 2.6): all streams are the one in the first sector, the
    directory is in the second."""
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    struct.pack_into("<H", header, 30, 9)
    struct.pack_into("<I", header, 48, 1)
    entries = b"".join(map(entry, ("Root Entry", *streams)))
    return bytes(header) + stream.ljust(512, b"\0") + entries


def entry(name: str) -> bytes:
    written = name.encode("utf-16-le")
    return written.ljust(64, b"\0") + struct.pack("<HB", len(written) + 2, 2).ljust(64, b"\0")


def kind(tmp_path: Path, data: bytes, name: str) -> str:
    """The format, or the code of the refusal."""
    path = tmp_path / "blob"
    path.write_bytes(data)
    try:
        return sniff(path, name)
    except Refused as refused:
        return refused.code


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"%PDF-1.7\n1 0 obj", "vertrag.docx", "pdf"),
        (b"\xef\xbb\xbf\r\n%PDF-1.4", "a", "pdf"),
        (b"junk from a web server\n%PDF-1.4\n1 0 obj", "a.pdf", "pdf"),
        (b"How to write %PDF-1.4 by hand", "a.txt", "text"),
        (zipped("[Content_Types].xml", "word/document.xml"), "a.txt", "docx"),
        (zipped("[Content_Types].xml", "ppt/presentation.xml"), "a.zip", "pptx"),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), "a", "xlsx"),
        (zipped("[Content_Types].xml", "xl/workbook.bin"), "a.xlsx", "xlsb"),
        (zipped("a.txt"), "a.docx", "damaged"),
        (zipped("a.txt"), "a.zip", "zip"),
        (zipped("[Content_Types].xml", "visio/document.xml"), "a.vsdx", "unsupported_type"),
        (zipped("Index/Document.iwa"), "a.pages", "unsupported_type"),
        (zipped("META-INF/MANIFEST.MF"), "a.jar", "unsupported_type"),
        (zipped(mimetype=b"application/vnd.oasis.opendocument.text"), "a.odt", "odt"),
        (zipped(mimetype=b"application/epub+zip"), "a.epub", "epub"),
        (b"PK\x03\x04 cut off", "a.docx", "damaged"),
        (compound("WordDocument"), "a.doc", "doc"),
        (compound("Workbook"), "a.xls", "xls"),
        (compound("__properties_version1.0"), "a.msg", "msg"),
        (compound("WordDocument", stream=b"\xec\xa5" + b"\0" * 8 + b"\0\x01"), "a.doc", "password_protected"),
        (compound("Workbook", stream=b"\x09\x08\x02\0\0\0\x2f\0\x04\0"), "a.xls", "password_protected"),
        (compound("PowerPoint Document", "EncryptedSummary"), "a.ppt", "password_protected"),
        (compound("Workbook")[:512], "a.xls", "damaged"),
        (compound("EncryptionInfo", "EncryptedPackage"), "a.docx", "password_protected"),
        (b"{\\rtf1\\ansi Hallo}", "a.doc", "rtf"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "a.pdf", "image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a.jpg", "image"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "a.webp", "image"),
        (b"\x7fELF\x02\x01\x01\0", "a.txt", "unsupported_type"),
        (b"\0\x01\x02\x03" * 50, "a.dat", "unknown_type"),
        (b"\0\x01\x02\x03" * 50, "a.pdf", "damaged"),
        (b"no PDF at all", "a.pdf", "damaged"),
        (b"", "a.txt", "empty"),
        (b"Hallo\n", "a.txt", "text"),
        (b"Hallo\n", "Makefile", "text"),
        ("Grüße\n".encode("latin-1"), "a.md", "markdown"),
        ("Grüße\n".encode("utf-16"), "a.txt", "text"),
        ("Gruesse an alle\n".encode("utf-16-le"), "a.txt", "text"),
        ("<html><body>Hallo</body></html>".encode("utf-16"), "a.htm", "html"),
        (b"a;b\n1;2\n", "a.CSV", "csv"),
        (b"a\tb\n1\t2\n", "a.tsv", "csv"),
        (b"a\tb\n1\t2\n", "export.xls", "csv"),
        (b"<table><tr><td>1</td></tr></table>", "export.xls", "html"),
        (b"<table><tr><td>1</td></tr></table>", "a.html", "html"),
        (b"<!-- x -->\n<!DOCTYPE html><html>", "export.xls", "html"),
        (b"<?xml version='1.0'?><html xmlns='x'>", "a.xhtml", "html"),
        (b"only words, no tags", "a.html", "text"),
        (b"# Title\n<div>x</div>", "a.md", "markdown"),
        (MAIL, "rechnung.eml", "eml"),
        (MAIL, "rechnung", "eml"),
        (b"From: me\nTo: you\nSubject: a memo\n\nText", "memo.txt", "text"),
        (b"This is not a valid eml.", "a.eml", "damaged"),
        (b'{"a": 1}', "a.json", "json"),
        (b"<?xml version='1.0'?><a/>", "a.xml", "xml"),
        (b"From a@b.de Mon Nov 2\nSubject: x\nDate: y\n\nText", "Inbox", "mbox"),
        (b"From a@b.de Mon Nov 2\nSubject: x\nDate: y\n\nText", "a.eml", "eml"),
        (b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=a\n\n--a", "page.mht", "mhtml"),
        (b"From: <Saved by Blink>\nSnapshot-Content-Location: x\nMIME-Version: 1.0\n\n", "page", "mhtml"),
        (b"From: a\nTo: b\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=a\n\n", "a.eml", "eml"),
        (b"<p>only the page", "page.mht", "html"),
        (b"BEGIN:VCALENDAR\r\nVERSION:2.0", "invite.ics", "calendar"),
        (b"nothing of the kind", "notes.ics", "calendar"),
        (WORKBOOK, "export.xls", "spreadsheetml"),
        (WORKBOOK, "export.xml", "spreadsheetml"),
        (b"Hallo", "../../etc/passwd.md", "markdown"),
        (b"Hallo", "x" * 5000 + ".md", "markdown"),
    ],
)
def test_kinds(tmp_path: Path, data: bytes, name: str, expected: str) -> None:
    assert kind(tmp_path, data, name) == expected


def test_an_encrypted_open_document_is_password_protected(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("META-INF/manifest.xml", "<manifest:encryption-data/>")
    assert kind(tmp_path, data.getvalue(), "a.odt") == "password_protected"


def test_a_giant_central_directory_is_not_loaded(tmp_path: Path) -> None:
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 65535, 65535, 0xFFFF_FFF0, 0, 0)
    assert kind(tmp_path, b"PK\x03\x04" + bytes(100) + end, "a.zip") == "inflates"


def test_a_large_file_is_looked_at_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    with path.open("wb") as file:
        file.write(b"Zeile\n" * 20_000)
        file.truncate(3 << 30)  # a hole of 3 GiB
    assert sniff(path, "a.txt") == "text"


@pytest.mark.parametrize("found", NOT_YET)
def test_every_kind_that_cannot_be_read_says_what_to_do(found: str) -> None:
    assert found not in READABLE
    assert NOT_YET[found].endswith(".")
    assert "upload" in NOT_YET[found].lower()


def test_a_header_that_points_beyond_all_files_is_no_crash(tmp_path: Path) -> None:
    header = bytearray(compound())
    header[30:32], header[48:52] = b"\xff\xff", b"\xfe\xff\xff\xff"
    assert kind(tmp_path, bytes(header), "a.xlsx") in {*READABLE, *CODES}


STARTS = [b"", b"PK\x03\x04", b"PK\x05\x06", compound()[:520], b"%PDF-", b"<html", b"\xff\xfe"]
CODES = {"empty", "damaged", "password_protected", "inflates", "unsupported_type", "unknown_type"}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(STARTS), st.binary(max_size=600), st.text(max_size=12))
def test_whatever_comes_it_is_a_kind_or_a_refusal(start: bytes, data: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert kind(Path(folder), start + data, name) in {*READABLE, *CODES}
