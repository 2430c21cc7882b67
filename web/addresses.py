"""Addresses of our own pages that are handed out or gone back to."""

from __future__ import annotations

from app.config import Settings


def welcome_link(settings: Settings, secret: str) -> str:
    """The link that signs a person in once."""
    return f"{settings.url}/welcome/{secret}"


def local_path(wanted: str) -> str:
    """A path on this site to go on to; "/" for anything else, so that no link can lead away from here."""
    fine = wanted.startswith("/") and not wanted.startswith(("//", "/\\")) and wanted.isprintable()
    return wanted if fine and "\\" not in wanted else "/"
