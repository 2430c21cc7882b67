"""Events as plain JSON."""

from __future__ import annotations

from dataclasses import asdict

from app.questions.events import Statement, Token, Waiting, as_json
from app.questions.types import StatementView


def test_every_event_says_its_name_and_all_its_fields() -> None:
    for event in (Token(3, " days"), Waiting(1, "queue"), Statement(4, 0, StatementView("Ten days.", "", (), ()))):
        assert as_json(event) == {"event": type(event).__name__.lower(), **asdict(event)}
