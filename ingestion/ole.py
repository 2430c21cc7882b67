"""Compound files (MS-CFB): is an old office file in one of them locked with a password?"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

ENTRY = 128  # bytes of a directory entry
LOOKED_AT = 4_096  # bytes of a stream
_LOCK, _RECORDS = 0x2F, 40  # FILEPASS of a workbook stands among its first records


def locked(file: BinaryIO, kind: str, directory: bytes, shift: int) -> bool:
    """Is the document, workbook or presentation (`kind` doc, xls, ppt) encrypted? `directory` is the directory of the
    compound file, whose sectors have two to the power of `shift` bytes."""
    if kind == "ppt":
        return "EncryptedSummary".encode("utf-16-le") in directory
    for name, sector in _streams(directory):
        file.seek((sector + 1) << min(shift, 16))
        if kind == "doc" and name == "WordDocument":
            return _locked_document(file.read(LOOKED_AT))
        if kind == "xls" and name in ("Workbook", "Book"):
            return _locked_workbook(file.read(LOOKED_AT))
    return False


def _streams(directory: bytes) -> Iterator[tuple[str, int]]:
    for at in range(0, len(directory) - ENTRY + 1, ENTRY):
        entry = directory[at : at + ENTRY]
        (length,) = struct.unpack_from("<H", entry, 64)
        if entry[66] == 2 and 2 <= length <= 64:
            yield entry[: length - 2].decode("utf-16-le", "replace"), struct.unpack_from("<I", entry, 116)[0]


def _locked_document(head: bytes) -> bool:
    """MS-DOC 2.5.2: the base of the FIB has a flag for it."""
    if len(head) < 12 or head[:2] not in (b"\xec\xa5", b"\xdc\xa5"):
        return False
    return bool(struct.unpack_from("<H", head, 10)[0] & 0x0100)


def _locked_workbook(head: bytes) -> bool:
    """MS-XLS 2.4.117: a FILEPASS record."""
    at = 0
    for _ in range(_RECORDS):
        if at + 4 > len(head):
            return False
        record, length = struct.unpack_from("<HH", head, at)
        if record == _LOCK:
            return True
        at += 4 + length
    return False
