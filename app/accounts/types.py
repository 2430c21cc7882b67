"""What the rest of Beleg knows of a person."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Viewer:
    """Who is asking. `needs_password`: signed in by a link and has no password yet; the pages ask for one first."""

    user_id: str
    name: str
    is_admin: bool
    needs_password: bool = False


@dataclass(frozen=True)
class UserView:
    """A person as administrators see them. Times are epoch seconds."""

    id: str
    name: str
    is_admin: bool
    active: bool
    has_password: bool
    created_at: float


@dataclass(frozen=True)
class ApiKeyView:
    """A personal API key without its secret, which is shown once when the key is made and never stored."""

    id: str
    name: str
    created_at: float
    last_used_at: float | None
