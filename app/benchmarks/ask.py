"""How long a question takes, and how much of that is ours: one person at a time, eight at once, beside reading."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from app.benchmarks.beside_reading import reading
from app.benchmarks.dataset import Question
from app.benchmarks.sandboxed import Scratch
from app.questions.types import AnswerView
from app.services import Services

PEOPLE = 8


async def measure(
    services: Services, bench: Scratch, questions: Sequence[Question], read: Sequence[Path] = ()
) -> dict[str, Any]:
    """Milliseconds; `own_ms` is everything but engine and embedding. All passes ask the same questions, each in a
    conversation of its own; the second finds the engine's prefix cache warm from the first. With files to `read` two
    more passes follow, one person at a time: with nothing to read, and while those files keep being read."""
    calls = _count_calls(services)
    await services.desk.start()
    await asyncio.to_thread(_warm_up, services)
    alone = await _ask_all(services, bench, questions, people=1)
    calls_alone = calls["stream"]
    together = await _ask_all(services, bench, questions, people=PEOPLE)
    beside = await _beside_reading(services, bench, questions, read) if read else {}
    return {
        "questions": len(questions),
        "model_calls_per_question": round(calls_alone / max(len(questions), 1), 2),
        "alone": _figures(alone),
        f"together_{PEOPLE}": _figures(together),
        **beside,
        "app_memory_mib": round(psutil.Process().memory_info().rss / 1024**2),
    }


async def _beside_reading(
    services: Services, bench: Scratch, questions: Sequence[Question], read: Sequence[Path]
) -> dict[str, Any]:
    idle = _figures(await _ask_all(services, bench, questions, people=1))
    with reading(bench, read):
        busy = _figures(await _ask_all(services, bench, questions, people=1))
    return {"nothing_to_read": idle, "while_reading": busy}


def _warm_up(services: Services) -> None:
    """Waits for the models, opens the index: what happens once a start is not part of a question."""
    services.models.tokenizer.count("warm")
    services.index.refresh()


def _count_calls(services: Services) -> dict[str, int]:
    """Counts engine calls by wrapping the client's one way in."""
    calls, original = {"stream": 0}, services.engine.stream

    def counted(*args: Any, **named: Any) -> Any:
        calls["stream"] += 1
        return original(*args, **named)

    services.engine.stream = counted  # type: ignore[method-assign]
    return calls


async def _ask_all(services: Services, bench: Scratch, questions: Sequence[Question], people: int) -> list[AnswerView]:
    places, answers = asyncio.Semaphore(people), []

    async def one(question: Question) -> None:
        async with places:
            asked = await services.desk.ask(bench.viewer, bench.collection_id, question.text)
            answers.append(await services.desk.result(bench.viewer, asked.id))

    await asyncio.gather(*(one(question) for question in questions))
    return answers


def _figures(answers: list[AnswerView]) -> dict[str, Any]:
    traces = [answer.trace for answer in answers if answer.state == "done"]
    return {
        "done": len(traces),
        "declined": sum(answer.verdict == "declined" for answer in answers),
        "own_ms": _spread([trace.own_ms for trace in traces]),
        "embed_ms": _spread([trace.embed_ms for trace in traces]),
        "retrieval_ms": _spread([trace.retrieval_ms for trace in traces]),
        "queue_ms": _spread([trace.queue_ms for trace in traces]),
        "first_token_ms": _spread([trace.first_token_ms for trace in traces]),
        "total_ms": _spread([trace.total_ms for trace in traces]),
        "prompt_tokens": _spread([trace.prompt_tokens for trace in traces]),
        "cached_tokens": _spread([trace.cached_tokens for trace in traces]),
    }


def _spread(values: Sequence[float | None]) -> dict[str, float] | None:
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    p99 = known[min(len(known) - 1, int(len(known) * 0.99))]
    return {"median": round(statistics.median(known), 1), "p99": round(p99, 1), "most": round(known[-1], 1)}
