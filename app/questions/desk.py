"""The desk where questions are handed in: each answer is a task of its own, independent of who listens to it.

An answer nobody listens to any more is paused (the engine stops at once) and goes on from where it was when somebody
listens again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

import structlog
from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.errors import NotReady
from app.questions import record
from app.questions.answer import Answering
from app.questions.events import Done, Event, Failed, Rewritten, Statement, Stopped
from app.questions.figures import AnswerFigures
from app.questions.log import EventLog
from app.questions.progress import Asked
from app.questions.prompt import require_short
from app.questions.threads import Threads
from app.questions.trace import Watch
from app.questions.turnstile import Turnstile
from app.questions.types import AnswerServices, AnswerView
from app.questions.work import Work
from ingestion.index.types import Query
from models.types import Message

ABSENCE_SECONDS = 0.5  # how long an answer goes on unheard: a reload needs a moment, and going on later costs little
FIRST_LISTENER_SECONDS = 10.0  # how long a new question waits for its first listener

T = TypeVar("T")
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Running:
    """An answer being written, and its events."""

    answering: Answering
    log: EventLog
    user_id: str


class AnswerDesk:
    """Takes questions, runs the answers, and hands out their events. Lives in one event loop."""

    def __init__(self, services: AnswerServices) -> None:
        self._services = services
        self._running: dict[str, Running] = {}
        self._turnstile: Turnstile | None = None
        self._threads = Threads()
        self._closing = False
        self.figures = AnswerFigures()

    async def start(self) -> None:
        """Once, before the first question: answers a crash left waiting or streaming become paused. What is slow the
        first time is done in the background."""
        await self._in_session(record.pause_all)
        self._threads.begin(self._warm_up)

    async def ask(
        self, viewer: Viewer, collection_id: str, question: str, conversation_id: str | None = None
    ) -> AnswerView:
        """Hand in a question; returns at once with state "waiting". Without `conversation_id` a new conversation
        begins.

        Errors: NotFound (collection or conversation not the viewer's), Invalid (empty or too long, `field`
        "question"), Conflict (the conversation's last answer is still being written).
        """
        begun = time.perf_counter()
        with self.figures.handing_in():
            question = record.clean_question(question)
            await self._check_length(question)
            if conversation_id is not None:
                await self._stop_paused(viewer, conversation_id)
            model = self._services.engine.model
            view, asked = await self._in_session(
                lambda db: record.hand_in(
                    db, viewer, collection_id, question, conversation_id=conversation_id, model=model
                )
            )
            self._begin(viewer, view, begun, first_seq=1, asked=asked)
        return view

    async def events(self, viewer: Viewer, answer_id: str, after: int = 0) -> AsyncGenerator[Event, None]:
        """The answer's events with `seq > after`: first those there were, then live ones, ending with the last event.

        A paused answer goes on when somebody listens. Raises NotFound at the first step (call `answer` first to know
        before a response has begun). Close the iterator when the listener goes.
        """
        while not self._closing:
            running = self._running.get(answer_id)
            if running is None or running.user_id != viewer.user_id:
                view = await self.answer(viewer, answer_id)
                running = self._running.get(answer_id)
                if running is None and view.ended:
                    for event in _replay(view, after):
                        yield event
                    return
                running = running or self._begin(viewer, view, time.perf_counter())
            async with aclosing(running.log.listen(after)) as events:
                async for event in events:
                    after = event.seq
                    yield event
            if running.log.ended:
                return
            await asyncio.wait([running.answering.task])

    async def result(self, viewer: Viewer, answer_id: str) -> AnswerView:
        """Listens until the answer has ended and returns it (for callers that do not stream)."""
        async with aclosing(self.events(viewer, answer_id)) as events:
            async for event in events:
                if isinstance(event, Done | Stopped | Failed):
                    return event.answer
        return await self.answer(viewer, answer_id)

    async def stop(self, viewer: Viewer, answer_id: str) -> AnswerView:
        """Stop writing; what has arrived is kept and checked. An answer that has ended is returned as it is."""
        view = await self.answer(viewer, answer_id)
        running = self._running.get(answer_id)
        if running is None:
            if view.ended:
                return view
            running = self._begin(viewer, view, time.perf_counter(), interrupted="stop")
        running.answering.interrupt("stop")
        await asyncio.wait([running.answering.task])
        return await self.answer(viewer, answer_id)

    async def retry(self, viewer: Viewer, answer_id: str) -> AnswerView:
        """Ask the same question again in its place. Conflict unless it is the conversation's last answer and ended."""
        begun = time.perf_counter()
        view = await self._in_session(lambda db: record.begin_again(db, viewer, answer_id))
        self._begin(viewer, view, begun)
        return view

    async def answer(self, viewer: Viewer, answer_id: str) -> AnswerView:
        """The answer as it stands now. NotFound when it is not the viewer's."""
        return await self._in_session(lambda db: record.view_answer(db, viewer, answer_id))

    def at_the_engine(self) -> tuple[int, int]:
        """Answers that have a place at the engine, and answers that wait for one."""
        return (self._turnstile.inside, self._turnstile.outside) if self._turnstile else (0, 0)

    async def close(self) -> None:
        """Pauses what is being written and ends all event streams."""
        self._closing = True
        running = list(self._running.values())
        for one in running:
            one.answering.interrupt("pause")
        if running:
            await asyncio.wait([one.answering.task for one in running])
        self._threads.close()

    def _warm_up(self) -> None:
        """Loads models and index and counts a first prompt, so that nobody waits for it."""
        try:
            self._services.models.tokenizer.count_chat([Message("user", "ready?")])
            self._services.index.search(Query("ready?", None, frozenset(), 1))
        except Exception as error:  # whoever asks will be told
            log.warning("warming up failed", error=str(error))

    def _begin(
        self,
        viewer: Viewer,
        view: AnswerView,
        begun: float,
        *,
        first_seq: int = 0,
        asked: Asked | None = None,
        interrupted: Literal["", "stop"] = "",
    ) -> Running:
        """Starts the task. One that goes on numbers its events from the microseconds since the question was asked:
        higher than all before, also after a restart."""
        if self._closing:
            raise NotReady("Beleg is being stopped.", "Try again in a minute.")
        if self._turnstile is None:
            self._turnstile = Turnstile(self._services)
        events = EventLog(first_seq or max(2, int((time.time() - view.created_at) * 1_000_000)))
        layout = getattr(self._services.settings, "layout", "relevance")
        watch = Watch(begun, self._services.engine.model, layout)
        work = Work(self._services, viewer, self._turnstile, self._threads, events, watch, layout)
        running = Running(Answering(work, view.id, asked=asked, interrupted=interrupted), events, viewer.user_id)
        self._running[view.id] = running
        running.answering.task.add_done_callback(lambda _task: self._forget(view.id, running))
        events.on_leave = partial(self._absent_after, ABSENCE_SECONDS, running)
        self._absent_after(FIRST_LISTENER_SECONDS, running)
        return running

    def _absent_after(self, seconds: float, running: Running) -> None:
        """Pauses the answer when nobody is listening after that time."""

        def look() -> None:
            if not running.log.listeners:
                running.answering.interrupt("pause")

        asyncio.get_running_loop().call_later(seconds, look)

    def _forget(self, answer_id: str, running: Running) -> None:
        self.figures.ended(running.answering.outcome)
        if self._running.get(answer_id) is running:
            del self._running[answer_id]

    async def _stop_paused(self, viewer: Viewer, conversation_id: str) -> None:
        """A new question ends a paused answer before it."""
        paused = await self._in_session(lambda db: record.last_paused(db, viewer, conversation_id))
        if paused is not None:
            await self.stop(viewer, paused)

    async def _check_length(self, question: str) -> None:
        settings = self._services.settings
        if len(question) * 2 > settings.context_tokens - settings.answer_tokens:  # cannot be too long otherwise
            room = settings.context_tokens - min(settings.answer_tokens, settings.context_tokens // 2)
            call = partial(require_short, question, room)
            await self._threads.long(lambda: call(self._services.models.tokenizer))

    async def _in_session(self, call: Callable[[Session], T]) -> T:
        def in_session() -> T:
            with self._services.database.session() as db:
                return call(db)

        return await self._threads.short(in_session)


def _replay(view: AnswerView, after: int) -> list[Event]:
    """The events of an ended answer: all for a new listener, only the last for one who has heard the rest."""
    events: list[Event] = []
    if after == 0:
        if view.standalone:
            events.append(Rewritten(len(events) + 1, view.standalone))
        for index, statement in enumerate(view.statements):
            events.append(Statement(len(events) + 1, index, statement))
    seq = after + len(events) + 1
    if view.state == "failed":
        return [*events, Failed(seq, view.error, view.hint, view)]
    return [*events, Stopped(seq, view) if view.state == "stopped" else Done(seq, view)]
