"""Where an answer's time goes: a watch that the steps report to, and its stored form."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from app.questions.types import Trace
from models.types import Usage


@dataclass(frozen=True)
class Notes:
    """What must be known later to rebuild a prompt or to say why an answer was declined.

    `hint` are the ids of the passages meant for the question, most relevant first; `doubtful` says that they did not
    look like an answer; `unread` counts documents still being read; `declined` is "" (not declined), "not_found",
    "empty" (nothing has been read) or "reading" (it is still being read); `cut`: the longest length was reached.
    """

    hint: tuple[str, ...] = ()
    unread: int = 0
    declined: str = ""
    cut: bool = False
    doubtful: bool = False


class Watch:
    """Collects the trace of one answer. Times are milliseconds since the question arrived."""

    def __init__(self, begun: float, model: str, layout: str) -> None:
        self._begun = begun
        self._marks: dict[str, float] = {}
        self._before = 0.0
        self.trace = Trace(model=model, layout=layout)

    def go_on(self, trace: Trace) -> None:
        """Adds to what was measured before a pause."""
        self._before = trace.total_ms or 0.0
        if self._before:
            self.trace = trace

    def start(self, name: str) -> None:
        self._marks[name] = time.perf_counter()

    def stop(self, name: str) -> None:
        """Adds the time since `start(name)` to the trace's field of that name."""
        spent = _ms(time.perf_counter() - self._marks.pop(name))
        before: float = getattr(self.trace, name) or 0.0
        changed: dict[str, Any] = {name: round(before + spent, 2)}
        self.trace = replace(self.trace, **changed)

    def first_token(self) -> None:
        """The first token has come: the rest of the time until now was ours."""
        trace = self.trace
        if trace.first_token_ms is not None:
            return  # it had come before a pause
        whole = _ms(time.perf_counter() - self._begun)
        engine = _ms(time.perf_counter() - self._marks["engine"]) if "engine" in self._marks else 0.0
        others = sum(part or 0.0 for part in (trace.queue_ms, trace.rewrite_ms, trace.embed_ms))
        self.trace = replace(
            trace,
            first_token_ms=round(whole, 2),
            engine_first_token_ms=round(engine, 2),
            own_ms=round(max(0.0, whole - engine - others), 2),
        )

    def usage(self, usage: Usage) -> None:
        self.trace = replace(
            self.trace,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
            completion_tokens=(self.trace.completion_tokens or 0) + usage.completion_tokens,
        )

    def embedded(self, spent: float) -> None:
        """Milliseconds of the retrieval that were spent in the embedder."""
        retrieval = max(0.0, (self.trace.retrieval_ms or 0.0) - spent)
        self.trace = replace(self.trace, embed_ms=round(spent, 2), retrieval_ms=round(retrieval, 2))

    def prompt_tokens(self, count: int) -> None:
        """What we counted ourselves, until the engine's own figure comes."""
        self.trace = replace(self.trace, prompt_tokens=count)

    def finish(self) -> Trace:
        whole = self._before + _ms(time.perf_counter() - self._begun)
        self.trace = replace(self.trace, total_ms=round(whole, 2))
        return self.trace


def stored(trace: Trace, notes: Notes) -> dict[str, Any]:
    """As it is kept in the answer's row."""
    return {**asdict(trace), "notes": asdict(notes)}


def trace_of(row: dict[str, Any]) -> Trace:
    names = {field.name for field in fields(Trace)}
    return Trace(**{name: value for name, value in row.items() if name in names})


def notes_of(row: dict[str, Any]) -> Notes:
    notes = row.get("notes", {})
    return Notes(**{**notes, "hint": tuple(notes.get("hint", ()))})


def _ms(seconds: float) -> float:
    return seconds * 1000
