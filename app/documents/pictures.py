"""Pictures of pages: drawn in a limited process when first asked for, kept in a bounded cache beside the blobs."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from sqlalchemy import select

from app.db import tables
from app.documents.blobs import MIB, pictures_of
from app.documents.limits import parse_limits
from app.documents.types import Stores
from app.errors import Invalid, NotFound, NotReady
from ingestion.sandbox import draw_page
from ingestion.types import Refused

CACHE_BYTES = 512 * MIB
WAIT_SECONDS = 60
_turn = threading.BoundedSemaphore(2)  # drawings at a time: each is a process of up to some 100 MiB


def draw(services: Stores, original: Path, sha256: str, page: int) -> bytes:
    """Page `page` (from 1) as PNG. Errors: Invalid (cannot be drawn), NotReady (too many at once), NotFound
    (deleted)."""
    kept = pictures_of(services.settings, sha256) / f"{page}.png"
    cached = _read(kept)
    if cached is not None:
        return cached
    if not _turn.acquire(timeout=WAIT_SECONDS):
        raise NotReady("Too many pages are being drawn right now.", "Try again in a moment.")
    try:
        return _read(kept) or _draw(services, original, kept, sha256, page)
    finally:
        _turn.release()


def _draw(services: Stores, original: Path, kept: Path, sha256: str, page: int) -> bytes:
    try:
        picture = draw_page(original, page, parse_limits(services.settings))
    except Refused as refused:
        if not original.exists():
            raise NotFound("There is no such document.", "It may have been deleted.") from refused
        values = {key: str(value) for key, value in refused.values.items()}
        raise Invalid(refused.reason, "Open the original instead.", code=refused.code, **values) from refused
    with suppress(OSError):  # a full disk must not hide the page
        _keep(services, kept, sha256, picture)
    return picture


def _keep(services: Stores, kept: Path, sha256: str, picture: bytes) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    temporary = kept.with_suffix(f".{tables.new_id()}")
    temporary.write_bytes(picture)
    os.replace(temporary, kept)
    with services.database.session() as db:
        if db.scalar(select(tables.Content.id).where(tables.Content.sha256 == sha256).limit(1)) is None:
            kept.unlink(missing_ok=True)  # deleted while it was drawn
    trim(services.settings.pictures_dir, CACHE_BYTES)


def trim(folder: Path, most: int) -> None:
    """Remove the pictures that were not looked at for longest, until at most `most` bytes are left."""
    found = []
    for path in folder.glob("*/*"):
        with suppress(OSError):
            stat = path.stat()
            found.append((stat.st_mtime, stat.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= most:
            return
        path.unlink(missing_ok=True)
        total -= size


def _read(kept: Path) -> bytes | None:
    try:
        picture = kept.read_bytes()
        os.utime(kept)  # looked at now
    except OSError:
        return None
    return picture
