"""Taking a file in: size, space and type are checked, then it is stored under its hash and waits to be read."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.collections.access import find
from app.config import Settings
from app.db import tables
from app.db.session import lock
from app.documents.blobs import Received, blob_path, keep, receiving, space_errors
from app.documents.names import clean
from app.documents.revisions import Place, add_revision
from app.documents.types import DocumentView, Stores
from app.documents.views import load_view
from app.errors import BelegError, Invalid, UnsupportedType
from ingestion.sniff import sniff
from ingestion.types import Refused

# Refusals that say more about the server at that moment than about the file: the same bytes get another try.
_WORTH_ANOTHER_TRY = ("too_slow", "too_much_memory", "crashed", "missing")
_WRONG_KIND = ("unknown_type", "unsupported_type")


def accept(  # noqa: PLR0917  the order of the contract
    services: Stores,
    viewer: Viewer,
    collection_id: str,
    name: str,
    source: BinaryIO,
    folder: str = "",
    *,
    size: int | None = None,
) -> DocumentView:
    """Store `source` as a document. `name` may carry a path; `folder` is where it stood in an uploaded folder; `size`
    is the number of bytes, when known before. The same bytes under the same name and folder give the document that is
    there already (`existed`); other bytes are its next revision. Nothing is left behind on error.

    Errors: NotFound (collection), TooLarge, OutOfSpace, UnsupportedType, Invalid (empty, damaged, protected)."""
    name, folder = clean(name, folder)
    with services.database.session() as db:
        find(db, viewer, collection_id, edit=True)
    with receiving(services.settings, source, size) as received:
        kind = kind_of(received.path, name)
        with space_errors(), services.database.session() as db:
            lock(db)
            find(db, viewer, collection_id, edit=True)  # it may have been taken away during a long upload
            place = Place(collection_id, name, folder, viewer.user_id)
            view = _store(db, services.settings, received, kind, place)
    services.database.sync()
    return view


def kind_of(path: Path, name: str) -> str:
    """The format of a received file. Errors: UnsupportedType, Invalid; `code` is the refusal's."""
    try:
        return sniff(path, name)
    except Refused as refused:
        raise _as_error(refused) from refused


def add_document(db: Session, content: tables.Content, place: Place) -> tuple[tables.Document, bool]:
    """The document of these bytes at this place, and whether it was there before; other bytes than before are its next
    revision. With the write lock taken."""
    return add_revision(db, content, place, unpacked=not _may_hold_files(content))


def add_content(db: Session, settings: Settings, received: Received, kind: str) -> tables.Content:
    """The content of these bytes, new (queued) or known. With the write lock taken."""
    query = select(tables.Content).where(tables.Content.sha256 == received.sha256, tables.Content.format == kind)
    content = db.scalars(query).first()
    had_file = blob_path(settings, received.sha256).exists()
    if not had_file:
        keep(db, settings, received)
    if content is None:
        content = tables.Content(sha256=received.sha256, size=received.size, format=kind)
        db.add(content)
    elif content.state == "refused" and (content.refusal_code in _WORTH_ANOTHER_TRY or not had_file):
        content.state, content.attempts, content.queued_at = "queued", 0, time.time()
        content.pages_read = content.pages_total = 0
    db.flush()
    return content


def _may_hold_files(content: tables.Content) -> bool:
    """Files were found in it, or it was not read yet."""
    return content.attachments > 0 or content.state not in ("indexing", "ready")


def _store(db: Session, settings: Settings, received: Received, kind: str, place: Place) -> DocumentView:
    content = add_content(db, settings, received, kind)
    document, existed = add_document(db, content, place)
    return replace(load_view(db, document.id), existed=existed)


def _as_error(refused: Refused) -> BelegError:
    kind = UnsupportedType if refused.code in _WRONG_KIND else Invalid
    values = {key: value if isinstance(value, str) else int(value) for key, value in refused.values.items()}
    return kind(refused.reason, "", code=refused.code, field="file", **values)
