"""The job list from `indexing` on: what waits to be embedded, what is done, and what has to leave the index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.db import tables
from app.db.session import lock, pieces
from app.documents.jobs import MOST_ATTEMPTS, TO_INDEX, give_up, rows
from app.documents.marks import mark_of
from app.documents.revisions import settle
from ingestion.types import Passage


@dataclass(frozen=True)
class IndexJob:
    """A content whose passages are to be embedded and indexed; `attempts` that were begun and not finished."""

    content_id: int
    language: str
    passages: int
    attempts: int


def to_index(db: Session, without: Iterable[int] = (), most: int = 64, largest: int | None = None) -> list[IndexJob]:
    """What waits to be embedded: small ones first among those of the same minute. `largest`: passages at most."""
    age = tables.Content.queued_at + tables.Content.passage_count * 0.05
    query = select(
        tables.Content.id, tables.Content.language, tables.Content.passage_count, tables.Content.attempts
    ).where(TO_INDEX)
    if largest is not None:
        query = query.where(tables.Content.passage_count <= largest)
    left_out = set(without)
    rows = db.execute(query.order_by(tables.Content.attempts, age).limit(most + len(left_out)))
    return [IndexJob(*row) for row in rows if row[0] not in left_out][:most]


def begin(db: Session, content_id: int) -> bool:
    """One more try to index it. False when it was deleted."""
    counted = update(tables.Content).where(tables.Content.id == content_id, TO_INDEX)
    # Not a change that people see: changed_at stays.
    values = {"attempts": tables.Content.attempts + 1, "changed_at": tables.Content.changed_at}
    return rows(db, counted.values(values)) > 0


def not_begun(db: Session, content_ids: Sequence[int]) -> None:
    """Take back `begin`: it was not their fault that it came to nothing."""
    for some in pieces(content_ids):
        begun = update(tables.Content).where(tables.Content.id.in_(some), TO_INDEX, tables.Content.attempts > 0)
        values = {"attempts": tables.Content.attempts - 1, "changed_at": tables.Content.changed_at}
        db.execute(begun.values(values))


def give_up_tried(db: Session) -> None:
    """New contents that failed to be indexed too often end as refused."""
    tried = (tables.Content.state == "indexing", tables.Content.attempts >= MOST_ATTEMPTS)
    for content_id in db.scalars(select(tables.Content.id).where(*tried)).all():
        give_up(db, content_id)


def passages_of(db: Session, content_id: int) -> list[Passage]:
    """The passages as they were cut, with their first mark only: indexing needs no more."""
    query = select(tables.Passage).where(tables.Passage.content_id == content_id).order_by(tables.Passage.ordinal)
    return [
        Passage(
            row.ordinal, row.text, tuple(row.headings), tuple(mark_of(values) for values in row.marks[:1]), row.tokens
        )
        for row in db.scalars(query)
    ]


def finish(db: Session, content_ids: Sequence[int], generation: int) -> None:
    """They are found from this generation on: ready, and in the place of the revisions before them."""
    lock(db)
    for some in pieces(content_ids):
        done = update(tables.Content).where(tables.Content.id.in_(some), TO_INDEX)
        db.execute(done.values(state="ready", generation=generation, attempts=0))
        settle(db, some)


def mark_missing(db: Session, indexed: set[int]) -> int:
    """Contents that are ready but not in the index are indexed again from their passages. How many."""
    lock(db)
    query = select(tables.Content.id).where(
        tables.Content.state == "ready", tables.Content.passage_count > 0, tables.Content.generation > 0
    )
    missing = set(db.scalars(query)) - indexed
    for some in pieces(missing):
        marked = update(tables.Content).where(tables.Content.id.in_(some))
        db.execute(marked.values(generation=0, attempts=0, changed_at=tables.Content.changed_at))
    return len(missing)


def unknown_to_us(db: Session, indexed: set[int]) -> set[int]:
    """Contents of the index that the database does not have, or has refused."""
    known = select(tables.Content.id).where(tables.Content.state != "refused")
    return indexed - set(db.scalars(known))


def removals(db: Session) -> list[tuple[int, str]]:
    """(content id, SHA-256) of what has to go from index and disk."""
    rows = db.execute(select(tables.Removal.content_id, tables.Removal.sha256).limit(1000))
    return [(content_id, sha256) for content_id, sha256 in rows]


def removed(db: Session, content_ids: Sequence[int]) -> None:
    db.execute(delete(tables.Removal).where(tables.Removal.content_id.in_(content_ids)))


def still_wanted(db: Session, content_ids: Sequence[int]) -> set[int]:
    """Those of them that are (again) in the index or on their way there."""
    query = select(tables.Content.id).where(tables.Content.id.in_(content_ids), tables.Content.state != "refused")
    return set(db.scalars(query))
