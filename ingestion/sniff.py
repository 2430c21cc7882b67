"""What kind of file is this? Decided by content; the name only tells text kinds apart (CSV, Markdown, ...).

Work is bounded: at most a few hundred KiB are read and nothing is inflated but two tiny members of a zip.
"""

from __future__ import annotations

import codecs
import re
import struct
import zipfile
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ingestion.kinds import (
    BINARY_NAMES,
    DAMAGED,
    DAMAGED_ZIP,
    EMPTY,
    ENCRYPTED,
    MAGIC,
    NO_MAIL,
    NOT_YET,
    ODF,
    OLE_STREAMS,
    PACKAGED,
    READABLE,
    TEXT_NAMES,
    TOO_MANY_MEMBERS,
    UNKNOWN,
)
from ingestion.ole import locked
from ingestion.types import Refused

HEAD = 64 * 1024
DIRECTORY_LIMIT = 4 * 1024 * 1024  # bytes of a zip's central directory
FARTHEST = 1 << 40  # bytes into a file; systems refuse to go as far as a damaged header may say
MEMBER_LIMIT = 256 * 1024  # inflated bytes of a zip member that is looked into

MAIL_HEADER = re.compile(
    r"^(from|to|cc|subject|date|received|message-id|mime-version|return-path|delivered-to|content-type|reply-to|dkim-signature):",
    re.IGNORECASE | re.MULTILINE,
)
SENT = {"to", "cc", "received", "message-id", "return-path", "delivered-to"}
MACHINE_HEADERS = {"received", "message-id", "mime-version", "return-path", "delivered-to", "dkim-signature"}
HTML_START = re.compile(
    r"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
FLAT_ODF = re.compile(r"\A\s*(?:<\?xml[^>]*>\s*)?<office:document\s[^>]*?office:mimetype=\"([^\"]+)\"", re.DOTALL)
WEB_ARCHIVE = re.compile(
    r"^(?:snapshot-)?content-location:|^content-type:\s*multipart/related", re.IGNORECASE | re.MULTILINE
)
HEADER = re.compile(r"[!-9;-~]+:")
WORKBOOK = re.compile(
    r"\A\s*<\?xml[^<]*(?:<[?!][^<]*)*<(?:\w+:)?Workbook\s[^>]*urn:schemas-microsoft-com:office:spreadsheet"
)
CALENDAR = re.compile(r"\s*BEGIN:VCALENDAR\b", re.IGNORECASE)
MAILBOX = re.compile(r"\s*From \S+.*\r?\n(?:[!-9;-~]+:|>From )")  # RFC 4155
TAG = re.compile(r"<(/?[a-z][a-z0-9]*|!--)[\s>/]", re.IGNORECASE)


def sniff(path: Path, name: str) -> str:
    """The format of the file at `path`, one of `READABLE`; `name` is what people call it.

    Raises `Refused` with code "empty", "damaged", "password_protected", "inflates", "unsupported_type" (a known kind
    that cannot be read yet) or "unknown_type".
    """
    with path.open("rb") as file:
        found = _kind(file, name)
    if found in READABLE:
        return found
    raise Refused("unsupported_type", NOT_YET[found])


def _kind(file: BinaryIO, name: str) -> str:
    head = file.read(HEAD)
    if not head:
        raise Refused("empty", EMPTY)
    if _is_pdf(head):
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _zip_kind(file, PurePosixPath(name.strip().lower()).suffix)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _ole_kind(file, head)
    suffix = PurePosixPath(name.strip().lower()).suffix
    text = _as_text(head)
    flat = FLAT_ODF.search(text) if text else None
    if flat:
        return _odf_kind(flat.group(1), "xml")
    if text is None or head.startswith((b"{\\rtf", b"\x89PNG", b"\xff\xd8\xff")):
        return _binary_kind(head, suffix)
    return _text_kind(text, suffix)


def _is_pdf(head: bytes) -> bool:
    """ISO 32000-1, note in 7.5.2: readers look for the header within the first 1024 bytes."""
    at = head[:1024].find(b"%PDF-")
    return at == 0 or (at > 0 and (b" obj" in head or b"\x00" in head or not head[:at].strip(b"\r\n\t \xef\xbb\xbf")))


def _binary_kind(head: bytes, suffix: str) -> str:
    for magic, found in MAGIC:
        if head.startswith(magic):
            return found
    if head[:4] == b"RIFF":
        return "image" if head[8:12] == b"WEBP" else "media"
    if head[4:8] == b"ftyp":
        return "drawing" if head[8:12] in (b"heic", b"heix", b"mif1", b"avif", b"msf1") else "media"
    if head[257:262] == b"ustar":
        return "archive"
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0":
        return "image"
    if suffix in BINARY_NAMES:
        raise Refused("damaged", DAMAGED)
    raise Refused("unknown_type", UNKNOWN)


# --- zip: Office Open XML, OpenDocument, EPUB, or a plain archive


def _zip_kind(file: BinaryIO, suffix: str) -> str:
    _check_directory(file)
    try:
        with zipfile.ZipFile(file) as archive:
            found = _member_kind(archive)
        if found == "zip" and suffix in BINARY_NAMES - {".zip"}:
            raise Refused("damaged", DAMAGED)
        return found
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError, KeyError, struct.error) as error:
        raise Refused("damaged", DAMAGED_ZIP) from error


def _check_directory(file: BinaryIO) -> None:
    """Before `zipfile` loads the central directory into memory: is it of a sane size? (APPNOTE 4.3.16)"""
    size = file.seek(0, 2)
    file.seek(max(0, size - 65_557))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 22:
        raise Refused("damaged", DAMAGED_ZIP)
    (directory,) = struct.unpack_from("<I", tail, at + 12)
    if directory == 0xFFFFFFFF:
        directory = _large_directory(file, tail[:at])
    if directory > DIRECTORY_LIMIT:
        raise Refused("inflates", TOO_MANY_MEMBERS)


def _large_directory(file: BinaryIO, before: bytes) -> int:
    """The directory's size in an archive of the large kind (ZIP64, APPNOTE 4.3.14 and 4.3.15)."""
    if before[-20:-16] != b"PK\x06\x07":
        raise Refused("damaged", DAMAGED_ZIP)
    (at,) = struct.unpack_from("<Q", before, len(before) - 12)
    file.seek(min(at, 1 << 62))
    record = file.read(48)
    if record[:4] != b"PK\x06\x06" or len(record) < 48:
        raise Refused("damaged", DAMAGED_ZIP)
    return int(struct.unpack_from("<Q", record, 40)[0])


def _member_kind(archive: zipfile.ZipFile) -> str:
    names = {member.filename.lower() for member in archive.infolist()}
    if "[content_types].xml" in names:
        for folder, found in (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx")):
            if any(name.startswith(folder) for name in names):
                return "xlsb" if "xl/workbook.bin" in names else found
        return "package"
    if "mimetype" in names:
        found = _odf_kind(_peek(archive, "mimetype").decode("ascii", "replace"), "zip")
        if b"encryption-data" in _peek(archive, "META-INF/manifest.xml"):
            raise Refused("password_protected", ENCRYPTED)
        return found
    return "package" if any(name.endswith(PACKAGED) for name in names) else "zip"


def _odf_kind(mime: str, other: str) -> str:
    """Templates are read like what they are made for."""
    return ODF.get(mime.strip().removesuffix("-template"), other)


def _peek(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        with archive.open(name) as member:
            return member.read(MEMBER_LIMIT)
    except (KeyError, RuntimeError, zipfile.BadZipFile):
        return b""


# --- OLE2 compound files (MS-CFB): old Office, Outlook, and encrypted new Office


def _ole_kind(file: BinaryIO, head: bytes) -> str:
    """By the names in the directory, which starts at the sector that bytes 48..52 of the header name."""
    if len(head) < 512:
        raise Refused("damaged", DAMAGED)
    (shift,) = struct.unpack_from("<H", head, 30)
    (first,) = struct.unpack_from("<I", head, 48)
    file.seek(min((first + 1) << min(shift, 16), FARTHEST))
    directory = file.read(HEAD)
    names = directory + head
    for stream, found in OLE_STREAMS:
        if stream.encode("utf-16-le") in names:
            if found == "encrypted" or locked(file, found, directory, shift):
                raise Refused("password_protected", ENCRYPTED)
            return found
    if not directory:  # it lies beyond the end
        raise Refused("damaged", DAMAGED)
    return "ole"


# --- text


def _as_text(head: bytes) -> str | None:
    """The head decoded well enough to look for markup; None for binary data."""
    for bom, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if head.startswith(bom):
            return head.decode(encoding, "replace").lstrip("\ufeff")
    if b"\x00" in head:
        return _wide_text(head)
    controls = sum(head.count(bytes([code])) for code in range(32) if code not in (9, 10, 12, 13, 27))
    if controls > len(head) // 200:
        return None
    return head.decode("utf-8", "replace")


def _wide_text(head: bytes) -> str | None:
    """UTF-16 without a byte order mark: in Latin text nearly every other byte is zero."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = max(len(head) // 2, 1)
    if odd > 0.7 * half and even < 0.05 * half:
        return head.decode("utf-16-le", "replace")
    if even > 0.7 * half and odd < 0.05 * half:
        return head.decode("utf-16-be", "replace")
    return None


def _text_kind(text: str, suffix: str) -> str:
    named = TEXT_NAMES.get(suffix, "text")
    found = _by_content(text, named, suffix)
    if found:
        return found
    if suffix == ".eml":
        raise Refused("damaged", NO_MAIL)
    if suffix in BINARY_NAMES:
        raise Refused("damaged", DAMAGED)
    if named in ("html", "mhtml"):
        return "html" if TAG.search(text) else "text"
    return named


def _by_content(text: str, named: str, suffix: str) -> str:
    """The kind that shows in the text, where its name does not speak against it; "" if none does."""
    marked_up = HTML_START.match(text) or (suffix == ".xls" and TAG.match(text))
    signs = (
        ("mbox", named in ("text", "mbox") and MAILBOX.match(text)),
        ("calendar", named in ("text", "calendar") and CALENDAR.match(text)),
        ("spreadsheetml", WORKBOOK.search(text[:4_000])),
        ("mhtml", _is_web_archive(text) or (named == "mhtml" and HEADER.match(text.lstrip()))),
        ("eml", _is_mail(text, suffix)),
        ("html", named in ("text", "html", "xml", "csv") and marked_up),
    )
    return next((kind for kind, is_it in signs if is_it), "")


def _is_web_archive(text: str) -> bool:
    """A page as browsers and Word save it in one file: built like a mail, but nobody sent it."""
    start = _headers(text)
    found = {match.lower() for match in MAIL_HEADER.findall(start)}
    return "mime-version" in found and not found & SENT and bool(WEB_ARCHIVE.search(start))


def _headers(text: str) -> str:
    return re.split(r"\r?\n\s*\r?\n", text.lstrip(), maxsplit=1)[0]


def _is_mail(text: str, suffix: str) -> bool:
    """RFC 5322: a block of headers first. A text file that only looks like a memo stays text."""
    text = re.sub(r"\AFrom \S.*\r?\n", "", text.lstrip(), count=1)  # some programs export the line of a mailbox, too
    start = _headers(text)
    lines = start.splitlines()
    if not lines or not HEADER.match(lines[0]):
        return False
    found = {match.lower() for match in MAIL_HEADER.findall(start)}
    if suffix == ".eml":
        return bool(found)
    return len(found) >= 3 and bool(found & MACHINE_HEADERS)
