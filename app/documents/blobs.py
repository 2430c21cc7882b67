"""Bytes on disk: received into a temporary file while they are counted and hashed, then kept under their SHA-256.

A blob is put in place, and removed, while the database's write lock is held, so the two can never disagree
for long: a crash leaves at most a file that no row names, and `sweep` removes it at the next start.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.config import Settings
from app.db import tables
from app.db.session import Database, lock
from app.errors import BelegError, OutOfSpace, TooLarge

MIB = 1024 * 1024
PIECE = MIB
KEEP_FREE = 256 * MIB  # for the database, the index and the logs
_FORGOTTEN = 6 * 3600.0  # seconds after which a temporary file belongs to no upload any more


@dataclass(frozen=True)
class Received:
    """A whole file in a temporary place on the same file system as the blobs."""

    path: Path
    sha256: str
    size: int


@contextmanager
def receiving(settings: Settings, source: BinaryIO, size: int | None = None) -> Iterator[Received]:
    """`source` written to a temporary file, which is gone at the end of the block unless it was kept. `size`: bytes
    to come, if known. Errors: TooLarge, OutOfSpace."""
    if size is not None:
        _check_size(settings, size, size)
    _check_space(settings, size or 0)
    folder = incoming_dir(settings)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{tables.new_id()}{tables.new_id()}"
    try:
        with space_errors():
            received = _write(settings, source, path, size)
        yield received
    finally:
        path.unlink(missing_ok=True)


@contextmanager
def spooling(settings: Settings) -> Iterator[Path]:
    """A folder for the files that are found in a file; it and what was not kept are gone at the end of the block.
    Errors: OutOfSpace."""
    _check_space(settings, 0)
    folder = incoming_dir(settings) / f"{tables.new_id()}{tables.new_id()}"
    folder.mkdir(parents=True)
    try:
        with space_errors():
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def received_as(settings: Settings, path: Path) -> Received:
    """A whole file that lies in such a folder. Errors: TooLarge, OutOfSpace."""
    size = path.stat().st_size
    _check_size(settings, size, size)
    _check_space(settings, 0)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        os.fsync(file.fileno())
    return Received(path, digest, size)


def keep(db: Session, settings: Settings, received: Received) -> None:
    """Put a received file in place. Call in the transaction, with the write lock taken, that adds its content."""
    lock(db)
    target = blob_path(settings, received.sha256)
    with space_errors():
        if not target.parent.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            _sync_folder(settings.blobs_dir)
        os.replace(received.path, target)
        _sync_folder(target.parent)


def blob_path(settings: Settings, sha256: str) -> Path:
    return settings.blobs_dir / sha256[:2] / sha256


def incoming_dir(settings: Settings) -> Path:
    return settings.data_dir / "incoming"


def pictures_of(settings: Settings, sha256: str) -> Path:
    return settings.pictures_dir / sha256


def recognised_of(settings: Settings, sha256: str) -> Path:
    return settings.recognised_dir / sha256


def forget_recognised(settings: Settings, sha256: str) -> None:
    """It is read to its end, or nobody wants it any more."""
    shutil.rmtree(recognised_of(settings, sha256), ignore_errors=True)


def remove_unused(database: Database, settings: Settings, sha256: str) -> None:
    """Remove blob, page pictures and recognised pages of these bytes, unless a content has them (again)."""
    with database.session() as db:
        lock(db)
        if db.scalar(select(tables.Content.id).where(tables.Content.sha256 == sha256).limit(1)) is None:
            blob_path(settings, sha256).unlink(missing_ok=True)
            shutil.rmtree(pictures_of(settings, sha256), ignore_errors=True)
            forget_recognised(settings, sha256)


def sweep(database: Database, settings: Settings) -> int:
    """Remove what a crash left: blobs and pictures that no content names, recognised pages of files that are read, old
    temporary files. Returns how many."""
    found = {path.name for path in settings.blobs_dir.glob("??/*")}
    found |= {path.name for path in settings.pictures_dir.glob("*")}
    with database.session() as db:
        unnamed = found - set(db.scalars(select(tables.Content.sha256)))
    for sha256 in unnamed:
        remove_unused(database, settings, sha256)
    return len(unnamed) + _sweep_recognised(database, settings) + _sweep_incoming(settings)


def _sweep_recognised(database: Database, settings: Settings) -> int:
    """Of files that are read. To be called before any is read again."""
    found = {path.name for path in settings.recognised_dir.glob("*")}
    with database.session() as db:
        unread = tables.Content.state.in_(("queued", "reading"))
        done = found - set(db.scalars(select(tables.Content.sha256).where(unread))) if found else set()
    for sha256 in done:
        forget_recognised(settings, sha256)
    return len(done)


def _sweep_incoming(settings: Settings) -> int:
    removed = 0
    for path in incoming_dir(settings).glob("*"):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - _FORGOTTEN:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                removed += 1
    return removed


def _write(settings: Settings, source: BinaryIO, path: Path, expected: int | None) -> Received:
    digest, size = hashlib.sha256(), 0
    with path.open("xb") as file:
        while piece := source.read(PIECE):
            size += len(piece)
            _check_size(settings, size, expected)
            if size % (16 * MIB) < len(piece):
                _check_space(settings, 0)
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return Received(path, digest.hexdigest(), size)


def _check_size(settings: Settings, so_far: int, expected: int | None) -> None:
    if so_far <= settings.upload_mib * MIB:
        return
    hint = "Split it into smaller files, or ask the administrator to raise BELEG_UPLOAD_MIB."
    if expected is None:
        raise TooLarge("The file is larger than %(limit)s MiB, the limit here.", hint, limit=settings.upload_mib)
    raise TooLarge(
        "The file has %(size)s MiB; the limit here is %(limit)s MiB.",
        hint,
        size=-(-expected // MIB),
        limit=settings.upload_mib,
    )


def _check_space(settings: Settings, needed: int) -> None:
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(settings.data_dir).free < needed + KEEP_FREE:
        raise _out_of_space()


@contextmanager
def space_errors() -> Iterator[None]:
    """A full disk is said to be one, whether a file or the database met it."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _out_of_space() from error
        raise
    except OperationalError as error:
        if "disk is full" in str(error):
            raise _out_of_space() from error
        raise


def _out_of_space() -> BelegError:
    return OutOfSpace(
        "The server's disk is full, so the file was not stored.",
        "Ask the administrator to make room, then upload it again.",
    )


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
