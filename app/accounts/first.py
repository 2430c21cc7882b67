"""The first administrator: made on the first start, let in by a link that works once."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.accounts.sessions import make_link
from app.accounts.types import Viewer
from app.accounts.users import find_user, first_admin


@dataclass(frozen=True)
class FirstAdministrator:
    """`link` is the secret of a fresh sign-in link, empty once a password is set."""

    viewer: Viewer
    link: str


def first_administrator(db: Session) -> FirstAdministrator:
    """Finds or makes the administrator; gives a link for as long as no password is set."""
    user = first_admin(db)
    link = "" if user.has_password else make_link(db, user.id, days=1)
    return FirstAdministrator(Viewer(user.id, user.name, True), link)


def local_viewer(db: Session, name: str = "") -> Viewer:
    """Who acts when a command is run on the server itself: the person of that name (NotFound when there is none),
    else the first administrator."""
    user = find_user(db, name) if name else first_admin(db)
    return Viewer(user.id, user.name, user.is_admin)
