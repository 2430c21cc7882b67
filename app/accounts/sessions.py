"""Signing in and out. A secret of 32 random bytes goes to the browser; only its SHA-256 is stored here."""

from __future__ import annotations

import hashlib
import secrets
import time

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.accounts import attempts
from app.accounts.passwords import hash_password, matches, needs_rehash
from app.accounts.types import Viewer
from app.accounts.users import name_key, require_admin
from app.config import Settings
from app.db import tables
from app.db.session import lock
from app.errors import NotFound, SignInRequired

DAY = 86400.0
LINK_DAYS = 7.0


def sign_in(db: Session, name: str, password: str, settings: Settings) -> str:
    """The secret for the session cookie. The same work and the same error whether name or password is wrong. Errors:
    SignInRequired, TooMany."""
    key = name_key(name)
    attempts.begin(db, key)
    user = db.scalars(select(tables.User).where(tables.User.name_key == key)).first()
    right = matches(user.password_hash if user else "", password)
    if user is None or not right or not user.active:
        raise SignInRequired("Name or password is wrong.", "Check both and try again.", code="wrong_password")
    if needs_rehash(user.password_hash):
        user.password_hash = hash_password(password)
    attempts.forget(db, key)
    return _open(db, user.id, settings.session_days)


def sign_out(db: Session, secret: str) -> None:
    """End this session. Unknown secrets are ignored."""
    db.execute(delete(tables.Session).where(tables.Session.token_hash == token_hash(secret)))


def sign_out_everywhere(db: Session, viewer: Viewer, keep: str = "") -> None:
    """End all sessions of the viewer but the one whose secret is `keep`."""
    kept = tables.Session.token_hash != token_hash(keep)
    db.execute(delete(tables.Session).where(tables.Session.user_id == viewer.user_id, kept))


def viewer_of_session(db: Session, secret: str) -> Viewer:
    """Who this browser is. Errors: SignInRequired when there is no such session, it ended, or the user may not come
    in."""
    user = db.scalars(
        select(tables.User)
        .join(tables.Session)
        .where(
            tables.Session.token_hash == token_hash(secret),
            tables.Session.expires_at > time.time(),
            tables.User.active,
        )
    ).first()
    if user is None:
        raise SignInRequired("You are not signed in, or your session ended.", "Sign in again.")
    return viewer_of(user)


def make_link(db: Session, user_id: str, *, by: Viewer | None = None, days: float = LINK_DAYS) -> str:
    """The secret of a link that signs this person in once. A new link ends the ones before. `by` as in
    `users.create_user`. Errors: Forbidden, NotFound."""
    if by is not None:
        require_admin(by)
    user = db.get(tables.User, user_id)
    if user is None or not user.active:
        raise NotFound("There is no such user.", "Load the list again.")
    secret = new_secret()
    db.execute(delete(tables.SignInLink).where(tables.SignInLink.user_id == user_id))
    db.add(tables.SignInLink(token_hash=token_hash(secret), user_id=user_id, expires_at=time.time() + days * DAY))
    db.flush()
    return secret


def redeem_link(db: Session, secret: str, *, days: float = 14) -> str:
    """The secret for the session cookie; the link is used up. A password there was ends with it, since a link is also
    the way back for who lost theirs: `needs_password` is set in the Viewer, who is asked for a new one. Errors:
    SignInRequired (used, too old, unknown: all the same)."""
    lock(db)
    link = db.get(tables.SignInLink, token_hash(secret))
    user = db.get(tables.User, link.user_id) if link is not None and link.expires_at > time.time() else None
    if link is None or user is None or not user.active:
        raise SignInRequired(
            "This link was used already, or is too old.",
            "Sign in with your password, or ask an administrator for a new link.",
            code="link_used",
        )
    db.delete(link)
    user.password_hash = ""
    return _open(db, user.id, days)


def new_secret() -> str:
    """32 random bytes, URL-safe."""
    return secrets.token_urlsafe(32)


def token_hash(secret: str) -> str:
    """What of a secret is stored. It is random and long, so a plain fast hash is enough."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def viewer_of(user: tables.User) -> Viewer:
    return Viewer(user.id, user.name, user.is_admin, needs_password=not user.password_hash)


def _open(db: Session, user_id: str, days: float) -> str:
    now, secret = time.time(), new_secret()
    db.execute(delete(tables.Session).where(tables.Session.expires_at <= now))
    db.add(tables.Session(token_hash=token_hash(secret), user_id=user_id, created_at=now, expires_at=now + days * DAY))
    db.flush()
    return secret
