"""What the revisions of a document share. Documents of one name, which used to stand side by side, become revisions."""

from __future__ import annotations

from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("documents") as documents:
        documents.add_column(sa.Column("series", sa.String(16), nullable=False, server_default=sa.text("''")))
    op.execute("UPDATE documents SET series = id, revision = 1")
    _number_namesakes()
    op.create_index("documents_in_order", "documents", ["series", "revision"], unique=True)


def _number_namesakes() -> None:
    """The newest that is ready replaces those before it. Attachments have their mail, not their name in common."""
    connection = op.get_bind()
    query = """SELECT collection_id, folder, name, documents.id, documents.created_at, contents.state
        FROM documents JOIN contents ON contents.id = content_id WHERE parent_id IS NULL
        ORDER BY collection_id, folder, name, documents.created_at, documents.id"""
    change = sa.text("UPDATE documents SET series = :series, revision = :revision, replaced_at = :at WHERE id = :id")
    for _, found in groupby(connection.execute(sa.text(query)).all(), key=lambda row: tuple(row[:3])):
        rows = list(found)
        for number, row in enumerate(rows, start=1):
            at = next((later.created_at for later in rows[number:] if later.state == "ready"), None)
            connection.execute(change, {"series": rows[0].id, "revision": number, "at": at, "id": row.id})
