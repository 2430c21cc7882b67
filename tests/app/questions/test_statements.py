"""Answers cut into statements, however the stream is cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.questions.statements import Piece, Splitter, showable, without_ids


def split(text: str, step: int = 1) -> list[Piece]:
    splitter = Splitter()
    pieces = [piece for i in range(0, len(text), step) for piece in splitter.feed(text[i : i + step])]
    return pieces + splitter.finish()


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It is 3.5 m long, e.g. here. Next.", ["It is 3.5 m long, e.g. here.", "Next."]),
        (
            "Dr. Meier kommt am 3. April, z. B. früh. Dann geht er.",
            ["Dr. Meier kommt am 3. April, z. B. früh.", "Dann geht er."],
        ),
        ("Es gilt Abs. 2 der Ordnung. Ende.", ["Es gilt Abs. 2 der Ordnung.", "Ende."]),
        ("It was in 2021. The next.", ["It was in 2021.", "The next."]),
        ("Der 3. Absatz gilt. Gut.", ["Der 3. Absatz gilt.", "Gut."]),
        ("The answer is no. See there.", ["The answer is no.", "See there."]),
        ("Yes. It is covered.", ["Yes. It is covered."]),
        ("Ah [D3.12]. Be. [D3.13] Ce [D1.1, D1.2]", ["Ah.", "Be.", "Ce"]),
        ("- A one\n- B two\n\n1. C three. D four", ["A one", "B two", "C three.", "D four"]),
        ("| a | b |\n|---|---|\n| 1. x | 2 |", ["| a | b |", "|---|---|", "| 1. x | 2 |"]),
        ('He said "Go. Now." Then left.', ['He said "Go. Now."', "Then left."]),
        ("Text\n\n[D1.1]", ["Text"]),
        ("", []),
        ("\n\n", []),
    ],
)
def test_statements(text: str, statements: list[str]) -> None:
    assert [piece.text for piece in split(text)] == statements


def test_ids_belong_to_the_sentence_before_them() -> None:
    pieces = split("It is [D3.12]. So be it. [D3.13] [D4.1] And more.\n[D9.9]")
    assert [piece.cited for piece in pieces] == [("D3.12",), ("D3.13", "D4.1"), ("D9.9",)]


def test_what_claims_nothing() -> None:
    text = "# Title\nThe plan covers:\n- teeth\n| a | b |\n|---|---|\n| x | y |\n**Head**\nIn 2026 it covers:"
    assert [piece.claims for piece in split(text)] == [False, False, True, False, False, True, False, True]


@settings(max_examples=300)
@given(st.text(st.sampled_from('aB .!?\n-|1[D2.3],:"e')), st.integers(1, 7))
def test_nothing_is_lost_and_the_cut_of_the_stream_does_not_matter(text: str, step: int) -> None:
    pieces = split(text, step)
    assert pieces == split(text)
    raw = "".join(piece.raw for piece in pieces)
    assert text.startswith(raw)
    assert not text[len(raw) :].strip()


@given(st.text(st.sampled_from("aB .D1[](),2")))
def test_what_is_shown_early_is_never_taken_back(text: str) -> None:
    whole = "Word " + text
    shown = ""
    for end in range(len(whole)):
        part = showable(whole[:end])
        if part.startswith(shown):
            shown = part
    assert "[D1." not in shown


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("According to the passage in [D16.10], claims are due.", "Claims are due."),
        ("According to [D1.2] and [D1.3], it is 5 %.", "It is 5 %."),
        ("The rate (see D3.12) is 5.", "The rate is 5."),
        ("Rate 5 (D3.12).", "Rate 5."),
        ("Rate 5 [D3.12, page 4].", "Rate 5."),
        ("Rate 5 【D3.12】.", "Rate 5."),
        ("Model D3.12x stays", "Model D3.12x stays"),
    ],
)
def test_ids_are_taken_out(raw: str, text: str) -> None:
    assert without_ids(raw)[0] == text
