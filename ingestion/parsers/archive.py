"""Zip archives as sets of documents: every file in it is handed on with its folder; the list of them is the text.

Read twice: first all members are inflated and counted, so that it is known which are whole and how large they really
are, then they are handed on one after the other, never two in memory.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ingestion.parsers.archive_members import BROKEN, MIB, Archive, opened
from ingestion.parsers.archive_names import is_litter, is_special, place_of, shown
from ingestion.parsers.lines import one_line
from ingestion.types import Attachment, Block, FilesOnDemand, Line, Outcome, Page, Parsed, Refused, Warning

MOST = 16 * 1024 * MIB  # bytes of all members; how much is kept is for the receiver to say
MOST_MEMBERS = 100_000
MOST_NAMED = 20  # members that are named in one warning
ITSELF = "The archive contains itself, so that unpacking it would never end. Upload the documents in it."
LOCKED = "The archive is password protected. Unpack it and upload the documents in it, or pack them without a password."
NOTHING = "The archive holds no files that can be taken out of it. Upload the documents one by one."
TOO_MANY = "The archive holds more than %(most)s files. Upload the documents in smaller parts."
LEFT_OUT = {
    "encrypted": "Password protected files in the archive were not taken out: %(names)s.",
    "special": "Links and devices in the archive were not followed: %(names)s.",
    "damaged": "Files in the archive that are damaged or packed in an unknown way were not taken out: %(names)s.",
}


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page: the list of files. Raises `Refused`: "damaged", "password_protected", "inflates", "no_text"."""
    with opened(path, MOST) as archive:
        if len(archive.members) > MOST_MEMBERS:
            raise Refused("too_large", TOO_MANY, most=MOST_MEMBERS)
        judged = list(_judged(archive, _digest(path), path.stat().st_size))
    kept = [one for one in judged if not one.fault]
    if not kept:
        raise _refusal(judged)
    on_page(1, 1)
    lines = tuple(Line(one_line(shown(one.folder, one.name))) for one in kept)
    warnings = tuple(_warnings(judged))
    outcome: Outcome = "partial" if warnings else "text"
    page = Page(1, (Block("list", lines),))
    return Parsed("zip", outcome, (page,), False, warnings=warnings, attachments=Members(path, kept))


@dataclass(frozen=True)
class Member:
    """A file in the archive; `at` is its place in the directory, `fault` why it is left out (see `LEFT_OUT`)."""

    at: int
    folder: str
    name: str
    fault: str = ""


@dataclass(frozen=True)
class _Packed(Attachment):
    """A member that is inflated when it is asked for its bytes."""

    source: Callable[[], Iterator[bytes]] | None = None

    def pieces(self) -> Iterator[bytes]:
        assert self.source is not None
        return self.source()


class Members(FilesOnDemand):
    """The files in an archive, opened anew for each run through them."""

    def __init__(self, path: Path, members: Sequence[Member]) -> None:
        self._path = path
        self._members = members

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[Attachment]:
        with opened(self._path, MOST) as archive:
            for one in self._members:
                info = archive.members[one.at]
                yield _Packed(one.name, folder=one.folder, source=partial(archive.pieces, info, MOST))

    def one(self, at: int) -> Attachment:
        member = self._members[at]
        with opened(self._path, MOST) as archive:
            data = b"".join(archive.pieces(archive.members[member.at], MOST))
        return Attachment(member.name, data, member.folder)


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _judged(archive: Archive, own: bytes, size: int) -> Iterator[Member]:
    """Every file but what programs leave behind, inflated once to see whether it is whole."""
    for at, member in enumerate(archive.members):
        folder, name = place_of(member)
        if member.is_dir() or not name or is_litter(folder, name):
            continue
        fault = _fault(archive, member, own, size)
        yield Member(at, folder, name, fault)


def _fault(archive: Archive, member: zipfile.ZipInfo, own: bytes, size: int) -> str:
    if member.flag_bits & 1:
        return "encrypted"
    if is_special(member):
        return "special"
    digest, length = hashlib.sha256(), 0
    try:
        for piece in archive.pieces(member, MOST):
            length += len(piece)
            digest.update(piece)
    except (*BROKEN, RuntimeError, MemoryError):
        return "damaged"
    if length == size and digest.digest() == own:
        raise Refused("inflates", ITSELF)
    return ""


def _refusal(judged: Sequence[Member]) -> Refused:
    faults = {one.fault for one in judged}
    if "encrypted" in faults:
        return Refused("password_protected", LOCKED)
    return Refused("no_text", NOTHING)


def _warnings(judged: Sequence[Member]) -> Iterator[Warning]:
    for fault, template in LEFT_OUT.items():
        names = [one_line(shown(one.folder, one.name)) for one in judged if one.fault == fault]
        if names:
            more = f" (+{len(names) - MOST_NAMED})" if len(names) > MOST_NAMED else ""
            yield Warning("member_left_out", template % {"names": ", ".join(names[:MOST_NAMED]) + more})
