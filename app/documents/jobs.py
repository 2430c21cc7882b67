"""The job list, which is the database: what is claimed, how far it is, how it ended.

    queued --claim--> reading --store--> indexing --finish--> ready        (finish: index_jobs.py)
                         └----------------refuse-----------> refused

Each function is one transaction's work. `attempts` counts how often the present step was begun; `recover`
(after a crash) gives up at `MOST_ATTEMPTS`, so that a file that takes the process down with it ends as
refused.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import CursorResult, and_, delete, insert, or_, select, update
from sqlalchemy.orm import Session

from app.db import tables
from app.db.session import lock
from app.documents.health import values_of as values_of_health
from app.documents.marks import values_of
from ingestion.health import Health
from ingestion.types import Parsed, Passage, Warning

MOST_ATTEMPTS = 3
SECONDS_PER_MIB = 2.0  # how much later a smaller file may come and still overtake
INTERRUPTED = "Reading this file was interrupted %(times)s times, so it was given up."
_OLD_FIRST = tables.Content.queued_at + tables.Content.size * (SECONDS_PER_MIB / 1048576)
TO_INDEX = or_(
    tables.Content.state == "indexing",
    and_(tables.Content.state == "ready", tables.Content.generation == 0, tables.Content.passage_count > 0),
)


@dataclass(frozen=True)
class ReadJob:
    """A file to read. `name` is what one of its documents is called."""

    content_id: int
    sha256: str
    format: str
    name: str


@dataclass(frozen=True)
class ReadContent:
    """What reading a file gave. `attachments`: how many files in it became documents."""

    parsed: Parsed
    passages: Sequence[Passage]
    language: str
    warnings: Sequence[Warning]
    attachments: int
    health: Health


def recover(db: Session) -> int:
    """After a start: what a crash left half done is queued again, or refused after too many tries. How many."""
    lock(db)
    _blame_indexing_first(db)
    tried = tables.Content.attempts >= MOST_ATTEMPTS
    for content_id in db.scalars(select(tables.Content.id).where(tables.Content.state == "reading", tried)).all():
        give_up(db, content_id)
    for content_id in db.scalars(select(tables.Content.id).where(TO_INDEX, tried)).all():
        give_up(db, content_id)
    begun = update(tables.Content).where(tables.Content.state == "reading")
    return rows(db, begun.values(state="queued", pages_read=0))


def _blame_indexing_first(db: Session) -> None:
    """Files are read in a child, indexed in our own process: when something was being indexed as the process died, the
    try does not count for what was being read beside it."""
    if db.scalar(select(tables.Content.id).where(TO_INDEX, tables.Content.attempts > 0).limit(1)) is not None:
        beside = update(tables.Content).where(tables.Content.state == "reading", tables.Content.attempts > 0)
        db.execute(beside.values(attempts=tables.Content.attempts - 1))


def claim(db: Session, largest: int | None = None) -> ReadJob | None:
    """The next file to read, now `reading`; None when nothing is queued. Oldest first, small ones may overtake.
    `largest`: bytes at most."""
    queued = [tables.Content.state == "queued"]
    if largest is not None:
        queued.append(tables.Content.size <= largest)
    if db.scalar(select(tables.Content.id).where(*queued).limit(1)) is None:
        return None
    lock(db)
    content = db.scalars(select(tables.Content).where(*queued).order_by(_OLD_FIRST).limit(1)).first()
    if content is None:
        return None
    content.state, content.attempts = "reading", content.attempts + 1
    content.pages_read = content.pages_total = 0
    return ReadJob(content.id, content.sha256, content.format, _some_name(db, content.id))


def progress(db: Session, content_id: int, done: int, total: int) -> bool:
    """Note how many pages are read. False when nobody wants the content any more."""
    return _update_reading(db, content_id, pages_read=done, pages_total=total)


def gets_on(db: Session, content_id: int) -> None:
    """Pages were recognised that need not be again: an interruption after that is not the file's fault."""
    _update_reading(db, content_id, attempts=1)


def store(db: Session, content_id: int, read: ReadContent) -> bool:
    """Keep pages and passages; the content is `indexing` now. False (and nothing kept) when it was deleted."""
    lock(db)
    pages = len(read.parsed.pages)
    if not _update_reading(
        db,
        content_id,
        state="indexing",
        attempts=0,
        outcome=read.parsed.outcome,
        refusal_code="",
        refusal="",
        refusal_values={},
        warnings=[{"code": one.code, "text": one.text, "page": one.page} for one in read.warnings],
        title=read.parsed.title[:400],
        language=read.language,
        health=values_of_health(read.health),
        has_pages=read.parsed.has_pages,
        pages_read=pages,
        pages_total=pages,
        passage_count=len(read.passages),
        attachments=read.attachments,
        generation=0,
    ):
        return False
    _drop_text(db, content_id)
    _insert_text(db, content_id, read)
    return True


def refuse(db: Session, content_id: int, code: str, reason: str, values: dict[str, Any]) -> None:
    """It cannot be read: say why, keep nothing of its text, and let the index forget it."""
    lock(db)
    content = db.get(tables.Content, content_id)
    if content is None:
        return
    content.state, content.outcome, content.attempts, content.generation = "refused", "refused", 0, 0
    content.refusal_code, content.refusal, content.refusal_values = code, reason, values
    content.passage_count = content.attachments = 0
    content.warnings, content.health = [], {}
    _drop_text(db, content_id)
    db.merge(tables.Removal(content_id=content_id, sha256=content.sha256))


def give_up(db: Session, content_id: int) -> None:
    refuse(db, content_id, "crashed", INTERRUPTED, {"times": MOST_ATTEMPTS})


def release(db: Session, content_id: int, *, counted: bool) -> None:
    """Back into the queue. `counted`: the try was the file's fault, and the last one refuses it."""
    lock(db)
    content = db.get(tables.Content, content_id)
    if content is None or content.state != "reading":
        return
    if counted and content.attempts >= MOST_ATTEMPTS:
        give_up(db, content_id)
        return
    content.state = "queued"
    content.attempts -= 0 if counted else 1


def let_go(db: Session) -> None:
    """The worker has to stop now: what it was reading is queued again, and the try does not count."""
    less = {"state": "queued", "attempts": tables.Content.attempts - 1, "pages_read": 0}
    db.execute(update(tables.Content).where(tables.Content.state == "reading").values(less))


def _some_name(db: Session, content_id: int) -> str:
    names = select(tables.Document.name).where(tables.Document.content_id == content_id)
    return db.scalar(names.order_by(tables.Document.created_at).limit(1)) or ""


def _update_reading(db: Session, content_id: int, **values: Any) -> bool:
    wanted = update(tables.Content).where(tables.Content.id == content_id, tables.Content.state == "reading")
    return rows(db, wanted.values(changed_at=time.time(), **values)) > 0


def rows(db: Session, statement: Any) -> int:
    """Carry out an update and say how many rows it met."""
    result = db.execute(statement)
    assert isinstance(result, CursorResult)
    return result.rowcount


def _drop_text(db: Session, content_id: int) -> None:
    db.execute(delete(tables.Passage).where(tables.Passage.content_id == content_id))
    db.execute(delete(tables.PageSize).where(tables.PageSize.content_id == content_id))


def _insert_text(db: Session, content_id: int, read: ReadContent) -> None:
    pages = [
        {
            "content_id": content_id,
            "number": page.number,
            "label": page.label[:200],
            "width": page.width,
            "height": page.height,
        }
        for page in read.parsed.pages
    ]
    passages = [
        {
            "content_id": content_id,
            "ordinal": one.ordinal,
            "text": one.text,
            "headings": list(one.headings),
            "marks": [values_of(mark) for mark in one.marks],
            "tokens": one.tokens,
        }
        for one in read.passages
    ]
    if pages:
        db.execute(insert(tables.PageSize), pages)
    if passages:
        db.execute(insert(tables.Passage), passages)
