"""Conversations as their user sees them: list, read, rename, delete."""

from __future__ import annotations

from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.questions.types import AnswerView, ConversationView


def list_conversations(db: Session, viewer: Viewer, collection_id: str) -> list[ConversationView]:
    """The viewer's conversations in a collection, newest first, without their answers. NotFound as `find`."""
    raise NotImplementedError


def get_conversation(db: Session, viewer: Viewer, conversation_id: str) -> ConversationView:
    """A conversation with its answers in order. NotFound when it is not the viewer's, or the collection no longer is."""
    raise NotImplementedError


def get_answer(db: Session, viewer: Viewer, answer_id: str) -> AnswerView:
    """One answer as stored. NotFound likewise."""
    raise NotImplementedError


def rename_conversation(db: Session, viewer: Viewer, conversation_id: str, title: str) -> ConversationView:
    """Invalid when the title is empty or longer than 200 characters."""
    raise NotImplementedError


def delete_conversation(db: Session, viewer: Viewer, conversation_id: str) -> None:
    """Gone with its answers and citations. Stop a running answer first (`AnswerDesk.stop`)."""
    raise NotImplementedError
