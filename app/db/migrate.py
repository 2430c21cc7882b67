"""Bringing a database to the present schema, when Beleg starts.

A step runs in one transaction that holds the write lock: another process that starts at the same time waits
for it, and one that is killed half way leaves the old schema.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from app.db.session import Database
from app.errors import Conflict

_FOLDER = Path(__file__).parent / "migrations"


def upgrade(database: Database) -> None:
    """Run the migrations that are missing. Safe to call from several processes at once. Errors: Conflict when the
    database was made by a newer Beleg."""
    scripts = ScriptDirectory.from_config(_config())
    with database.engine.connect() as connection:
        if _revision(connection) == scripts.get_current_head():
            return
    with database.engine.begin() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        found = _revision(connection)
        if found is not None and found not in {script.revision for script in scripts.walk_revisions()}:
            raise Conflict(
                "The database was made by a newer version of Beleg (schema %(found)s).",
                "Install that version or a later one, or name another data folder.",
                found=found,
            )
        command.upgrade(_config(connection), "head")


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
