"""Outlook's .msg (MS-OXMSG): properties of a message, its receivers and attachments, in streams of an OLE file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from olefile import OleFileIO

from ingestion.parsers.encoding import decode

MOST_ITEMS = 1_000  # receivers, attachments
MOST_TEXT = 32 * 2**20  # bytes of one text property
_PROPERTIES = "__properties_version1.0"
_ENTRY = struct.Struct("<HHIQ")  # type, id, flags, value
_TEXT, _ANSI, _BINARY, _STORAGE = "001F", "001E", "0102", "000D"
_CODE_PAGES = {65001: "utf-8", 20127: "ascii", 28591: "cp1252", 28605: "iso8859-15", 50220: "iso2022-jp"}


class Storage:
    """A message, receiver or attachment: the folder `path` of the OLE file. `header` is the length of what stands
    before its properties."""

    def __init__(self, ole: OleFileIO, path: tuple[str, ...] = (), header: int = 32, encoding: str = "") -> None:
        self._ole = ole
        self._path = path
        self._fixed = dict(self._entries(header))
        self.encoding = self._encoding() or encoding

    def text(self, *properties: int) -> str:
        """The first of these properties that holds any text."""
        for number in properties:
            wide, narrow = self._stream(number, _TEXT, MOST_TEXT), self._stream(number, _ANSI, MOST_TEXT)
            found = wide.decode("utf-16-le", "replace") if wide else decode(narrow, self.encoding)
            if found.strip("\0 \r\n\t"):
                return found.replace("\0", "")
        return ""

    def binary(self, number: int, most: int) -> bytes:
        """At most `most` bytes of a property; none if there are more."""
        return self._stream(number, _BINARY, most)

    def number(self, number: int) -> int:
        return self._fixed.get(number, 0) & 0xFFFFFFFF

    def time(self, *properties: int) -> datetime | None:
        """The first of these properties that is set, in UTC."""
        for number in properties:
            ticks = self._fixed.get(number, 0)
            if 0 < ticks < 10**18 * 3:
                return datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks // 10)
        return None

    def receivers(self) -> Iterator[Storage]:
        yield from self._inner("__recip_version1.0_")

    def attachments(self) -> Iterator[Storage]:
        yield from self._inner("__attach_version1.0_")

    def message(self) -> Storage | None:
        """The message that is attached here, if it is one."""
        path = (*self._path, f"__substg1.0_3701{_STORAGE}")
        if not self._ole.exists([*path, _PROPERTIES]):
            return None
        return Storage(self._ole, path, 24, self.encoding)

    def _inner(self, name: str) -> Iterator[Storage]:
        for number in range(MOST_ITEMS):
            path = (*self._path, f"{name}#{number:08X}")
            if self._ole.exists([*path, _PROPERTIES]):
                yield Storage(self._ole, path, 8, self.encoding)

    def _stream(self, number: int, kind: str, most: int) -> bytes:
        path = [*self._path, f"__substg1.0_{number:04X}{kind}"]
        if not self._ole.exists(path) or self._ole.get_type(path) != 2 or self._ole.get_size(path) > most:
            return b""
        return bytes(self._ole.openstream(path).read())

    def _entries(self, header: int) -> Iterator[tuple[int, int]]:
        data = self._ole.openstream([*self._path, _PROPERTIES]).read(2**20)
        for at in range(header, len(data) - _ENTRY.size + 1, _ENTRY.size):
            _, number, _, value = _ENTRY.unpack_from(data, at)
            yield number, value

    def _encoding(self) -> str:
        """Of texts that are not Unicode: PidTagInternetCodepage, PidTagMessageCodepage."""
        page = self.number(0x3FDE) or self.number(0x3FFD)
        return _CODE_PAGES.get(page, f"cp{page}" if page else "")
