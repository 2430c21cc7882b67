"""Bringing a database to the present schema, when Beleg starts."""

from __future__ import annotations

from app.db.session import Database


def upgrade(database: Database) -> None:
    """Run the migrations that are missing. Safe to call from several processes at once."""
    raise NotImplementedError
