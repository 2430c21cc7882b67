"""The limit on guessing passwords: failed sign-ins of the last 15 minutes, per name and for the whole server.

An attempt is written before the password is checked, in a transaction of its own: many tries at the same time
count, and the roll-back of a failed sign-in does not wipe them out.
"""

from __future__ import annotations

import hashlib
import time

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.db import tables
from app.db.session import has_lock, lock
from app.errors import TooMany

WINDOW = 900.0
MOST_PER_NAME = 10
MOST_OVERALL = 300


def begin(db: Session, key: str) -> None:
    """Count one attempt for this case-folded name. Errors: TooMany, with the seconds to wait."""
    if has_lock(db):  # a second connection would wait for this one for ever
        wait = _count(db, key)
    else:
        with Session(db.get_bind()) as own, own.begin():
            wait = _count(own, key)
    if wait > 0:
        raise _too_many(wait)


def forget(db: Session, key: str) -> None:
    """The sign-in succeeded: its name starts anew."""
    db.execute(delete(tables.SignInAttempt).where(tables.SignInAttempt.name_hash == _name_hash(key)))


def _count(db: Session, key: str) -> float:
    """Note one attempt; the seconds to wait instead when there were too many."""
    lock(db)
    db.execute(delete(tables.SignInAttempt).where(tables.SignInAttempt.at < time.time() - WINDOW))
    wait = max(_wait(db, MOST_PER_NAME, _name_hash(key)), _wait(db, MOST_OVERALL, None))
    if wait <= 0:
        db.add(tables.SignInAttempt(name_hash=_name_hash(key), at=time.time()))
        db.flush()
    return wait


def _wait(db: Session, most: int, name_hash: str | None) -> float:
    """Seconds until there are fewer than `most` attempts in the window; 0 when there are now."""
    query = select(func.count(), func.min(tables.SignInAttempt.at))
    if name_hash is not None:
        query = query.where(tables.SignInAttempt.name_hash == name_hash)
    count, oldest = db.execute(query).one()
    return max(1.0, oldest + WINDOW - time.time()) if count >= most else 0.0


def _too_many(wait: float) -> TooMany:
    minutes = max(1, round(wait / 60))
    error = TooMany(
        "Too many sign-ins failed.",
        "Wait %(minutes)s minutes and try again, or ask an administrator for a sign-in link.",
        minutes=minutes,
    )
    error.retry_after = int(wait) + 1
    return error


def _name_hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
