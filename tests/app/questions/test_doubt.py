"""When the model is reminded that it may decline."""

from __future__ import annotations

import pytest

from app.questions.doubt import doubtful
from app.questions.prompt import Turn, asked
from app.questions.spans import Source

LEAVE = Source(
    1,
    0,
    "Employees receive 30 days of paid leave. In 2026 the wrench NW-T200 was calibrated.",
    ("Leave",),
    "d",
    "a.pdf",
    True,
    (),
)


@pytest.mark.parametrize(
    ("question", "doubt"),
    [
        ("How many days of paid leave do employees receive?", False),
        ("How many days of parental leave does the firm grant?", True),
        ("What is the capital of France?", True),
        ("When was the NW-T200 calibrated?", False),
        ("When was the NW-T300 calibrated?", True),
        ("How many days of leave did employees receive in 2026?", False),
        ("How many days of leave did employees receive in 2019?", True),
    ],
)
def test_doubt(question: str, doubt: bool) -> None:
    assert doubtful(question, [LEAVE]) is doubt


def test_the_reminder_stands_in_the_prompt_only_then() -> None:
    turn = Turn("Wie viele Tage?", (LEAVE,), (LEAVE.id,), 0.0, "de")
    assert "nicht beantworten" not in asked(turn)
    assert "nicht beantworten" in asked(Turn("Wie viele Tage?", (LEAVE,), (LEAVE.id,), 0.0, "de", doubtful=True))


def test_nothing_found_is_doubtful() -> None:
    assert doubtful("How many days?", [])
