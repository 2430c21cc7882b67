"""Tokens a second and time to first token for three ways of asking the same things of the same engine.

sequential   one request at a time
static       as many as there are people; the next ones when all of these have ended
continuous   as many as there are people; each asks again when its own has ended: the engine batches as it likes
"""

from __future__ import annotations

import asyncio
import statistics
import uuid
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from app.benchmarks.engine.figures import milliseconds
from app.benchmarks.engine.load import Served, Target, ask, ask_all
from app.benchmarks.engine.prompts import Job, mixed
from app.benchmarks.engine.size import Size

CLAIMED_PERCENT = (40, 60)  # more tokens a second than one request at a time, as it was promised for this design

Parts = list[list[Served]]  # what was asked at a stretch


async def measure(target: Target, size: Size, say: Callable[[str], None]) -> dict[str, Any]:
    """The same requests each way. One half of the sequential ones runs before all others, one after them, so that a
    machine that gets slower or faster meanwhile favours no way."""
    jobs = mixed(size.requests, size.prompt_words, size.answers)
    half = len(jobs) // 2
    await ask(target, Job("Say hello.", 8), _salt())  # the first request after a start is slow
    say("one request at a time")
    before = await ask_all(target, jobs[:half], 1, _salt())
    points = [await _point(target, jobs, people, say) for people in size.people]
    say("one request at a time, the second half")
    after = await ask_all(target, jobs[half:], 1, _salt())
    return _report(size, [before, after], points)


async def _point(
    target: Target, jobs: Sequence[Job], people: int, say: Callable[[str], None]
) -> tuple[int, list[Served], list[Served]]:
    say(f"{people} at once, waiting for whole batches")
    static = await ask_all(target, jobs, people, _salt(), asyncio.Barrier(people).wait)
    say(f"{people} at once, continuous batching")
    return people, static, await ask_all(target, jobs, people, _salt())


def _salt() -> str:
    """Never the same, so that no way finds what another had computed."""
    return uuid.uuid4().hex


def _report(size: Size, sequential: Parts, points: list[tuple[int, list[Served], list[Served]]]) -> dict[str, Any]:
    one = _rate(sequential)
    alone = _row(one, sequential, 1, sequential, sequential)  # for one person all ways are the same
    rows = [alone, *(_row(one, sequential, people, [static], [each]) for people, static, each in points)]
    served = [answer for part in sequential for answer in part]
    return {
        "requests": len(served),
        "prompt_tokens": int(statistics.median(answer.prompt_tokens for answer in served)),
        "answer_tokens": list(size.answers),
        "people": rows,
        "gain_percent_over_sequential": {
            "claimed": list(CLAIMED_PERCENT),
            "measured": {row["people"]: row["gain_percent_over_sequential"] for row in rows},
        },
    }


def _row(one: float, sequential: Parts, people: int, static: Parts, continuous: Parts) -> dict[str, Any]:
    whole, each = _rate(static), _rate(continuous)
    waited = [value for part in sequential for value in waiting_in_line(part, people)]
    return {
        "people": people,
        "continuous": _way(continuous, one),
        "static": _way(static, one),
        "sequential": {"tokens_per_s": round(one, 2), "first_token_ms": milliseconds(waited)},
        "gain_percent_over_sequential": round(100 * (each / one - 1)),
        "gain_percent_over_static": round(100 * (each / whole - 1)),
    }


def _way(parts: Parts, one: float) -> dict[str, Any]:
    served = [answer for part in parts for answer in part]
    return {
        "ended": len(served),
        "tokens_per_s": round(_rate(parts), 2),
        "times_sequential": round(_rate(parts) / one, 2),
        "first_token_ms": milliseconds([answer.first_token_seconds for answer in served]),
    }


def waiting_in_line(served: Sequence[Served], people: int) -> list[float]:
    """Seconds to the first token had so many people stood in line for one request at a time: each asks again when its
    answer has ended, and the answers of all others come first. Reckoned from the requests that ran one by one."""
    ordered = sorted(served, key=lambda answer: answer.sent)
    starts = [answer.sent for answer in ordered]
    lasting = [later - sooner for sooner, later in pairwise([*starts, ordered[-1].last])]
    return [
        sum(lasting[max(0, place - people + 1) : place]) + answer.first - answer.sent
        for place, answer in enumerate(ordered)
    ]


def _rate(parts: Parts) -> float:
    """Tokens a second, of all parts together; the time between them does not count."""
    tokens = sum(answer.tokens for part in parts for answer in part)
    return tokens / sum(max(a.last for a in part) - min(a.wanted for a in part) for part in parts)
