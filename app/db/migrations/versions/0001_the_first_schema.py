"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "contents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("format", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("outcome", sa.String(length=10), nullable=False),
        sa.Column("refusal_code", sa.String(length=40), nullable=False),
        sa.Column("refusal", sa.Text(), nullable=False),
        sa.Column("refusal_values", sa.JSON(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("title", sa.String(length=400), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("has_pages", sa.Boolean(), nullable=False),
        sa.Column("pages_total", sa.Integer(), nullable=False),
        sa.Column("pages_read", sa.Integer(), nullable=False),
        sa.Column("passage_count", sa.Integer(), nullable=False),
        sa.Column("attachments", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("queued_at", sa.Double(), nullable=False),
        sa.Column("changed_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contents")),
        sa.UniqueConstraint("sha256", "format", name=op.f("uq_contents_sha256")),
        sqlite_autoincrement=True,
    )
    op.create_index("contents_by_state", "contents", ["state", "generation"], unique=False)
    op.create_table(
        "removals",
        sa.Column("content_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("content_id", name=op.f("pk_removals")),
    )
    op.create_table(
        "sign_in_attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name_hash", sa.String(length=64), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_attempts")),
    )
    op.create_index("ix_sign_in_attempts_at", "sign_in_attempts", ["at"], unique=False)
    op.create_index("ix_sign_in_attempts_name_hash", "sign_in_attempts", ["name_hash"], unique=False)
    op.create_table(
        "users",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("name_key", sa.String(length=400), nullable=False),
        sa.Column("password_hash", sa.String(length=300), nullable=False),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("name_key", name=op.f("uq_users_name_key")),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("user_id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("last_used_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_api_keys_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_keys_token_hash")),
    )
    op.create_index("ix_api_keys_user_id", "api_keys", ["user_id"], unique=False)
    op.create_table(
        "collections",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("owner_id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("everyone", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name="fk_collections_owner_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collections")),
    )
    op.create_index("ix_collections_owner_id", "collections", ["owner_id"], unique=False)
    op.create_table(
        "pages",
        sa.Column("content_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(length=200), nullable=False),
        sa.Column("width", sa.Double(), nullable=False),
        sa.Column("height", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["content_id"], ["contents.id"], name="fk_pages_content_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("content_id", "number", name=op.f("pk_pages")),
    )
    op.create_table(
        "passages",
        sa.Column("content_id", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("headings", sa.JSON(), nullable=False),
        sa.Column("marks", sa.JSON(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["content_id"], ["contents.id"], name="fk_passages_content_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("content_id", "ordinal", name=op.f("pk_passages")),
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sessions_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sessions")),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"], unique=False)
    op.create_table(
        "sign_in_links",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=16), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sign_in_links_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sign_in_links")),
    )
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("collection_id", sa.String(length=16), nullable=False),
        sa.Column("user_id", sa.String(length=16), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collections.id"], name="fk_conversations_collection_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_conversations_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversations")),
    )
    op.create_index("ix_conversations_collection_id", "conversations", ["collection_id"], unique=False)
    op.create_index("ix_conversations_user_id", "conversations", ["user_id"], unique=False)
    op.create_table(
        "documents",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("collection_id", sa.String(length=16), nullable=False),
        sa.Column("content_id", sa.Integer(), nullable=False),
        sa.Column("parent_id", sa.String(length=16), nullable=True),
        sa.Column("name", sa.String(length=400), nullable=False),
        sa.Column("folder", sa.String(length=1000), nullable=False),
        sa.Column("unpacked", sa.Boolean(), nullable=False),
        sa.Column("uploaded_by", sa.String(length=16), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collections.id"], name="fk_documents_collection_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["content_id"], ["contents.id"], name=op.f("fk_documents_content_id")),
        sa.ForeignKeyConstraint(["parent_id"], ["documents.id"], name="fk_documents_parent_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["uploaded_by"], ["users.id"], name="fk_documents_uploaded_by", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
    )
    op.create_index("documents_by_name", "documents", ["collection_id", "name", "folder"], unique=False)
    op.create_index("ix_documents_content_id", "documents", ["content_id"], unique=False)
    op.create_index("ix_documents_parent_id", "documents", ["parent_id"], unique=False)
    op.create_index("ix_documents_uploaded_by", "documents", ["uploaded_by"], unique=False)
    op.create_table(
        "shares",
        sa.Column("collection_id", sa.String(length=16), nullable=False),
        sa.Column("user_id", sa.String(length=16), nullable=False),
        sa.Column("may_edit", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collections.id"], name="fk_shares_collection_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_shares_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("collection_id", "user_id", name=op.f("pk_shares")),
    )
    op.create_index("ix_shares_user_id", "shares", ["user_id"], unique=False)
    op.create_table(
        "answers",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("conversation_id", sa.String(length=16), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("standalone", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("verdict", sa.String(length=10), nullable=False),
        sa.Column("statements", sa.JSON(), nullable=False),
        sa.Column("passages", sa.JSON(), nullable=False),
        sa.Column("nearest", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("trace", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name="fk_answers_conversation_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answers")),
    )
    op.create_index("answers_in_order", "answers", ["conversation_id", "position"], unique=True)
    op.create_index("ix_answers_state", "answers", ["state"], unique=False)
    op.create_table(
        "citations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("answer_id", sa.String(length=16), nullable=False),
        sa.Column("statement", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.String(length=16), nullable=True),
        sa.Column("document_name", sa.String(length=400), nullable=False),
        sa.Column("content_id", sa.Integer(), nullable=True),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.id"], name="fk_citations_answer_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_citations_document_id", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_citations")),
        sa.UniqueConstraint("answer_id", "statement", "position", name=op.f("uq_citations_answer_id")),
    )
    op.create_index("ix_citations_answer_id", "citations", ["answer_id"], unique=False)
    op.create_index("ix_citations_document_id", "citations", ["document_id"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_citations_document_id", table_name="citations")
    op.drop_index("ix_citations_answer_id", table_name="citations")
    op.drop_table("citations")
    op.drop_index("ix_answers_state", table_name="answers")
    op.drop_index("answers_in_order", table_name="answers")
    op.drop_table("answers")
    op.drop_index("ix_shares_user_id", table_name="shares")
    op.drop_table("shares")
    op.drop_index("ix_documents_uploaded_by", table_name="documents")
    op.drop_index("ix_documents_parent_id", table_name="documents")
    op.drop_index("ix_documents_content_id", table_name="documents")
    op.drop_index("documents_by_name", table_name="documents")
    op.drop_table("documents")
    op.drop_index("ix_conversations_user_id", table_name="conversations")
    op.drop_index("ix_conversations_collection_id", table_name="conversations")
    op.drop_table("conversations")
    op.drop_table("sign_in_links")
    op.drop_index("ix_sessions_user_id", table_name="sessions")
    op.drop_table("sessions")
    op.drop_table("passages")
    op.drop_table("pages")
    op.drop_index("ix_collections_owner_id", table_name="collections")
    op.drop_table("collections")
    op.drop_index("ix_api_keys_user_id", table_name="api_keys")
    op.drop_table("api_keys")
    op.drop_table("users")
    op.drop_index("ix_sign_in_attempts_name_hash", table_name="sign_in_attempts")
    op.drop_index("ix_sign_in_attempts_at", table_name="sign_in_attempts")
    op.drop_table("sign_in_attempts")
    op.drop_table("removals")
    op.drop_index("contents_by_state", table_name="contents")
    op.drop_table("contents")
