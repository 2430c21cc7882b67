"""Files inside a file: what is attached to a mail becomes documents of its own, beside the mail and linked to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BytesIO

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.config import Settings
from app.db import tables
from app.db.session import lock
from app.documents.accept import add_content, add_document, kind_of
from app.documents.blobs import Received, receiving
from app.documents.names import clean
from app.documents.revisions import Place, is_outdated, settle
from app.errors import BelegError, OutOfSpace
from ingestion.types import Attachment, Warning

MOST = 50  # attachments of one mail
DEEPEST = 3  # a mail in a mail in a mail
TOO_MANY = "The mail has %(all)d attachments; only the first %(most)d became documents. Upload the others yourself."
REFUSED = "The attachment %(name)s was not taken in: %(reason)s"


@dataclass(frozen=True)
class Unpacked:
    """An attachment that can be read, in a temporary file."""

    name: str
    kind: str
    received: Received


@dataclass(frozen=True)
class Unpacking:
    """All attachments of a mail: those taken in, and a warning for each of the others."""

    taken: tuple[Unpacked, ...] = ()
    warnings: tuple[Warning, ...] = ()


@contextmanager
def unpacking(settings: Settings, attachments: Sequence[Attachment]) -> Iterator[Unpacking]:
    """Attachments written to temporary files and looked at, as an upload would be; the files go at the end of the
    block. Errors: OutOfSpace."""
    taken: list[Unpacked] = []
    warnings: list[Warning] = []
    with ExitStack() as files:
        for attachment in attachments[:MOST]:
            name, _ = clean(attachment.name)
            try:
                source = BytesIO(attachment.data)
                received = files.enter_context(receiving(settings, source, len(attachment.data)))
                taken.append(Unpacked(name, kind_of(received.path, name), received))
            except OutOfSpace:
                raise
            except BelegError as error:
                warnings.append(Warning("attachment_refused", REFUSED % {"name": name, "reason": str(error)}))
        if len(attachments) > MOST:
            warnings.append(Warning("attachments_left_out", TOO_MANY % {"all": len(attachments), "most": MOST}))
        yield Unpacking(tuple(taken), tuple(warnings))


def attach(db: Session, settings: Settings, content_id: int, unpacked: Unpacking) -> None:
    """Make the attachments documents in every collection that holds the mail and does not have them yet."""
    lock(db)
    query = select(tables.Document).where(tables.Document.content_id == content_id, tables.Document.unpacked.is_(False))
    for parent in db.scalars(query).all():
        if _depth(db, parent) < DEEPEST and not is_outdated(db, parent):
            for one in unpacked.taken:
                content = add_content(db, settings, one.received, one.kind)
                add_document(
                    db, content, Place(parent.collection_id, one.name, parent.folder, parent.uploaded_by, parent.id)
                )
        db.execute(update(tables.Document).where(tables.Document.id == parent.id).values(unpacked=True))
    settle(db, [content_id])  # what earlier revisions held and this one does not


def next_to_unpack(db: Session) -> int | None:
    """A mail that was read before it came into another collection: its attachments are still missing there."""
    query = (
        select(tables.Content.id)
        .join(tables.Document)
        .where(
            tables.Content.attachments > 0,
            tables.Content.state.in_(("indexing", "ready")),
            tables.Document.unpacked.is_(False),
        )
    )
    return db.scalar(query.limit(1))


def _depth(db: Session, document: tables.Document) -> int:
    depth, parent_id = 0, document.parent_id
    while parent_id is not None and depth < DEEPEST:
        parent_id = db.scalar(select(tables.Document.parent_id).where(tables.Document.id == parent_id))
        depth += 1
    return depth
