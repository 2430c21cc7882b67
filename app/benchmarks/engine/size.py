"""How much is measured: the whole, or a quick look."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """`people` are the numbers of people who ask at once, each a divisor of `requests`; `answers` the shortest and the
    longest answer in tokens; `prompt_words` a prompt's length. `flood` long prompts of `long_words` meet `short` short
    questions. `streams` people ask `questions` each through the app, on an engine that writes a token every
    `step_seconds`; that is done `passes` times, and as often without the app."""

    people: tuple[int, ...] = (2, 4, 8, 16)
    requests: int = 32
    answers: tuple[int, int] = (16, 128)
    prompt_words: int = 60
    flood: int = 24
    short: int = 16
    long_words: int = 700
    streams: int = 16
    questions: int = 6
    passes: int = 2
    step_seconds: float = 0.04

    @property
    def sequences(self) -> int:
        """Requests the engine has to take at once, so that nobody waits for a place but for the engine."""
        return max(self.people)


FULL = Size()
QUICK = Size(people=(2, 4), requests=8, answers=(8, 32), flood=6, short=4, long_words=300, questions=2, passes=1)
