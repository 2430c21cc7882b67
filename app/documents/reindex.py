"""Making the index anew from what the database holds, or from the files: the contents are marked, the worker does
it."""

from __future__ import annotations

import time

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session

from app.config import Settings
from app.db import tables
from app.db.migrate import upgrade
from app.db.session import Database, lock
from app.documents.jobs import TO_INDEX


def reindex(settings: Settings, *, from_files: bool = False) -> int:
    """Mark every ready content to be embedded and indexed again; documents stay searchable meanwhile. With
    `from_files` all files are read again, refused ones too, and each is searchable again when it was. Returns how
    many."""
    database = Database(settings.database_url)
    try:
        upgrade(database)
        with database.session() as db:
            lock(db)
            content = tables.Content
            if from_files:
                marked = update(content).values(state="queued", attempts=0, queued_at=time.time())
            else:
                ready = update(content).where(content.state == "ready", content.passage_count > 0)
                marked = ready.values(generation=0, attempts=0)
            db.execute(marked.values(changed_at=time.time()))
            return _waiting(db)
    finally:
        database.close()


def waiting(database: Database) -> int:
    """How many contents are still to be read or indexed."""
    with database.session() as db:
        return _waiting(db)


def _waiting(db: Session) -> int:
    todo = or_(tables.Content.state.in_(("queued", "reading")), TO_INDEX)
    return db.scalar(select(func.count()).select_from(tables.Content).where(todo)) or 0
