"""What the steps of one answer share: who asks, the services, threads for what blocks, the clock and the events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from app.accounts.types import Viewer
from app.questions.events import Waiting
from app.questions.log import EventLog
from app.questions.threads import Threads
from app.questions.trace import Watch
from app.questions.turnstile import Turnstile
from app.questions.types import AnswerServices


@dataclass(frozen=True)
class Work:
    """`layout` is the name of the order of passages."""

    services: AnswerServices
    viewer: Viewer
    turnstile: Turnstile
    threads: Threads
    log: EventLog
    watch: Watch
    layout: str

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place at the engine, which has to be ready; the waiting is shown and measured."""
        self.watch.start("queue_ms")
        async with self.turnstile.place(self._waits):
            self.watch.stop("queue_ms")
            yield

    def _waits(self, reason: Literal["queue", "engine"]) -> None:
        self.log.add(lambda seq: Waiting(seq, reason))
