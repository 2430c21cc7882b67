"""Threads for what blocks, off the event loop. Short work (the database) and work that may wait long (models that are
still being loaded) have threads of their own, so that neither holds up the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SHORT, LONG = 4, 8


class Threads:
    """Starts none before the first call."""

    def __init__(self) -> None:
        self._short = ThreadPoolExecutor(SHORT, thread_name_prefix="answers-database")
        self._long = ThreadPoolExecutor(LONG, thread_name_prefix="answers-models")

    async def short(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """For the database."""
        return await asyncio.get_running_loop().run_in_executor(self._short, lambda: call(*args, **kwargs))

    async def long(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """For whatever needs a model, the tokenizer or the index."""
        return await asyncio.get_running_loop().run_in_executor(self._long, lambda: call(*args, **kwargs))

    def begin(self, call: Callable[[], object]) -> None:
        """Begins long work nobody waits for."""
        self._long.submit(call)

    def close(self) -> None:
        """Waits for nothing; work that has not begun is dropped."""
        for pool in (self._short, self._long):
            pool.shutdown(wait=False, cancel_futures=True)
