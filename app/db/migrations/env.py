"""Run by Alembic: on the connection that `app.db.migrate` hands over, or (to write a new step) on a database of its
own.

A new step: `alembic -c app/db/alembic.ini revision --autogenerate -m "what changes" --rev-id 0002`.
"""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection, create_engine

from app.db.tables import Base


def run() -> None:
    connection = context.config.attributes.get("connection")
    if connection is not None:
        _migrate(connection)
        return
    engine = create_engine(context.config.get_main_option("sqlalchemy.url") or "")
    with engine.begin() as own:
        _migrate(own)


def _migrate(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True, compare_type=True)
    with context.begin_transaction():
        context.run_migrations()


run()
