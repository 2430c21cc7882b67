"""The desk where questions are handed in: each answer is a task of its own, independent of who listens to it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from app.accounts.types import Viewer
from app.questions.events import Event
from app.questions.types import AnswerServices, AnswerView


class AnswerDesk:
    """Takes questions, runs the answers, and hands out their events. Lives in one event loop."""

    def __init__(self, services: AnswerServices) -> None:
        self._services = services

    async def start(self) -> None:
        """Once, before the first question: answers a crash left waiting or streaming become paused."""

    async def ask(
        self, viewer: Viewer, collection_id: str, question: str, conversation_id: str | None = None
    ) -> AnswerView:
        """Hand in a question; returns at once with state "waiting". Without `conversation_id` a new conversation begins.

        Errors: NotFound (collection or conversation not the viewer's), Invalid (empty or too long, `field`
        "question"), Conflict (the conversation's last answer is still being written), TooMany.
        """
        raise NotImplementedError

    def events(self, viewer: Viewer, answer_id: str, after: int = 0) -> AsyncIterator[Event]:
        """The answer's events with `seq > after`: first those there were, then live ones, ending with the last event.

        A paused answer goes on when somebody listens. Raises NotFound at the first step (call `answer` first to know
        before a response has begun). Close the iterator when the listener goes.
        """
        raise NotImplementedError

    async def result(self, viewer: Viewer, answer_id: str) -> AnswerView:
        """Listens until the answer has ended and returns it (for callers that do not stream)."""
        raise NotImplementedError

    async def stop(self, viewer: Viewer, answer_id: str) -> AnswerView:
        """Stop writing; what has arrived is kept and checked. An answer that has ended is returned as it is."""
        raise NotImplementedError

    async def retry(self, viewer: Viewer, answer_id: str) -> AnswerView:
        """Ask the same question again in its place. Conflict unless it is the conversation's last answer and ended."""
        raise NotImplementedError

    async def answer(self, viewer: Viewer, answer_id: str) -> AnswerView:
        """The answer as it stands now. NotFound when it is not the viewer's."""
        raise NotImplementedError

    async def close(self) -> None:
        """Pauses what is being written and ends all event streams."""
