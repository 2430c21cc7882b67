"""What this process has answered since it started, counted for `/metrics`: no names, no texts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Histogram

from app.errors import BelegError
from app.questions.progress import Outcome
from app.questions.types import ENDED

FIRST_TOKEN_SECONDS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128)
OWN_SECONDS = (0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1)
_VERDICTS = ("proved", "partly", "unproved", "declined")
_MS = 1000


class AnswerFigures:
    """Counters of one desk, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._questions = Counter(
            "beleg_questions",
            "Questions whose answer has ended, by how (done, stopped, failed) and verdict.",
            ["state", "verdict"],
            registry=self.registry,
        )
        self._refused = Counter(
            "beleg_questions_refused",
            "Questions that were not taken in, by the error's code.",
            ["code"],
            registry=self.registry,
        )
        self._first_token = Histogram(
            "beleg_first_token_seconds",
            "From a question's arrival to the first token of its answer.",
            buckets=FIRST_TOKEN_SECONDS,
            registry=self.registry,
        )
        self._own = Histogram(
            "beleg_own_seconds",
            "The share of Beleg itself in the time to the first token: without engine, embedding and waiting.",
            buckets=OWN_SECONDS,
            registry=self.registry,
        )
        self._begin()

    def _begin(self) -> None:
        """At zero from the start: a rate needs a first value."""
        for verdict in _VERDICTS:
            self._questions.labels("done", verdict)
        for state in ("stopped", "failed"):
            self._questions.labels(state, "none")

    def ended(self, outcome: Outcome) -> None:
        """Count an answer; one that is only paused is not counted."""
        if outcome.state not in ENDED:
            return
        self._questions.labels(outcome.state, outcome.verdict or "none").inc()
        if outcome.trace.first_token_ms is not None:
            self._first_token.observe(outcome.trace.first_token_ms / _MS)
        if outcome.trace.own_ms is not None:
            self._own.observe(outcome.trace.own_ms / _MS)

    @contextmanager
    def handing_in(self) -> Iterator[None]:
        """Counts a question that is refused within the block."""
        try:
            yield
        except BelegError as error:
            self._refused.labels(error.code).inc()
            raise
