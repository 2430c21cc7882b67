"""Which questions are rewritten, and which rewritings are of use."""

from __future__ import annotations

import asyncio

import pytest

from app.questions.prompt import Turn
from app.questions.rewrite import is_standalone, make_standalone
from tests.app.questions.conftest import ScriptedEngine


@pytest.mark.parametrize(
    "question",
    [
        "How many days of paid leave do employees receive?",
        "What is the daily allowance for travel in Germany?",
        "Wie viele Urlaubstage erhalten Mitarbeitende in Teilzeit?",
        "Wo ist der Sammelplatz bei einem Brand?",
        "Which oil does the spindle of milling machine M4 need?",
    ],
)
def test_standalone(question: str) -> None:
    assert is_standalone(question)


@pytest.mark.parametrize(
    "question",
    [
        "And for part-time employees in Germany?",
        "Und für Teilzeitkräfte in der Produktion?",
        "What about interns?",
        "Why?",
        "How long does it take to get approved?",
        "Gilt das auch für Praktikanten?",
        "Wer genehmigt ihn?",
        "In Frankreich?",
        "Can they carry unused days over to next year?",
        "Is this also true for managers?",
        "Was ist mit Praktikanten?",
    ],
)
def test_leans_on_the_conversation(question: str) -> None:
    assert not is_standalone(question)


@pytest.mark.parametrize(
    ("written", "standalone"),
    [
        ("How many days do interns get?", "How many days do interns get?"),
        ('"How many days do interns get?"\nMore', "How many days do interns get?"),
        ("Question: How many days do interns get?", "How many days do interns get?"),
        ("<question>How many days do interns get?</question>", "How many days do interns get?"),
        ("", ""),
        ("NOT IN THE DOCUMENTS", ""),
        ("Interns get 30 days [D1.1].", ""),
        ("And for interns?", ""),
        ("why " * 100 + "?", ""),
    ],
)
def test_what_the_engine_wrote(written: str, standalone: str) -> None:
    engine = ScriptedEngine(script=lambda _messages: written)
    turns = [Turn("How many days do employees get?", (), (), 0.0, "en", "30 days.")]
    made = asyncio.run(make_standalone(engine, "P", turns, "And for interns?", "en"))
    assert made == standalone
