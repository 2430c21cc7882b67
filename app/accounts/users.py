"""People: made, renamed, given a password, made administrator, deactivated. There is always one active
administrator."""

from __future__ import annotations

import unicodedata

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.accounts.passwords import check_new, hash_password, matches
from app.accounts.types import UserView, Viewer
from app.db import tables
from app.db.session import lock
from app.errors import Conflict, Forbidden, Invalid, NotFound

LONGEST_NAME = 200


def create_user(
    db: Session, name: str, password: str | None, is_admin: bool = False, *, by: Viewer | None = None
) -> UserView:
    """A new person. Without a password they sign in by a link (`sessions.make_link`) first and choose one then.

    `by`: who asks for it over the web, an administrator; None is the command line, which may. Errors: Forbidden,
    Invalid (name, password), Conflict (the name is taken)."""
    if by is not None:
        require_admin(by)
    name = clean_name(name)
    hashed = hash_password(check_new(password)) if password is not None else ""
    lock(db)
    _require_free(db, name)
    user = tables.User(name=name, name_key=name_key(name), password_hash=hashed, is_admin=is_admin)
    db.add(user)
    db.flush()
    return _view(user)


def first_admin(db: Session) -> UserView:
    """The first administrator, made without a password when there is nobody yet; otherwise the one made first."""
    lock(db)
    query = select(tables.User).where(tables.User.is_admin, tables.User.active).order_by(tables.User.created_at)
    user = db.scalars(query.limit(1)).first()
    return _view(user) if user else create_user(db, "admin", None, is_admin=True)


def list_users(db: Session, viewer: Viewer) -> list[UserView]:
    """Everybody, by name. For administrators only (Forbidden)."""
    require_admin(viewer)
    return [_view(user) for user in db.scalars(select(tables.User).order_by(tables.User.name_key))]


def find_user(db: Session, name: str) -> UserView:
    """The person of that name, upper or lower case. Errors: NotFound."""
    user = db.scalars(select(tables.User).where(tables.User.name_key == name_key(name))).first()
    if user is None:
        raise NotFound("There is nobody called %(name)s here.", "Check the spelling.", name=name[:LONGEST_NAME])
    return _view(user)


def rename_user(db: Session, viewer: Viewer, name: str) -> UserView:
    """The viewer takes another name. Errors: Invalid, Conflict (taken)."""
    name = clean_name(name)
    lock(db)
    user = _load(db, viewer.user_id)
    if name_key(name) != user.name_key:
        _require_free(db, name)
    user.name, user.name_key = name, name_key(name)
    db.flush()
    return _view(user)


def set_password(db: Session, viewer: Viewer, password: str, *, current: str | None = None, keep: str = "") -> None:
    """The viewer's new password; every other session of theirs ends. `current` is asked for when there is one
    already; `keep` is the hash of the session to keep (`sessions.token_hash`). Errors: Invalid (field says which)."""
    user = _load(db, viewer.user_id)
    if user.password_hash and not (current is not None and matches(user.password_hash, current)):
        raise Invalid("That is not your present password.", "Type the password you sign in with.", field="current")
    _store_password(db, user, password, keep)


def reset_password(db: Session, name: str, password: str) -> UserView:
    """A new password for anyone, from the command line of the server. All of their sessions end."""
    user = _load(db, find_user(db, name).id)
    _store_password(db, user, password, "")
    return _view(user)


def set_admin(db: Session, viewer: Viewer, user_id: str, is_admin: bool) -> UserView:
    """Make somebody an administrator, or no longer. Errors: Forbidden, NotFound, Conflict (the last one)."""
    require_admin(viewer)
    lock(db)
    user = _load(db, user_id)
    if not is_admin:
        require_other_admin(db, user)
    user.is_admin = is_admin
    db.flush()
    return _view(user)


def deactivate(db: Session, viewer: Viewer, user_id: str) -> UserView:
    """Somebody may no longer come in: sessions, links and API keys end at once; what they own stays. Errors:
    Forbidden, NotFound, Conflict (the last administrator)."""
    require_admin(viewer)
    lock(db)
    user = _load(db, user_id)
    require_other_admin(db, user)
    user.active = False
    for table in (tables.Session, tables.SignInLink, tables.ApiKey):
        db.execute(delete(table).where(table.user_id == user.id))
    db.flush()
    return _view(user)


def activate(db: Session, viewer: Viewer, user_id: str) -> UserView:
    """Let somebody in again, with the password they had. API keys have to be made anew."""
    require_admin(viewer)
    user = _load(db, user_id)
    user.active = True
    db.flush()
    return _view(user)


def require_admin(viewer: Viewer) -> None:
    """Errors: Forbidden."""
    if not viewer.is_admin:
        raise Forbidden("Only an administrator may do this.", "Ask an administrator of this server.")


def require_other_admin(db: Session, user: tables.User) -> None:
    """Call with the write lock taken. Errors: Conflict when nobody else is an active administrator."""
    others = select(func.count()).where(tables.User.is_admin, tables.User.active, tables.User.id != user.id)
    if user.is_admin and user.active and not db.scalar(others):
        raise Conflict(
            "%(name)s is the last administrator.",
            "Make somebody else an administrator first.",
            name=user.name,
        )


def clean_name(name: str) -> str:
    """A name as it is kept: composed, without control or direction marks, single spaces. Errors: Invalid."""
    name = _visible(unicodedata.normalize("NFC", name))
    if not name or len(name) > LONGEST_NAME:
        raise Invalid("A name has 1 to %(most)s characters.", "Choose another name.", field="name", most=LONGEST_NAME)
    return name


def name_key(name: str) -> str:
    """What two spellings of one name have in common: case, width, composition and invisible marks are gone."""
    folded = unicodedata.normalize("NFKC", _visible(name)).casefold()
    return _visible(unicodedata.normalize("NFKC", folded))[:400]


def _visible(text: str) -> str:
    kept = "".join(c for c in text if c.isspace() or c.isprintable())
    return " ".join(kept.split())


def _require_free(db: Session, name: str) -> None:
    if db.scalar(select(tables.User.id).where(tables.User.name_key == name_key(name))):
        raise Conflict("The name %(name)s is taken.", "Choose another name.", field="name", name=name)


def _store_password(db: Session, user: tables.User, password: str, keep: str) -> None:
    user.password_hash = hash_password(check_new(password))
    db.execute(delete(tables.Session).where(tables.Session.user_id == user.id, tables.Session.token_hash != keep))
    db.execute(delete(tables.SignInLink).where(tables.SignInLink.user_id == user.id))
    db.flush()


def _load(db: Session, user_id: str) -> tables.User:
    user = db.get(tables.User, user_id)
    if user is None:
        raise NotFound("There is no such user.", "Load the list again.")
    return user


def _view(user: tables.User) -> UserView:
    return UserView(user.id, user.name, user.is_admin, user.active, bool(user.password_hash), user.created_at)
