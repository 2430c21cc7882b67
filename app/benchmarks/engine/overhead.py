"""What Beleg adds in front of the engine, on a stand-in engine that writes at fixed times: a real one's own pace varies
by more than what is looked for.

    relay   from the engine's writing of a token until it is seen at the other end of Beleg's API; also for those
            tokens alone that were written while no question was on its way to the engine
    front   from sending the question until the engine has the whole request

Each is measured twice with the same client, the same requests and as many people at once: through Beleg, and at the
engine itself. The difference is what Beleg adds.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.benchmarks.engine import delays
from app.benchmarks.engine.figures import milliseconds, spread
from app.benchmarks.engine.instant import ANSWER_WORDS, Note
from app.benchmarks.engine.load import all_done
from app.benchmarks.engine.prompts import mark, question
from app.benchmarks.engine.size import Size
from app.benchmarks.engine.standing import Standing, standing
from app.benchmarks.engine.stream import Heard, post
from app.config import Settings
from app.errors import EngineFailed

TO_REACH_MS = 5.0  # at the 99th percentile, over the engine alone
_PARTS = ("embed_ms", "retrieval_ms", "prepare_ms", "queue_ms")


@dataclass(frozen=True)
class Listened:
    """One answer as a listener got it. `sent` is when it was asked for (time.monotonic)."""

    mark: str
    sent: float
    heard: list[Heard]


@dataclass(frozen=True)
class Pass:
    """Everything once: what the engine noted and what the listeners heard, by question; processor seconds of Beleg."""

    notes: dict[str, Note]
    listened: list[Listened]
    processor_seconds: float


Open = Callable[[int, int], AsyncGenerator[Heard, None]]


def measure(
    settings: Settings, embedder: Path, model: Path | None, size: Size, say: Callable[[str], None]
) -> dict[str, Any]:
    """Starts a Beleg in a temporary folder. Through Beleg and past it by turns, so that a machine that gets slower or
    faster meanwhile favours neither."""
    say("a Beleg in front of a stand-in engine")
    through, past = list[Pass](), list[Pass]()
    with standing(settings, embedder, model, size.streams, size.step_seconds) as beleg:
        _warm_up(beleg, size)
        for number in range(size.passes):
            say(f"{size.streams} streams through Beleg, then past it ({number + 1} of {size.passes})")
            through.append(_pass(beleg, size, _through(beleg)))
            past.append(_pass(beleg, size, _past(beleg, through[-1].notes)))
    return _report(size, through, past)


def _warm_up(beleg: Standing, size: Size) -> None:
    """One question of each person: what is slow the first time is not measured."""
    asyncio.run(_ask(size, 1, _through(beleg)))
    beleg.notes()


def _pass(beleg: Standing, size: Size, open_stream: Open) -> Pass:
    used = beleg.processor_seconds()
    listened = asyncio.run(_ask(size, size.questions, open_stream))
    return Pass({note.mark: note for note in beleg.notes()}, listened, beleg.processor_seconds() - used)


def _through(beleg: Standing) -> Open:
    def asked(person: int, number: int) -> AsyncGenerator[Heard, None]:
        body = {"collection": beleg.collection, "question": question(person, number), "stream": True}
        return post(f"{beleg.app}/api/v1/ask", body, beleg.key)

    return asked


def _past(beleg: Standing, notes: dict[str, Note]) -> Open:
    """The very requests that Beleg made."""

    def asked(person: int, number: int) -> AsyncGenerator[Heard, None]:
        return post(f"{beleg.engine}/v1/chat/completions", notes[mark(person, number)].body)

    return asked


async def _ask(size: Size, questions: int, open_stream: Open) -> list[Listened]:
    """Each person asks one question after the other; the people begin spread over the length of an answer."""
    listened: list[Listened] = []
    apart = ANSWER_WORDS * size.step_seconds / size.streams

    async def person(number: int) -> None:
        await asyncio.sleep(number * apart)
        for asked in range(questions):
            sent = time.monotonic()
            async with aclosing(open_stream(number, asked)) as events:
                heard = [event async for event in events]  # read now, understood later: the next token may have come
            listened.append(Listened(mark(number, asked), sent, heard))

    await all_done([person(number) for number in range(size.streams)])
    return listened


def _report(size: Size, through: Sequence[Pass], past: Sequence[Pass]) -> dict[str, Any]:
    late = [_relay(one, delays.from_app) for one in through]
    direct = [value for one in past for value in _relay(one, delays.from_engine)[0]]
    relay = _compared(direct, [value for tokens, _ in late for value in tokens])
    quiet = [value for _, tokens in late for value in tokens]
    alone = [value for one in past for value in _front(one)]
    traces = [_trace(listened) for one in through for listened in one.listened]
    asked = [value for one in through for value in _front(one)]
    front = _compared(alone, asked)
    found = [seconds - trace["embed_ms"] / 1000 for seconds, trace in zip(asked, traces, strict=True)]
    unembedded = _compared(alone, found)
    return {
        "streams": size.streams,
        "step_ms": round(size.step_seconds * 1000, 1),
        "answers": len(asked),
        "tokens": sum(len(note.pieces) for one in through for note in one.notes.values()),
        "relay_ms": relay,
        "relay_while_nothing_is_searched_ms": _compared(direct, quiet) if quiet else None,
        "front_ms": front,
        "front_without_embedding_ms": unembedded,
        "front_parts_ms": {part: spread([trace[part] for trace in traces]) for part in _PARTS},
        "beleg_processor_ms_per_answer": round(1000 * sum(one.processor_seconds for one in through) / len(asked), 1),
        "to_reach_p99_ms": TO_REACH_MS,
        "reached": {
            name: part["added"]["p99"] < TO_REACH_MS
            for name, part in (("relay", relay), ("front_without_embedding", unembedded))
        },
    }


def _compared(alone: Sequence[float], with_beleg: Sequence[float]) -> dict[str, dict[str, float]]:
    """`added` are differences of quantiles: what is added at the 99th percentile, not the 99th of what is added."""
    first, second = milliseconds(alone), milliseconds(with_beleg)
    added = {name: round(second[name] - first[name], 2) for name in ("median", "p99")}
    return {"engine_alone": first, "through_beleg": second, "added": added}


def _relay(one: Pass, seen: Callable[[Sequence[Heard]], list[delays.Seen]]) -> tuple[list[float], list[float]]:
    """Seconds of delay of all tokens, and of those written while no question was on its way. Raises EngineFailed when
    some never came."""
    searching = [(listened.sent, one.notes[listened.mark].received) for listened in one.listened]
    found, quiet = list[float](), list[float]()
    for listened in one.listened:
        wrote = delays.written(one.notes[listened.mark].pieces)
        late = delays.delays(wrote, seen(listened.heard))
        if len(late) < len(wrote):
            raise EngineFailed("An answer was not shown to its end.", "Look into the log of Beleg.")
        found += late
        for piece, seconds in zip(wrote, late, strict=True):
            if not any(sent <= piece.at <= received for sent, received in searching):
                quiet.append(seconds)
    return found, quiet


def _front(one: Pass) -> list[float]:
    return [one.notes[listened.mark].received - listened.sent for listened in one.listened]


def _trace(listened: Listened) -> dict[str, float]:
    """The milliseconds Beleg says of the parts before the engine; what it did not need is 0."""
    last = next(event for event in reversed(listened.heard) if event.name == "done")
    trace = json.loads(last.data)["answer"]["trace"]
    return {part: trace[part] or 0.0 for part in _PARTS}
