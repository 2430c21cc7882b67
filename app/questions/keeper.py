"""Writes an answer's progress to the database beside the stream, so that no token waits for the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

EVERY_SECONDS = 0.5


class Keeper:
    """Calls `save` right after `soon()`, and at the latest half a second after `touch()`; never twice at a time. When a
    save fails it saves no more and calls `on_failure`; `stop` then raises what was raised."""

    def __init__(self, save: Callable[[], Awaitable[None]], on_failure: Callable[[], None]) -> None:
        self._save, self._on_failure = save, on_failure
        self._dirty = False
        self._ended = False
        self._now = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="keep answer")

    def touch(self) -> None:
        """There is something new."""
        self._dirty = True

    def soon(self) -> None:
        """There is something new that should not be lost."""
        self._dirty = True
        self._now.set()

    async def stop(self) -> None:
        """Ends after a save that is under way; what is new since then is for the caller to save. Raises what a save
        raised."""
        self._ended = True
        self._now.set()
        if self._task is not None:
            task, self._task = self._task, None
            await task

    async def _run(self) -> None:
        while not self._ended:
            try:
                async with asyncio.timeout(EVERY_SECONDS):
                    await self._now.wait()
            except TimeoutError:
                pass
            self._now.clear()
            if self._dirty and not self._ended:
                self._dirty = False
                try:
                    await self._save()
                except Exception:
                    self._on_failure()
                    raise
