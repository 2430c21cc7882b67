"""A generation of the index: an immutable folder with a manifest that names every file, its size and its digest.

    root/CURRENT                     "generation-00000012 <digest of its manifest>"
    root/generation-00000012/        manifest.json contents.json keys-*.npy vectors-*.npy lexical/
    root/building/                   the next one while it is made; swept away when a writer opens

A folder gets its name in one rename, after everything in it is on the disk; `CURRENT` is switched in a second rename.
So a crash at any moment leaves the old generation current or the new one, each whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from .types import Problem

CURRENT = "CURRENT"
BUILDING = "building"
LEXICAL = "lexical"
MANIFEST = "manifest.json"
CONTENTS = "contents.json"
_PREFIX = "generation-"


class Damaged(Exception):
    """A generation that does not verify; the text says which file and why."""


@dataclass(frozen=True)
class Stamp:
    """What an index was made with; vectors and words of another stamp do not compare."""

    embedder_id: str
    dim: int
    analyser: str

    def same_vectors(self, other: Stamp) -> bool:
        return (self.embedder_id, self.dim) == (other.embedder_id, other.dim)


@dataclass(frozen=True)
class FileRecord:
    """A file of a generation: path within it, bytes, BLAKE2b-128 in hex."""

    path: str
    size: int
    digest: str


Verified = dict[FileRecord, int]
"""Files whose bytes were read and found right, with their inode: an immutable file is read once a process."""


@dataclass(frozen=True)
class ContentRecord:
    """A content in the index; `since` is the number of the generation it came with."""

    content_id: int
    passages: int
    language: str
    since: int


@dataclass(frozen=True)
class Manifest:
    """`segments` name the vector segments; `passages` counts rows in them and documents in the lexical index alike."""

    stamp: Stamp
    passages: int
    contents: int
    segments: tuple[str, ...]
    files: tuple[FileRecord, ...]


@dataclass(frozen=True)
class Generation:
    """A generation on disk whose manifest and list of contents have been read."""

    number: int
    folder: Path
    manifest: Manifest
    contents: dict[int, ContentRecord]
    digest: str


def folder_name(number: int) -> str:
    return f"{_PREFIX}{number:08d}"


def numbers(root: Path) -> list[int]:
    """Numbers of the generations on disk, newest first."""
    names = [entry.name for entry in root.iterdir()] if root.is_dir() else []
    return sorted((number for number in map(_number, names) if number), reverse=True)


def current(root: Path) -> tuple[int, str]:
    """Number and manifest digest of the current generation; (0, "") when there never was one. Raises `Damaged`."""
    try:
        line = (root / CURRENT).read_bytes().decode("ascii")
    except FileNotFoundError:
        return 0, ""
    except UnicodeDecodeError as error:
        raise Damaged(f"{CURRENT} is not readable") from error
    name, _, digest = line.removesuffix("\n").partition(" ")
    if not line.endswith("\n") or not _number(name):
        raise Damaged(f"{CURRENT} names no generation")
    return _number(name), digest


def candidates(root: Path, verified: Verified, problems: list[Problem]) -> Iterator[Generation]:
    """Verified generations, the current one first, then the others, newest first; what does not verify is noted in
    `problems`. Nothing, and no problem, where there is no index. Other generations are whole, too: only their time is
    over, or had not come."""
    tried = 0
    try:
        tried, digest = current(root)
        if tried:
            yield load(root, tried, verified, digest)
        elif numbers(root):
            problems.append(Problem("damaged", f"{CURRENT} is missing"))
    except Damaged as error:
        problems.append(Problem("damaged", str(error)))
    for number in numbers(root):
        try:
            yield load(root, number, verified)
        except Damaged as error:
            if number != tried:
                problems.append(Problem("damaged", str(error)))


def load(root: Path, number: int, verified: Verified, digest: str = "") -> Generation:
    """Read and verify a generation. Files in `verified` are not read again; what verifies is added to it.
    Raises `Damaged`."""
    folder = root / folder_name(number)
    manifest, found = _read_manifest(folder)
    if digest and found != digest:
        raise Damaged(f"{CURRENT} is for another {folder.name}")
    for record in manifest.files:
        _verify(folder, record, verified)
    contents = {c.content_id: c for c in _read_contents(folder)}
    if len(contents) != manifest.contents or sum(c.passages for c in contents.values()) != manifest.passages:
        raise Damaged(f"{folder.name}/{CONTENTS} does not agree with its manifest")
    return Generation(number, folder, manifest, contents, found)


def seal(
    folder: Path, stamp: Stamp, segments: list[str], contents: Collection[ContentRecord], verified: Verified
) -> str:
    """Write list of contents and manifest into a finished folder and put all of it on the disk; returns the manifest's
    digest. Files in `verified` were written and synced before and are taken over unread."""
    rows = [astuple(record) for record in contents]
    (folder / CONTENTS).write_text(json.dumps(rows), encoding="utf-8")
    known = {(record.path, inode): record for record, inode in verified.items()}
    files = tuple(_record(folder, path, known, verified) for path in sorted(_files(folder)))
    passages = sum(c.passages for c in contents)
    body = json.dumps(asdict(Manifest(stamp, passages, len(contents), tuple(segments), files)), indent=1).encode()
    digest = _digest(body)
    (folder / MANIFEST).write_bytes(body + b"\n" + digest.encode() + b"\n")
    for path in (MANIFEST, ".", LEXICAL):
        sync(folder / path)
    return digest


def switch(root: Path, number: int, digest: str) -> None:
    """Make a generation current: on return it is, even if the power fails."""
    beside = root / (CURRENT + ".new")
    beside.write_text(f"{folder_name(number)} {digest}\n", encoding="ascii")
    sync(beside)
    beside.replace(root / CURRENT)
    sync(root)


def sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def share(before: Path, after: Path) -> None:
    """Give an immutable file a second name; a copy where the file system knows no hard links."""
    try:
        os.link(before, after)
    except OSError:
        shutil.copyfile(before, after)


def delete(folder: Path) -> None:
    """Remove a folder and what is in it. A reader that has it open keeps its files until it lets go."""
    for _ in range(3):  # a reader may just be leaving a lock file in it
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def _number(name: str) -> int:
    digits = name.removeprefix(_PREFIX)
    return int(digits) if digits != name and digits.isascii() and digits.isdecimal() else 0


def _files(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if path.is_file() and path.name != MANIFEST and not path.name.endswith(".lock"):
            yield path.relative_to(folder).as_posix()


def _record(folder: Path, path: str, known: dict[tuple[str, int], FileRecord], verified: Verified) -> FileRecord:
    inode = (folder / path).stat().st_ino
    record = known.get((path, inode))
    if record is None:
        sync(folder / path)
        record = FileRecord(path, *_measure(folder / path))
        verified[record] = inode
    return record


def _verify(folder: Path, record: FileRecord, verified: Verified) -> None:
    path = folder / record.path
    try:
        status = path.stat()
        if verified.get(record) == status.st_ino and status.st_size == record.size:
            return
        size, digest = _measure(path)
    except OSError as error:
        raise Damaged(f"{folder.name}/{record.path} cannot be read ({error.strerror})") from error
    if size != record.size:
        raise Damaged(f"{folder.name}/{record.path} has {size} bytes instead of {record.size}")
    if digest != record.digest:
        raise Damaged(f"{folder.name}/{record.path} has changed on the disk (its checksum is wrong)")
    verified[record] = status.st_ino


def _measure(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        digest = hashlib.blake2b(digest_size=16)
        while piece := file.read(1 << 20):
            digest.update(piece)
        return file.tell(), digest.hexdigest()


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _read_manifest(folder: Path) -> tuple[Manifest, str]:
    """The manifest and its digest, which is its own last line."""
    try:
        body, digest = _split((folder / MANIFEST).read_bytes())
    except OSError as error:
        raise Damaged(f"{folder.name}/{MANIFEST} cannot be read ({error.strerror})") from error
    if _digest(body) != digest:
        raise Damaged(f"{folder.name}/{MANIFEST} has changed on the disk (its checksum is wrong)")
    raw = json.loads(body)
    stamp, files = Stamp(**raw["stamp"]), tuple(FileRecord(**record) for record in raw["files"])
    return Manifest(stamp, raw["passages"], raw["contents"], tuple(raw["segments"]), files), digest


def _split(manifest: bytes) -> tuple[bytes, str]:
    body, _, digest = manifest.removesuffix(b"\n").rpartition(b"\n")
    return body, digest.decode("ascii", "replace") if manifest.endswith(b"\n") else ""


def _read_contents(folder: Path) -> list[ContentRecord]:
    return [ContentRecord(*row) for row in json.loads((folder / CONTENTS).read_text(encoding="utf-8"))]
