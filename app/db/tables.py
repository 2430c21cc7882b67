"""The tables. The database is the truth and the job list; blobs and the search index hang on it.

A *document* is a name in a collection; its *content* is the bytes behind it. The same bytes under two names
are two documents and one content, read and indexed once.
"""

from __future__ import annotations

import secrets
import time
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, MetaData, String, Text, UniqueConstraint, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


def new_id() -> str:
    """A random, unguessable, URL-safe id of 16 characters."""
    return secrets.token_hex(8)


class Base(DeclarativeBase):
    """Times are epoch seconds, ids are random strings. Constraints have names, so that migrations can change them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {dict[str, Any]: JSON, list[Any]: JSON}  # noqa: RUF012


class User(Base):
    __tablename__ = "users"
    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(String(200))  # what one signs in with, as written
    # the same, case folded: Anna and anna are one person
    name_key: Mapped[str] = mapped_column(String(400), unique=True)
    # argon2; empty: cannot sign in by password yet
    password_hash: Mapped[str] = mapped_column(String(300), default="")
    is_admin: Mapped[bool] = mapped_column(default=False)
    active: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[float] = mapped_column(default=time.time)


class Session(Base):
    """A signed-in browser. `token_hash` is SHA-256 of the cookie's secret, which itself is never stored."""

    __tablename__ = "sessions"
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[float] = mapped_column(default=time.time)
    expires_at: Mapped[float]


class SignInLink(Base):
    """A link that signs one person in once (the first administrator, a new colleague)."""

    __tablename__ = "sign_in_links"
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    expires_at: Mapped[float]


class SignInAttempt(Base):
    """A sign-in that failed (or is being checked). `name_hash` is SHA-256 of the case-folded name: people type
    passwords into the wrong field."""

    __tablename__ = "sign_in_attempts"
    id: Mapped[int] = mapped_column(primary_key=True)
    name_hash: Mapped[str] = mapped_column(String(64), index=True)
    at: Mapped[float] = mapped_column(default=time.time, index=True)


class ApiKey(Base):
    __tablename__ = "api_keys"
    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(200))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[float] = mapped_column(default=time.time)
    last_used_at: Mapped[float | None]


class Collection(Base):
    """Documents with one access list; private to the owner until shared."""

    __tablename__ = "collections"
    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=new_id)
    owner_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(200))
    everyone: Mapped[bool] = mapped_column(default=False)  # shared with every user of this server
    created_at: Mapped[float] = mapped_column(default=time.time)


class Share(Base):
    """A user who may read a collection (and ask in it), and with `may_edit` upload and delete there."""

    __tablename__ = "shares"
    collection_id: Mapped[str] = mapped_column(ForeignKey("collections.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    may_edit: Mapped[bool] = mapped_column(default=False)


class Content(Base):
    """Bytes, named by their SHA-256, read as one format, and how far reading them has come.

    state: queued -> reading -> indexing -> ready | refused. A row in any of the first three is a job; so is
    one that is ready with generation 0 (it has passages, but the index lost them or was made by another
    embedder). `attempts` counts how often its present step was begun and not finished.
    """

    __tablename__ = "contents"
    __table_args__ = (
        UniqueConstraint("sha256", "format"),  # the same bytes as .txt and as .md are read twice
        Index("contents_by_state", "state", "generation"),  # the worker looks for jobs four times a second
        {"sqlite_autoincrement": True},  # an id is never used twice: the index knows it
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64))
    size: Mapped[int]
    format: Mapped[str] = mapped_column(String(20))
    state: Mapped[str] = mapped_column(String(12), default="queued")
    outcome: Mapped[str] = mapped_column(String(10), default="")  # text | partial | ocr | refused
    refusal_code: Mapped[str] = mapped_column(String(40), default="")
    refusal: Mapped[str] = mapped_column(Text, default="")  # template, filled from refusal_values
    refusal_values: Mapped[dict[str, Any]] = mapped_column(default=dict)
    warnings: Mapped[list[Any]] = mapped_column(default=list)  # [{code, text, page}]
    # what a person should know of how well it was read: app/documents/health.py
    health: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    title: Mapped[str] = mapped_column(String(400), default="")
    language: Mapped[str] = mapped_column(String(8), default="")
    has_pages: Mapped[bool] = mapped_column(default=True)
    pages_total: Mapped[int] = mapped_column(default=0)
    pages_read: Mapped[int] = mapped_column(default=0)
    passage_count: Mapped[int] = mapped_column(default=0)
    # files inside it (a mail), each a document of its own
    attachments: Mapped[int] = mapped_column(default=0)
    attempts: Mapped[int] = mapped_column(default=0)
    generation: Mapped[int] = mapped_column(default=0)  # of the index, from which on it is found
    queued_at: Mapped[float] = mapped_column(default=time.time)
    changed_at: Mapped[float] = mapped_column(default=time.time, onupdate=time.time)


class Document(Base):
    """A name in a collection. New bytes under the same name and folder are its next revision: a row of its own in the
    same `series`. Once that can be searched the earlier rows get `replaced_at`; what has it is not searched any more,
    but old answers go on pointing at it (app/documents/revisions.py)."""

    __tablename__ = "documents"
    __table_args__ = (
        Index("documents_by_name", "collection_id", "name", "folder"),
        Index("documents_in_order", "series", "revision", unique=True),
    )
    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=new_id)
    collection_id: Mapped[str] = mapped_column(ForeignKey("collections.id", ondelete="CASCADE"))
    content_id: Mapped[int] = mapped_column(ForeignKey("contents.id"), index=True)
    parent_id: Mapped[str | None] = mapped_column(  # the mail it was attached to
        ForeignKey("documents.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[str] = mapped_column(String(400))  # as people see it; never used as a file name
    folder: Mapped[str] = mapped_column(String(1000), default="")  # path within an uploaded folder
    # what all revisions of a document share: the id of the first
    series: Mapped[str] = mapped_column(String(16), default=new_id, server_default=text("''"))
    revision: Mapped[int] = mapped_column(default=1, server_default="1")  # from 1, within its series
    # since when a newer revision is searched, or the archive it came in has it no more
    replaced_at: Mapped[float | None]
    # its attachments are documents of this collection, too
    unpacked: Mapped[bool] = mapped_column(default=False)
    uploaded_by: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    created_at: Mapped[float] = mapped_column(default=time.time)


class Removal(Base):
    """A content that was deleted from here and has still to go from the index and the disk: a job of the worker."""

    __tablename__ = "removals"
    content_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sha256: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[float] = mapped_column(default=time.time)


class PageSize(Base):
    """A page of a content: its size in points (0 where there is no picture) and its label."""

    __tablename__ = "pages"
    content_id: Mapped[int] = mapped_column(ForeignKey("contents.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    label: Mapped[str] = mapped_column(String(200), default="")
    width: Mapped[float] = mapped_column(default=0)
    height: Mapped[float] = mapped_column(default=0)


class Passage(Base):
    __tablename__ = "passages"
    content_id: Mapped[int] = mapped_column(ForeignKey("contents.id", ondelete="CASCADE"), primary_key=True)
    ordinal: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    headings: Mapped[list[Any]] = mapped_column(default=list)
    marks: Mapped[list[Any]] = mapped_column(default=list)  # [[start, end, page, [x0, y0, x1, y1] | "A5:D5" | null]]
    tokens: Mapped[int] = mapped_column(default=0)


class Conversation(Base):
    """Private to its user, in one collection."""

    __tablename__ = "conversations"
    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=new_id)
    collection_id: Mapped[str] = mapped_column(ForeignKey("collections.id", ondelete="CASCADE"), index=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    title: Mapped[str] = mapped_column(String(200), default="")
    created_at: Mapped[float] = mapped_column(default=time.time)


class Answer(Base):
    """One question and what became of it.

    state: waiting -> streaming -> done | stopped | failed | paused (nobody was listening; it continues when
    one is).
    """

    __tablename__ = "answers"
    __table_args__ = (Index("answers_in_order", "conversation_id", "position", unique=True),)
    id: Mapped[str] = mapped_column(String(16), primary_key=True, default=new_id)
    conversation_id: Mapped[str] = mapped_column(ForeignKey("conversations.id", ondelete="CASCADE"))
    position: Mapped[int]
    question: Mapped[str] = mapped_column(Text)
    # a follow-up as it was searched for; empty: as asked
    standalone: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(String(10), default="waiting", index=True)
    text: Mapped[str] = mapped_column(Text, default="")  # what the engine wrote so far, unchanged
    verdict: Mapped[str] = mapped_column(String(10), default="")  # proved | partly | unproved | declined
    statements: Mapped[list[Any]] = mapped_column(default=list)
    passages: Mapped[list[Any]] = mapped_column(default=list)  # [[content_id, ordinal]] in prompt order
    nearest: Mapped[list[Any]] = mapped_column(default=list)  # shown when declined
    error: Mapped[str] = mapped_column(Text, default="")
    model: Mapped[str] = mapped_column(String(200), default="")
    trace: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[float] = mapped_column(default=time.time)


class Citation(Base):
    """Statement `statement` of an answer rests on characters [start, end) of a passage. When the document is deleted
    its `quote` is emptied and `document_id` becomes NULL: the page then says that the source was deleted."""

    __tablename__ = "citations"
    __table_args__ = (UniqueConstraint("answer_id", "statement", "position"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    answer_id: Mapped[str] = mapped_column(ForeignKey("answers.id", ondelete="CASCADE"), index=True)
    statement: Mapped[int]
    position: Mapped[int]
    document_id: Mapped[str | None] = mapped_column(ForeignKey("documents.id", ondelete="SET NULL"), index=True)
    document_name: Mapped[str] = mapped_column(String(400))
    content_id: Mapped[int | None]
    ordinal: Mapped[int]
    start: Mapped[int]
    end: Mapped[int]
    page: Mapped[int | None]  # None where the format has no pages
    quote: Mapped[str] = mapped_column(Text)
