"""People who ask an engine at once: each asks, reads the answer to its end, and asks again, until all is answered."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from app.benchmarks.engine.prompts import Job
from app.benchmarks.engine.stream import post
from app.errors import EngineFailed

LONGEST_SECONDS = 3600.0  # for all requests of one way of asking


@dataclass(frozen=True)
class Target:
    """A running engine. `base_url` ends in `/v1`."""

    base_url: str
    key: str
    model: str


@dataclass(frozen=True)
class Served:
    """One answer. Times are `time.monotonic()`: when it was wanted, sent, begun to be heard and heard to its end."""

    wanted: float
    sent: float
    first: float
    last: float
    tokens: int
    prompt_tokens: int

    @property
    def first_token_seconds(self) -> float:
        """As the person felt it, waiting for the turn included."""
        return self.first - self.wanted


async def ask_all(
    target: Target,
    jobs: Sequence[Job],
    people: int,
    salt: str,
    turn: Callable[[], Awaitable[object]] | None = None,
) -> list[Served]:
    """All `jobs`, asked by so many people at once, in the order they ended. `turn` is waited for before each request is
    sent. Requests of one `salt` share no cached prompt with those of another."""
    waiting, served = iter(jobs), list[Served]()

    async def person() -> None:
        for job in waiting:  # one iterator for all: each takes the next
            wanted = time.monotonic()
            if turn is not None:
                await turn()
            served.append(await ask(target, job, salt, wanted))

    await all_done([person() for _ in range(people)])
    return served


async def all_done(work: Sequence[Awaitable[object]]) -> None:
    """Runs all at once. The first error ends the others and is raised; so does a limit of an hour (EngineFailed)."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            await asyncio.gather(*tasks)
    except TimeoutError as error:
        raise EngineFailed("Not all requests were answered within an hour.", "Try --quick.") from error
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def ask(target: Target, job: Job, salt: str, wanted: float | None = None) -> Served:
    """One request, read to its end. Errors: EngineFailed."""
    sent = time.monotonic()
    first = last = 0.0
    tokens = prompt_tokens = 0
    async with aclosing(post(f"{target.base_url}/chat/completions", _body(target, job, salt), target.key)) as events:
        async for heard in events:
            if not heard.data or heard.data == "[DONE]":
                continue
            piece = json.loads(heard.data)
            if any(choice["delta"].get("content") for choice in piece.get("choices", ())):
                first, last = first or heard.at, heard.at
            if usage := piece.get("usage"):
                tokens, prompt_tokens, last = usage["completion_tokens"], usage["prompt_tokens"], heard.at
    if not tokens:
        raise EngineFailed("The engine ended an answer without saying how long it is.", "Look into its log.")
    return Served(wanted or sent, sent, first or last, last, tokens, prompt_tokens)


def _body(target: Target, job: Job, salt: str) -> dict[str, object]:
    """Exactly `job.tokens` are written, whatever the model would like: every way of asking gets the same work done."""
    body: dict[str, object] = {
        "model": target.model,
        "messages": [{"role": "user", "content": job.text}],
        "max_tokens": job.tokens,
        "ignore_eos": True,
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
        "cache_salt": salt,
    }
    return body if job.priority is None else body | {"priority": job.priority}
