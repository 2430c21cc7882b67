"""Short questions amid a flood of long prompts, under each of vLLM's scheduling policies.

`fcfs` computes in the order of arrival. `priority` takes the lowest number first: it orders those who wait, and picks
who is put back when memory runs out; what is being computed is not slowed down.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from app.benchmarks.engine.engines import Policy
from app.benchmarks.engine.figures import milliseconds, spread
from app.benchmarks.engine.load import Served, Target, all_done, ask
from app.benchmarks.engine.prompts import Job, alike
from app.benchmarks.engine.size import Size

POLICIES: tuple[Policy, ...] = ("fcfs", "priority")
LONG_PRIORITY, SHORT_PRIORITY = 10, 0
LONG_TOKENS, SHORT_TOKENS, SHORT_WORDS = 16, 16, 20


@dataclass(frozen=True)
class Flood:
    """What ended, in order of asking. `pace` is the time between two short questions in seconds."""

    long: list[Served]
    short: list[Served]
    pace: float


Start = Callable[[Policy], AbstractContextManager[Target]]


def measure(start: Start, size: Size, say: Callable[[str], None]) -> dict[str, Any]:
    """The same flood on an engine of each policy; `start` starts one. The second has the pace of the first."""
    floods: dict[str, Flood] = {}
    for policy in POLICIES:
        say(f"starting an engine with --scheduling-policy={policy}")
        with start(policy) as target:
            say(f"{size.flood} long prompts and {size.short} short questions under {policy}")
            pace = floods[POLICIES[0]].pace if floods else 0.0
            floods[policy] = asyncio.run(flood(target, size, policy == "priority", pace))
    return _report(size, floods)


async def flood(target: Target, size: Size, priorities: bool, pace: float = 0.0) -> Flood:
    """All long prompts at once, then a short question every `pace` seconds. Without `pace` it is the time that one long
    prompt takes alone, so that short ones keep coming for as long as the flood lasts and are less than the engine can
    bear."""
    jobs = alike(size.flood + 1, size.long_words, LONG_TOKENS, LONG_PRIORITY)
    questions = alike(size.short, SHORT_WORDS, SHORT_TOKENS, SHORT_PRIORITY)
    if not priorities:
        jobs, questions = ([replace(job, priority=None) for job in some] for some in (jobs, questions))
    salt = uuid.uuid4().hex
    alone = await ask(target, jobs[-1], salt)
    pace = pace or alone.last - alone.sent
    long, short = [Served(0, 0, 0, 0, 0, 0)] * size.flood, [Served(0, 0, 0, 0, 0, 0)] * size.short

    async def one(into: list[Served], place: int, job: Job, after: float) -> None:
        await asyncio.sleep(after)
        into[place] = await ask(target, job, salt)

    await all_done(
        [
            *(one(long, place, job, 0.0) for place, job in enumerate(jobs[:-1])),
            *(one(short, place, job, (place + 1) * pace) for place, job in enumerate(questions)),
        ]
    )
    return Flood(long, short, pace)


def _report(size: Size, floods: dict[str, Flood]) -> dict[str, Any]:
    rows = {policy: row(flooded) for policy, flooded in floods.items()}
    first, other = (rows[policy]["short_first_token_ms"]["median"] for policy in POLICIES)
    waits = [rows[policy]["long_longest_s"] for policy in POLICIES]
    return {
        "long_prompts": size.flood,
        "short_questions": size.short,
        "short_every_s": round(next(iter(floods.values())).pace, 2),
        **rows,
        "short_first_token_fcfs_over_priority": round(first / other, 1),
        "long_longest_priority_over_fcfs": round(waits[1] / waits[0], 2),
        "starved": sum(rows[policy]["asked"] - rows[policy]["ended"] for policy in POLICIES),
    }


def row(flooded: Flood) -> dict[str, Any]:
    """Figures of one policy; seconds and milliseconds since a request was sent."""
    every: Sequence[Served] = [*flooded.long, *flooded.short]
    begun = min(answer.sent for answer in every)
    return {
        "asked": len(every),
        "ended": sum(answer.tokens > 0 for answer in every),
        "short_first_token_ms": milliseconds([answer.first_token_seconds for answer in flooded.short]),
        "long_first_token_s": spread([answer.first_token_seconds for answer in flooded.long]),
        "long_longest_s": round(max(answer.last - answer.sent for answer in flooded.long), 2),
        "all_s": round(max(answer.last for answer in every) - begun, 2),
    }
