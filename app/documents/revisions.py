"""Revisions: new bytes under the name of a document are its next revision, a row of its own in the same series.

The newest revision is listed. The one that is searched is the newest that is ready: until a new one has been read, or
when it is refused, people go on finding what they found before. Then the earlier ones get `replaced_at`; answers that
cite them can still show what they cited.

What was attached to a mail, or lay in an archive, follows it: same bytes stay the document they are, changed ones are
its next revision, and what the newest revision does not hold any more is replaced by nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, and_, exists, or_, select, update
from sqlalchemy.orm import Session, aliased

from app.db import tables
from app.db.session import pieces

_READ = ("indexing", "ready")


@dataclass(frozen=True)
class Place:
    """Where a document goes and what it is called there."""

    collection_id: str
    name: str
    folder: str
    uploaded_by: str | None
    parent_id: str | None = None


def searched() -> ColumnElement[bool]:
    """Condition on `Document`: searches may look at it, once it is ready."""
    return tables.Document.replaced_at.is_(None)


def listed() -> ColumnElement[bool]:
    """Condition on `Document`: the newest of its series, and not left out of the newest of what it came in."""
    newer = aliased(tables.Document)
    superseded = exists().where(newer.series == tables.Document.series, newer.revision > tables.Document.revision)
    return and_(tables.Document.replaced_at.is_(None), ~superseded.correlate(tables.Document))


def add_revision(db: Session, content: tables.Content, place: Place, *, unpacked: bool) -> tuple[tables.Document, bool]:
    """The document of these bytes at this place, and whether it was there before: the next revision where the name is
    known with other bytes. `unpacked`: there are no files in it to come. With the write lock taken."""
    earlier = _attached_before(db, content, place) if place.parent_id else _uploaded_before(db, place)
    if earlier is not None and earlier.content_id == content.id:
        earlier.parent_id, earlier.replaced_at = place.parent_id, None
        db.flush()
        return earlier, True
    id = tables.new_id()
    document = tables.Document(
        id=id,
        series=earlier.series if earlier else id,
        revision=earlier.revision + 1 if earlier else 1,
        collection_id=place.collection_id,
        content_id=content.id,
        parent_id=place.parent_id,
        name=place.name,
        folder=place.folder,
        uploaded_by=place.uploaded_by,
        unpacked=unpacked,
    )
    db.add(document)
    db.flush()
    if earlier is not None:  # archives bring thousands that have none
        settle(db, [content.id])
    return document, False


def settle(db: Session, contents: Iterable[int]) -> None:
    """Documents of these contents that are ready replace their earlier revisions, and with those goes what they hold
    and the new ones do not. With the write lock taken."""
    touched: set[str] = set()
    for some in pieces(contents):
        touched |= set(db.scalars(_with_revisions(some)))
    if not touched:  # nearly always: archives bring thousands of first revisions
        return
    _replace(db, {id for some in pieces(touched) for id in db.scalars(_to_replace(some))})
    while left := {(id, series) for some in pieces(touched) for id, series in db.execute(_left_behind(some))}:
        _replace(db, {id for id, _ in left})
        touched |= {series for _, series in left}
    db.expire_all()


def is_outdated(db: Session, document: tables.Document) -> bool:
    """A newer revision was read already, so that what is in this one is not of interest any more."""
    newer = (
        select(tables.Document.id)
        .join(tables.Content)
        .where(tables.Document.series == document.series, tables.Document.revision > document.revision)
        .where(tables.Content.state.in_(_READ))
    )
    return document.replaced_at is not None or db.scalar(newer.limit(1)) is not None


def series_of(documents: Iterable[str]) -> Select[str]:
    """Ids of all revisions of these documents."""
    named = select(tables.Document.series).where(tables.Document.id.in_(list(documents)))
    return select(tables.Document.id).where(tables.Document.series.in_(named))


def with_belongings(db: Session, which: ColumnElement[bool]) -> set[str]:
    """Ids of these documents in all their revisions, and of what was attached to any of them."""
    found: set[str] = set()
    new = set(db.scalars(select(tables.Document.id).where(which)))
    while new:
        found |= new
        more: set[str] = set()
        for some in pieces(new):
            more |= set(db.scalars(select(tables.Document.id).where(tables.Document.parent_id.in_(some))))
            more |= set(db.scalars(series_of(some)))
        new = more - found
    return found


def _uploaded_before(db: Session, place: Place) -> tables.Document | None:
    query = select(tables.Document).where(
        tables.Document.collection_id == place.collection_id,
        tables.Document.name == place.name,
        tables.Document.folder == place.folder,
        tables.Document.parent_id.is_(None),
    )
    return db.scalars(query.order_by(tables.Document.revision.desc()).limit(1)).first()


def _attached_before(db: Session, content: tables.Content, place: Place) -> tables.Document | None:
    """What had this name in this or an earlier revision of the mail or archive. A mail may have two attachments of one
    name: those of the same revision are never revisions of each other."""
    newer = aliased(tables.Document)
    superseded = exists().where(newer.series == tables.Document.series, newer.revision > tables.Document.revision)
    query = select(tables.Document).where(
        tables.Document.collection_id == place.collection_id,
        tables.Document.name == place.name,
        tables.Document.folder == place.folder,
        tables.Document.parent_id.in_(series_of([place.parent_id or ""])),
        ~superseded.correlate(tables.Document),
    )
    found = db.scalars(query.order_by(tables.Document.created_at, tables.Document.id)).all()
    same = [one for one in found if one.content_id == content.id]
    other = [one for one in found if one.parent_id != place.parent_id]
    return next(iter((*(one for one in same if one.parent_id == place.parent_id), *same, *other)), None)


def _with_revisions(contents: list[int]) -> Select[str]:
    """Series of these contents that have more than one revision."""
    later = aliased(tables.Document)
    series = select(tables.Document.series).where(tables.Document.content_id.in_(contents))
    return select(later.series).where(later.series.in_(series), later.revision > 1).distinct()


def _to_replace(series: list[str]) -> Select[str]:
    old, new = tables.Document, aliased(tables.Document)
    ready = (
        exists()
        .where(new.series == old.series, new.revision > old.revision, new.replaced_at.is_(None))
        .where(tables.Content.id == new.content_id, tables.Content.state == "ready")
        .correlate(old)
    )
    return select(old.id).where(old.series.in_(series), old.replaced_at.is_(None), ready)


def _left_behind(series: list[str]) -> Select[str, str]:
    """What hangs on a replaced mail or archive of these, with its series, unless its own next revision is on the way or
    the newer mail or archive has still to be unpacked."""
    child, parent = tables.Document, aliased(tables.Document)
    next_one, newer = aliased(tables.Document), aliased(tables.Document)
    awaited = exists().where(
        next_one.series == child.series, next_one.revision > child.revision, next_one.replaced_at.is_(None)
    )
    packed = exists().where(
        newer.series == parent.series, newer.revision > parent.revision, newer.replaced_at.is_(None), ~newer.unpacked
    )
    return (
        select(child.id, child.series)
        .join(parent, parent.id == child.parent_id)
        .where(parent.series.in_(series), child.replaced_at.is_(None), parent.replaced_at.is_not(None))
        .where(~or_(awaited.correlate(child), packed.correlate(parent)))
    )


def _replace(db: Session, documents: Iterable[str]) -> None:
    for some in pieces(documents):
        replaced = update(tables.Document).where(tables.Document.id.in_(some)).values(replaced_at=time.time())
        db.execute(replaced, execution_options={"synchronize_session": False})
