"""What Outlook packs into `winmail.dat` (TNEF, MS-OXTNEF): the files attached to a mail and, where a mail has no other
text, its body in rich text."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from ingestion.parsers.encoding import decode
from ingestion.parsers.lines import file_name
from ingestion.parsers.outlook_rtf import rich_text
from ingestion.types import Attachment

_SIGNATURE = b"\x78\x9f\x3e\x22"
_RENDERING, _TITLE, _DATA, _PROPERTIES, _MESSAGE, _BODY = 0x9002, 0x8010, 0x800F, 0x9005, 0x9003, 0x800C  # attributes
_LONG_NAME, _OBJECT, _RTF = 0x3707, 0x3701, 0x1009  # properties
_FIXED = {0x02: 4, 0x03: 4, 0x04: 4, 0x0A: 4, 0x0B: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x14: 8, 0x40: 8, 0x48: 16}
_WIDE, _OBJECT_TYPE = 0x1F, 0x0D
_MOST = 1_000  # properties of one thing
_MOST_FILES = 200


def is_tnef(data: bytes) -> bool:
    return data.startswith(_SIGNATURE)


def unpacked(data: bytes) -> tuple[list[Attachment], Attachment | None]:
    """The files in it, and the body as one. What is broken ends it; what came before is kept."""
    files: list[Attachment] = []
    body = text = b""
    for attribute, value in _attributes(data):
        if attribute == _RENDERING and len(files) < _MOST_FILES:
            files.append(Attachment(f"attachment-{len(files) + 1}"))
        elif attribute == _MESSAGE:
            body = rich_text(dict(_properties(value)).get(_RTF, b""))
        elif attribute == _BODY:
            text = value.rstrip(b"\0")
        elif files and attribute in (_TITLE, _DATA, _PROPERTIES):
            files[-1] = _completed(files[-1], attribute, value)
    written = Attachment("message.rtf", body) if body else Attachment("message.txt", text)
    return [one for one in files if one.data], written if written.data else None


def _completed(file: Attachment, attribute: int, value: bytes) -> Attachment:
    if attribute == _TITLE:
        return replace(file, name=file_name(decode(value.rstrip(b"\0"))) or file.name)
    if attribute == _DATA:
        return replace(file, data=value)
    found = dict(_properties(value))
    long_name = file_name(decode(found.get(_LONG_NAME, b"")))
    inner = found.get(_OBJECT, b"")
    return replace(file, name=long_name or file.name, data=file.data or _message(inner))


def _message(data: bytes) -> bytes:
    """A message in the message is packed the same way; it has no form of its own that could be read."""
    return b"" if is_tnef(data) else data


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 6  # signature, key
    while at + 9 <= len(data):
        attribute, _, length = struct.unpack_from("<HHI", data, at + 1)
        if at + 9 + length > len(data):
            return
        yield attribute, data[at + 9 : at + 9 + length]
        at += 9 + length + 2  # a checksum


def _properties(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and first value; texts as UTF-8."""
    with suppress(struct.error):
        (count,) = struct.unpack_from("<I", data)
        at = 4
        for _ in range(min(count, _MOST)):
            kind, number = struct.unpack_from("<HH", data, at)
            at = _after_name(data, at + 4) if number >= 0x8000 else at + 4
            size = _FIXED.get(kind & 0xFFF)
            if size is not None and not kind & 0x1000:
                yield number, data[at : at + size]
                at += size
                continue
            (values,) = struct.unpack_from("<I", data, at)
            at += 4
            for place in range(min(values, _MOST)):
                if size is not None:
                    at += size
                    continue
                (length,) = struct.unpack_from("<I", data, at)
                value = data[at + 4 : at + 4 + length]
                if place == 0:
                    yield number, _as_bytes(kind & 0xFFF, value)
                at += 4 + length + -length % 4


def _after_name(data: bytes, at: int) -> int:
    """A property of a program's own has a name: a number, or a text."""
    (kind,) = struct.unpack_from("<I", data, at + 16)
    if kind == 0:
        return at + 24
    (length,) = struct.unpack_from("<I", data, at + 20)
    return int(at + 24 + length + -length % 4)


def _as_bytes(kind: int, value: bytes) -> bytes:
    if kind == _OBJECT_TYPE:
        return value[16:]  # after the id of its interface
    if kind == _WIDE:
        return value.decode("utf-16-le", "replace").rstrip("\0").encode()
    return value if kind > _WIDE else value.rstrip(b"\0")
