"""Conversations as their user sees them: list, read, rename, delete."""

from __future__ import annotations

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.collections import access
from app.db import tables
from app.errors import Invalid
from app.questions import record
from app.questions.types import AnswerView, ConversationView
from app.questions.views import answer_views

LONGEST_TITLE = 200


def list_conversations(db: Session, viewer: Viewer, collection_id: str) -> list[ConversationView]:
    """The viewer's conversations in a collection, newest first, without their answers. Errors: NotFound."""
    access.find(db, viewer, collection_id)
    query = (
        select(tables.Conversation, func.count(tables.Answer.id))
        .outerjoin(tables.Answer, tables.Answer.conversation_id == tables.Conversation.id)
        .where(tables.Conversation.collection_id == collection_id, tables.Conversation.user_id == viewer.user_id)
        .group_by(tables.Conversation.id)
        .order_by(tables.Conversation.created_at.desc(), tables.Conversation.id)
    )
    return [_view(row, count) for row, count in db.execute(query)]


def get_conversation(db: Session, viewer: Viewer, conversation_id: str) -> ConversationView:
    """A conversation with its answers in order. NotFound when it is not the viewer's, or its collection no longer
    is."""
    row = record.find_conversation(db, viewer, conversation_id)
    query = select(tables.Answer).where(tables.Answer.conversation_id == row.id).order_by(tables.Answer.position)
    answers = answer_views(db, row.collection_id, db.scalars(query).all())
    return _view(row, len(answers), answers)


def get_answer(db: Session, viewer: Viewer, answer_id: str) -> AnswerView:
    """One answer as stored. NotFound likewise."""
    return record.view_answer(db, viewer, answer_id)


def rename_conversation(db: Session, viewer: Viewer, conversation_id: str, title: str) -> ConversationView:
    """Errors: NotFound, Invalid (field "title") when the title is empty or longer than 200 characters."""
    row = record.find_conversation(db, viewer, conversation_id)
    title = " ".join("".join(c if c.isprintable() else " " for c in title).split())
    if not 0 < len(title) <= LONGEST_TITLE:
        raise Invalid("A title has 1 to 200 characters.", "Write a shorter one.", field="title", code="bad_title")
    row.title = title
    db.flush()
    return get_conversation(db, viewer, conversation_id)


def delete_conversation(db: Session, viewer: Viewer, conversation_id: str) -> None:
    """Gone with its answers and citations. Stop a running answer first (`AnswerDesk.stop`). Errors: NotFound."""
    record.find_conversation(db, viewer, conversation_id)
    db.execute(delete(tables.Conversation).where(tables.Conversation.id == conversation_id))


def _view(row: tables.Conversation, count: int, answers: tuple[AnswerView, ...] = ()) -> ConversationView:
    return ConversationView(row.id, row.collection_id, row.title, row.created_at, count, answers)
