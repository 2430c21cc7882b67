"""Tokens a second and time to first token for three ways of asking the same things of the same engine.

sequential   one request at a time
static       as many as there are people; the next ones when all of these have ended
continuous   as many as there are people; each asks again when its own has ended: the engine batches as it likes
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from app.benchmarks.engine.figures import milliseconds
from app.benchmarks.engine.load import Served, Target, ask, ask_all
from app.benchmarks.engine.prompts import Job, mixed
from app.benchmarks.engine.size import Size

CLAIMED_PERCENT = (40, 60)  # more tokens a second than one request at a time, as it was promised for this design


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


def _report(
    size: Size, sequential: list[list[Served]], points: list[tuple[int, list[Served], list[Served]]]
) -> dict[str, Any]:
    one = sum(map(_tokens, sequential)) / sum(map(_seconds, sequential))
    rows = [_row(one, sequential, *point) for point in points]
    gains = {row["people"]: row["gain_percent_over_sequential"] for row in rows}
    served = [answer for part in sequential for answer in part]
    return {
        "requests": len(served),
        "prompt_tokens": milliseconds([answer.prompt_tokens / 1000 for answer in served])["median"],
        "answer_tokens": list(size.answers),
        "sequential": {
            "tokens_per_s": round(one, 2),
            "first_token_ms": milliseconds([answer.first_token_seconds for answer in served]),
        },
        "people": rows,
        "gain_percent_over_sequential": {"claimed": list(CLAIMED_PERCENT), "measured": gains},
    }


def _row(
    one: float, sequential: list[list[Served]], people: int, static: list[Served], continuous: list[Served]
) -> dict[str, Any]:
    whole, each = _tokens(static) / _seconds(static), _tokens(continuous) / _seconds(continuous)
    waited = [value for part in sequential for value in waiting_in_line(part, people)]
    return {
        "people": people,
        "continuous": _way(continuous, each, one),
        "static": _way(static, whole, one),
        "sequential": {"tokens_per_s": round(one, 2), "first_token_ms": milliseconds(waited)},
        "gain_percent_over_sequential": round(100 * (each / one - 1)),
        "gain_percent_over_static": round(100 * (each / whole - 1)),
    }


def _way(served: list[Served], rate: float, one: float) -> dict[str, Any]:
    return {
        "ended": len(served),
        "tokens_per_s": round(rate, 2),
        "times_sequential": round(rate / one, 2),
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


def _tokens(served: Sequence[Served]) -> int:
    return sum(answer.tokens for answer in served)


def _seconds(served: Sequence[Served]) -> float:
    return max(answer.last for answer in served) - min(answer.wanted for answer in served)
