"""Files inside a file: what is attached to a mail or lies in an archive becomes documents of its own, beside it and
linked to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import Select, func, select, update
from sqlalchemy.orm import Session

from app.config import Settings
from app.db import tables
from app.db.session import Database, lock
from app.documents.accept import add_content, add_document, kind_of
from app.documents.blobs import Received, received_as
from app.documents.names import clean
from app.documents.revisions import Place, is_outdated, settle
from app.errors import BelegError, OutOfSpace
from ingestion.types import Attachment, Warning

DEEPEST = 3  # a mail in a mail in a mail
AT_ONCE = 25  # documents in one transaction, so that nobody waits long for the database
MOST_TOLD = 50  # files that are named one by one when they were not taken in
REFUSED = "The attached file %(name)s was not taken in: %(reason)s"
MORE_REFUSED = "%(more)s more attached files were not taken in."
TOO_DEEP = "It lies in files in files, too deep to take out what is in it. Upload the files in it by themselves."
TOO_MANY = "There are too many files in it: only %(taken)s became documents. Upload the others in smaller parts."


@dataclass(frozen=True)
class Unpacked:
    """A file that can be read, in a temporary place. `folder` is where it lay in its archive."""

    name: str
    folder: str
    kind: str
    received: Received


@dataclass(frozen=True)
class Unpacking:
    """All files in a file: those to be taken in, and a warning for each of the others."""

    taken: tuple[Unpacked, ...] = ()
    warnings: tuple[Warning, ...] = ()


def look_at(settings: Settings, found: Sequence[Attachment]) -> Unpacking:
    """Which of the files can be read, judged as an upload would be. Errors: OutOfSpace."""
    taken: list[Unpacked] = []
    refused: list[Warning] = []
    for one in found:
        if one.path is None:
            continue
        name, folder = clean(one.name, one.folder)
        try:
            received = received_as(settings, one.path)
            taken.append(Unpacked(name, folder, kind_of(received.path, name), received))
        except OutOfSpace:
            raise
        except BelegError as error:
            shown = f"{folder}/{name}" if folder else name
            refused.append(Warning("attachment_refused", REFUSED % {"name": shown, "reason": str(error)}))
    more = len(refused) - MOST_TOLD
    rest = [Warning("attachment_refused", MORE_REFUSED % {"more": more})] if more > 0 else []
    return Unpacking(tuple(taken), (*refused[:MOST_TOLD], *rest))


class Taking:
    """Makes files that lie in a content documents in every collection that holds it and does not have them yet, a few
    at a time. After a crash it is simply done again: what is there already stays."""

    def __init__(self, settings: Settings, database: Database, content_id: int) -> None:
        self._settings = settings
        self._database = database
        self._content_id = content_id
        self._holders: list[str] = []
        self.warnings: tuple[Warning, ...] = ()

    def take(self, files: Sequence[Unpacked], on_file: Callable[[int, int], None]) -> None:
        """`on_file(done, total)` is told how far it is; what it raises ends it. Errors: OutOfSpace."""
        with self._database.session() as db:
            self._holders = list(db.scalars(_holders(self._content_id)))
        for holder in self._holders:
            with self._database.session() as db:
                room = self._room(db, holder)
            done = 0
            for some in _pieces(files[:room]):
                on_file(done, len(files))
                with self._database.session() as db:
                    self._add(db, holder, some)
                done += len(some)
            if files[room:]:
                self._warn(room)

    def finish(self, db: Session) -> None:
        """They all are there. In the transaction that keeps what was read."""
        lock(db)
        done = update(tables.Document).where(tables.Document.id.in_(self._holders)).values(unpacked=True)
        db.execute(done)
        settle(db, [self._content_id])  # what earlier revisions held and this one does not

    def _room(self, db: Session, holder: str) -> int:
        """How many documents may still come out of what was once uploaded; 0 where it lies too deep."""
        document = db.get(tables.Document, holder)
        if document is None or is_outdated(db, document):
            return self._settings.unpack_files  # nothing will be added
        above = _above(db, document)
        if len(above) >= DEEPEST:
            return 0
        own = select(func.count()).where(tables.Document.parent_id == holder)
        others = _below(db, [holder, *above][-1]) - (db.scalar(own) or 0)
        return max(0, self._settings.unpack_files - others)

    def _add(self, db: Session, holder: str, files: Sequence[Unpacked]) -> None:
        lock(db)
        document = db.get(tables.Document, holder)
        if document is None or is_outdated(db, document):
            return
        for one in files:
            content = add_content(db, self._settings, one.received, one.kind)
            folder = "/".join(part for part in (document.folder, one.folder) if part)
            name, folder = clean(one.name, folder)
            add_document(db, content, Place(document.collection_id, name, folder, document.uploaded_by, document.id))

    def _warn(self, room: int) -> None:
        if room:
            self.warnings = (Warning("attachments_left_out", TOO_MANY % {"taken": room}),)
        else:
            self.warnings = (Warning("attachments_left_out", TOO_DEEP),)


def next_to_unpack(db: Session) -> int | None:
    """A file that was read before it came into another collection: what is in it is still missing there."""
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


def _holders(content_id: int) -> Select[str]:
    return select(tables.Document.id).where(
        tables.Document.content_id == content_id, tables.Document.unpacked.is_(False)
    )


def _above(db: Session, document: tables.Document) -> list[str]:
    """What the document came in, and what that came in, up to the upload."""
    above: list[str] = []
    parent_id = document.parent_id
    while parent_id is not None and len(above) < DEEPEST:
        above.append(parent_id)
        parent_id = db.scalar(select(tables.Document.parent_id).where(tables.Document.id == parent_id))
    return above


def _below(db: Session, id: str) -> int:
    """How many documents came out of this one, directly or not."""
    below = select(tables.Document.id).where(tables.Document.parent_id == id).cte(recursive=True)
    below = below.union_all(select(tables.Document.id).where(tables.Document.parent_id == below.c.id))
    return db.scalar(select(func.count()).select_from(below)) or 0


def _pieces(files: Sequence[Unpacked]) -> Iterator[Sequence[Unpacked]]:
    rest = iter(files)
    while some := list(islice(rest, AT_ONCE)):
        yield some
