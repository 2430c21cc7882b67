"""What the steps of one answer share: who asks, the services, threads for what blocks, the clock and the events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, ParamSpec, TypeVar

from app.accounts.types import Viewer
from app.questions.events import Waiting
from app.questions.log import EventLog
from app.questions.trace import Watch
from app.questions.turnstile import Turnstile
from app.questions.types import AnswerServices

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Work:
    """`layout` is the name of the order of passages."""

    services: AnswerServices
    viewer: Viewer
    turnstile: Turnstile
    pool: Executor
    log: EventLog
    watch: Watch
    layout: str

    async def in_thread(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs what blocks (database, search, tokenizer) off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, lambda: call(*args, **kwargs))

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place at the engine, which has to be ready; the waiting is shown and measured."""
        self.watch.start("queue_ms")
        async with self.turnstile.place(self._waits):
            self.watch.stop("queue_ms")
            yield

    def _waits(self, reason: Literal["queue", "engine"]) -> None:
        self.log.add(lambda seq: Waiting(seq, reason))
