"""Members of a zip within bounds: inflated in pieces, the real bytes counted, declared sizes not believed."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path

from ingestion.types import Refused

MIB = 2**20
PIECE = 2**18
RATIO = 400  # times its own size that an archive may unpack to, above `FREE` bytes
FREE = 64 * MIB
BROKEN = (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, OSError, ValueError, NotImplementedError, KeyError)

DAMAGED = "This file is damaged or cut off. Open it in its program, save it anew and upload that copy."
INFLATES = "This file unpacks to more than %(limit)s MiB, which is not safe to read. Split it into smaller files."
RATIO_BROKEN = "This file unpacks to more than %(times)s times its size, which is not safe to read."


class MemberTooLarge(Exception):
    """A member holds more bytes than one may."""


class Archive:
    """An open zip. `inflated` counts the bytes of all members that were read so far, which may be `most` together."""

    def __init__(self, archive: zipfile.ZipFile, size: int, most: int) -> None:
        self._zip = archive
        self._size = size
        self._most = most
        self.inflated = 0
        self.members = archive.infolist()

    def pieces(self, member: zipfile.ZipInfo, most: int) -> Iterator[bytes]:
        """The member's bytes. Raises `MemberTooLarge` above `most` bytes, `Refused` ("inflates") when all that was
        read is too much, `RuntimeError` when it is encrypted, one of `BROKEN` when it is damaged."""
        size = 0
        with self._zip.open(member) as source:
            while piece := source.read(PIECE):
                size += len(piece)
                self.inflated += len(piece)
                self._check()
                if size > most:
                    raise MemberTooLarge
                yield piece

    def data(self, name: str, most: int) -> bytes | None:
        """All bytes of a member; None if there is none of this name or it cannot be read."""
        try:
            return b"".join(self.pieces(self._zip.getinfo(name), most))
        except (*BROKEN, MemberTooLarge, RuntimeError):
            return None

    def _check(self) -> None:
        if self.inflated > self._most:
            raise Refused("inflates", INFLATES, limit=self._most // MIB)
        if self.inflated > max(FREE, RATIO * self._size):
            raise Refused("inflates", RATIO_BROKEN, times=RATIO)


@contextmanager
def opened(path: Path, most: int) -> Iterator[Archive]:
    """The zip at `path`, of which at most `most` bytes are inflated. Raises `Refused` "damaged"."""
    try:
        archive = zipfile.ZipFile(path)
    except BROKEN as error:
        raise Refused("damaged", DAMAGED) from error
    with archive:
        yield Archive(archive, path.stat().st_size, most)
