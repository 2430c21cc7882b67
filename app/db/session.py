"""Opening the database: SQLite in WAL mode with foreign keys on, and sessions that commit or roll back as a whole.

Reading takes no lock. The first write of a session takes SQLite's one write lock (BEGIN IMMEDIATE) and waits
up to 30 s for it; what must be read *and* then written without anything happening in between takes it
earlier, with `lock`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.orm import Session, sessionmaker

T = TypeVar("T")
_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    "secure_delete=ON",  # what is deleted is overwritten, not only unlinked
)


class Database:
    """A connection pool. `session()` gives a transaction: committed at the end of the block, rolled back on error."""

    def __init__(self, url: str) -> None:
        file = make_url(url).database
        if file and file != ":memory:":
            Path(file).parent.mkdir(parents=True, exist_ok=True)
        self.engine: Engine = create_engine(
            url,
            connect_args={"timeout": 30},
            hide_parameters=True,  # errors end in the log, and values are people's texts and hashes
        )
        event.listen(self.engine, "connect", _prepare)
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)

    @contextmanager
    def session(self) -> Iterator[Session]:
        with self._sessions.begin() as session:
            yield session

    def sync(self) -> None:
        """Have what was committed survive a power cut, too: without this, the last moments before one may be lost (a
        killed process loses nothing). For what somebody was told is stored."""
        log = Path(f"{self.engine.url.database}-wal")
        with suppress(FileNotFoundError), log.open("rb") as file:
            os.fsync(file.fileno())

    def close(self) -> None:
        self.engine.dispose()


def lock(db: Session) -> None:
    """Take the write lock now: what is read from here on stays true until the session commits."""
    if not has_lock(db):
        db.connection().exec_driver_sql("BEGIN IMMEDIATE")


def has_lock(db: Session) -> bool:
    """Whether this session wrote something, or took the write lock, and has not committed yet."""
    return bool(getattr(db.connection().connection.dbapi_connection, "in_transaction", False))


def pieces(values: Iterable[T]) -> Iterator[list[T]]:
    """In lists that fit into one statement."""
    rest = list(values)
    return (rest[start : start + 1000] for start in range(0, len(rest), 1000))


def _prepare(connection: Any, _record: Any) -> None:
    connection.isolation_level = "IMMEDIATE"
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
