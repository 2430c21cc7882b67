"""The way to the engine: a limited number of answers at once, and waiting for an engine that is not ready yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Literal

from app.errors import NotReady
from app.questions.types import AnswerServices
from models.engine.client import EngineError

ENGINE_WAIT_SECONDS = 300.0
_LOOK_SECONDS = 0.25

Waits = Callable[[Literal["queue", "engine"]], None]


class Turnstile:
    """First come, first served. Waiting for the engine takes no place from others."""

    def __init__(self, services: AnswerServices) -> None:
        self._services = services
        self._places = asyncio.Semaphore(services.settings.answers_at_once)
        self._window: tuple[str, int] | None = None
        self.inside = 0  # answers that have a place
        self.outside = 0  # answers that wait for one, or for the engine

    @asynccontextmanager
    async def place(self, waits: Waits) -> AsyncIterator[None]:
        """A place while the block runs; `waits` is told when it has to be waited for. Errors: NotReady."""
        await self._enter(waits)
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1
            self._places.release()

    async def _enter(self, waits: Waits) -> None:
        self.outside += 1
        try:
            await self._engine_ready(waits)
            if self._places.locked():
                waits("queue")
            await self._places.acquire()
        finally:
            self.outside -= 1

    async def window(self) -> int:
        """Tokens that fit into prompt and answer: what is set, or less when the engine takes less."""
        most, model = self._services.settings.context_tokens, self._services.engine.model
        if self._window is None or self._window[0] != model:
            try:
                self._window = (model, await self._services.engine.model_length())
            except EngineError:
                return most
        return min(most, self._window[1]) if self._window[1] > 0 else most

    async def _engine_ready(self, waits: Waits) -> None:
        waited = 0.0
        while (state := self._services.engine_status().state) != "ready":
            if state in ("failed", "off"):
                raise NotReady("The engine could not be started.", "Run `beleg doctor` on the server: it says why.")
            if waited >= ENGINE_WAIT_SECONDS:
                raise NotReady("The engine is still not ready.", "Ask again in a few minutes.")
            if not waited:
                waits("engine")
            await asyncio.sleep(_LOOK_SECONDS)
            waited += _LOOK_SECONDS
