"""When a listener could see what the engine had written."""

from __future__ import annotations

import json

from app.benchmarks.engine.delays import Seen, delays, from_app, from_engine, written
from app.benchmarks.engine.stream import Heard


def chunk(at: float, text: str) -> Heard:
    return Heard(at, "", json.dumps({"choices": [{"delta": {"content": text}}]}))


def token(at: float, text: str) -> Heard:
    return Heard(at, "token", json.dumps({"text": text}))


def statement(at: float, text: str) -> Heard:
    return Heard(at, "statement", json.dumps({"statement": {"lead": "", "text": text}}))


def test_letters_are_counted_and_ids_are_not() -> None:
    pieces = [("Ten", 1.0), (" days", 2.0), (" [D1.2]", 3.0), (".", 4.0)]
    assert written(pieces) == [Seen(1.0, 3), Seen(2.0, 7), Seen(4.0, 8)]


def test_at_the_engine_each_chunk_is_seen_as_it_comes() -> None:
    heard = [chunk(1.5, "Ten"), chunk(2.5, " days"), Heard(2.6, "", "[DONE]")]
    assert delays(written([("Ten", 1.0), (" days", 2.0)]), from_engine(heard)) == [0.5, 0.5]


def test_through_the_app_a_statement_takes_the_place_of_its_text() -> None:
    wrote = written([("Ten", 1.0), (" days", 2.0), (" [D1.2]", 3.0), (".", 4.0), (" Or", 5.0)])
    heard = [
        token(1.25, "Ten"),
        token(2.5, " days"),
        token(4.25, "."),
        statement(5.5, "Ten days."),
        token(5.75, " Or"),
        Heard(6.0, "done", "{}"),
    ]
    assert delays(wrote, from_app(heard)) == [0.25, 0.5, 0.25, 0.75]


def test_what_was_never_shown_has_no_delay() -> None:
    assert delays(written([("Ten", 1.0), (" days", 2.0)]), from_app([token(1.5, "Ten")])) == [0.5]
