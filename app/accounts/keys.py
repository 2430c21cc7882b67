"""Personal API keys: `beleg_` and 32 random bytes, shown once, stored as SHA-256. A key may do what its owner may."""

from __future__ import annotations

import time

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session

from app.accounts.sessions import new_secret, token_hash, viewer_of
from app.accounts.types import ApiKeyView, Viewer
from app.accounts.users import clean_name
from app.db import tables
from app.db.session import lock
from app.errors import Conflict, NotFound, SignInRequired

PREFIX = "beleg_"
MOST_KEYS = 50
_USED_EVERY = 60.0  # seconds between two updates of last_used_at: asking must not mean writing


def create_key(db: Session, viewer: Viewer, name: str) -> tuple[ApiKeyView, str]:
    """A new key and its secret. Errors: Invalid (name), Conflict (too many keys)."""
    name = clean_name(name)
    lock(db)
    if (db.scalar(select(func.count()).where(tables.ApiKey.user_id == viewer.user_id)) or 0) >= MOST_KEYS:
        raise Conflict("You have %(most)s API keys already.", "Delete one you no longer use.", most=MOST_KEYS)
    secret = PREFIX + new_secret()
    key = tables.ApiKey(user_id=viewer.user_id, name=name, token_hash=token_hash(secret), last_used_at=None)
    db.add(key)
    db.flush()
    return _view(key), secret


def list_keys(db: Session, viewer: Viewer) -> list[ApiKeyView]:
    """The viewer's own keys, newest first."""
    query = select(tables.ApiKey).where(tables.ApiKey.user_id == viewer.user_id)
    return [_view(key) for key in db.scalars(query.order_by(tables.ApiKey.created_at.desc(), tables.ApiKey.id))]


def revoke_key(db: Session, viewer: Viewer, key_id: str) -> None:
    """The key ends at once. Errors: NotFound (also for other people's)."""
    mine = (tables.ApiKey.id == key_id, tables.ApiKey.user_id == viewer.user_id)
    if db.scalar(select(tables.ApiKey.id).where(*mine)) is None:
        raise NotFound("There is no such API key.", "Load the list again.")
    db.execute(delete(tables.ApiKey).where(*mine))


def viewer_of_key(db: Session, token: str) -> Viewer:
    """Whose key this is. Errors: SignInRequired."""
    query = select(tables.User, tables.ApiKey.id).join(tables.ApiKey)
    row = db.execute(query.where(tables.ApiKey.token_hash == token_hash(token), tables.User.active)).first()
    if row is None:
        raise SignInRequired("This API key is not valid.", "Make a new one on the page of your account.")
    user, key_id = row
    _note_use(db, key_id)
    return viewer_of(user)


def _note_use(db: Session, key_id: str) -> None:
    now = time.time()
    used = tables.ApiKey.last_used_at
    stale = or_(used.is_(None), used < now - _USED_EVERY)
    if db.scalar(select(tables.ApiKey.id).where(tables.ApiKey.id == key_id, stale)):
        db.execute(update(tables.ApiKey).where(tables.ApiKey.id == key_id).values(last_used_at=now))


def _view(key: tables.ApiKey) -> ApiKeyView:
    return ApiKeyView(key.id, key.name, key.created_at, key.last_used_at)
