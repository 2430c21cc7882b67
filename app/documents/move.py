"""Another name, folder or collection for a document. All its revisions and attachments go with it; nothing is read
again, since the content stays the same."""

from __future__ import annotations

import time

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.collections.access import find
from app.db import tables
from app.db.session import lock, pieces
from app.documents.names import clean
from app.documents.read import get_document
from app.documents.revisions import with_belongings
from app.documents.types import DocumentView, Stores
from app.documents.views import load_view
from app.errors import Conflict, Invalid


def move_document(
    services: Stores,
    viewer: Viewer,
    id: str,
    *,
    name: str | None = None,
    folder: str | None = None,
    collection_id: str | None = None,
) -> DocumentView:
    """What is None stays as it is. The viewer must be allowed to edit both collections. Errors: NotFound, Conflict
    (the name is taken there, or the document came in another one), Invalid (no name)."""
    with services.database.session() as db:
        lock(db)
        document = get_document(db, viewer, id, edit=True)
        target = find(db, viewer, collection_id or document.collection_id, edit=True).id
        wanted = _place(document, name, folder)
        if (target, *wanted) != (document.collection_id, document.name, document.folder):
            _require_own_name(document)
            _require_free(db, document, target, *wanted)
            _move(db, document, target, *wanted)
        return load_view(db, id)


def _place(document: DocumentView, name: str | None, folder: str | None) -> tuple[str, str]:
    if name is not None and not name.strip(" ./\\"):
        raise Invalid("A document needs a name.", "Write one.", field="name")
    return clean(document.name if name is None else name, document.folder if folder is None else folder)


def _require_own_name(document: DocumentView) -> None:
    if document.parent_id is not None:
        raise Conflict(
            "%(name)s came in a mail or an archive and stays with it.",
            "Move that, or upload the file by itself.",
            code="attached",
            name=document.name,
        )


def _require_free(db: Session, document: DocumentView, collection_id: str, name: str, folder: str) -> None:
    taken = select(tables.Document.id).where(
        tables.Document.collection_id == collection_id,
        tables.Document.name == name,
        tables.Document.folder == folder,
        tables.Document.parent_id.is_(None),
        tables.Document.series != document.series,
    )
    if db.scalar(taken.limit(1)) is not None:
        raise Conflict(
            "There is a document called %(name)s there already.",
            "Choose another name or folder. To make it the next revision of that document, upload it under its name.",
            code="name_taken",
            field="name",
            name=name,
        )


def _move(db: Session, document: DocumentView, collection_id: str, name: str, folder: str) -> None:
    for some in pieces(with_belongings(db, tables.Document.series == document.series)):
        for row in db.scalars(select(tables.Document).where(tables.Document.id.in_(some))):
            row.collection_id = collection_id
            if row.series == document.series:
                row.name, row.folder = name, folder
            else:
                row.folder = _moved(row.folder, document.folder, folder)
    db.flush()
    revisions = select(tables.Document.id, tables.Document.content_id).where(tables.Document.series == document.series)
    for id, content_id in db.execute(revisions).all():
        db.execute(update(tables.Citation).where(tables.Citation.document_id == id).values(document_name=name))
        # what pages look at to see that a row has changed
        db.execute(update(tables.Content).where(tables.Content.id == content_id).values(changed_at=time.time()))
    db.expire_all()


def _moved(inside: str, old: str, new: str) -> str:
    """Where something that stood in the folder `old`, or below it, stands now."""
    rest = inside if not old else inside.removeprefix(old).lstrip("/") if _within(inside, old) else None
    return inside if rest is None else "/".join(part for part in (new, rest) if part)


def _within(inside: str, folder: str) -> bool:
    return inside == folder or inside.startswith(folder + "/")
