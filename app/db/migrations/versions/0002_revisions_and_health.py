"""Revisions of a document, and the health report of what was read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("contents") as contents:
        contents.add_column(sa.Column("health", sa.JSON(), nullable=False, server_default="{}"))
    with op.batch_alter_table("documents") as documents:
        documents.add_column(sa.Column("revision", sa.Integer(), nullable=False, server_default="1"))
        documents.add_column(sa.Column("replaced_at", sa.Double(), nullable=True))
