"""Words divided at line ends: put together where a line end divided them, left alone where the hyphen is theirs."""

from __future__ import annotations

import pytest

from ingestion.layout.types import Row
from ingestion.layout.words import joined_lines, spelling_of
from ingestion.types import Box

DIVIDES = "Der Text trennt Wör-", "ter am Zeilenende, und zwar ziemlich häu-", "fig, wie es im Buchsatz üblich ist."


def rows(*texts: str) -> list[Row]:
    return [Row((text,), ((0, 100),), Box(0, at, 100, at + 1), 10, False, False) for at, text in enumerate(texts)]


def joined(*texts: str) -> str:
    """The texts as they are put together in a document that divides words."""
    every = rows(*DIVIDES, *texts)
    return " ".join(text for text in joined_lines(every, spelling_of(every))[len(DIVIDES) :] if text)


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("wird der Urlaubsan-", "trag gestellt", "wird der Urlaubsantrag gestellt"),
        ("die Bundesrepu-", "blik.", "die Bundesrepublik."),
        ("repose sur l’ex-", "ploitation des fichiers", "repose sur l’exploitation des fichiers"),
        ("ce langage (ap-", "pelé QSL)", "ce langage (appelé QSL)"),
        ("die E-Mail-", "Adresse der Firma", "die E-Mail-Adresse der Firma"),
        ("Ein-", "und Ausgang", "Ein- und Ausgang"),
        ("von 2008-", "2012 gültig", "von 2008-2012 gültig"),
        ("ein IEEE-", "754 Wert", "ein IEEE-754 Wert"),
        ("Standard ISO-", "Norm", "Standard ISO-Norm"),
    ],
)
def test_two_lines(first: str, second: str, whole: str) -> None:
    assert joined(first, second) == whole


def test_a_word_over_three_lines_stands_whole_on_the_first() -> None:
    assert (
        joined("die Donaudampf-", "schifffahrtsgesell-", "schaft fährt")
        == "die Donaudampfschifffahrtsgesellschaft fährt"
    )


def test_a_hyphen_that_nobody_types_always_goes() -> None:
    two = rows("die Reise\u2010", "kosten und mehr, das hier ist eine Zeile", "die E\u2010Mail und die E\u2010", "Mail")
    assert joined_lines(two, spelling_of(two))[0] == "die Reisekosten"
    assert joined_lines(two, spelling_of(two))[2] == "die E\u2010Mail und die E\u2010Mail"


def test_the_document_itself_says_how_a_word_is_written() -> None:
    assert "co-operate" in joined("they co-operate with all, so they co-", "operate with us")
    assert "cooperate" in joined("they cooperate with all, so they co-", "operate with us")


def test_a_compound_of_two_words_of_the_document_keeps_its_hyphen() -> None:
    text = joined("the type of a value is stable; the loop is type-", "stable in all its runs")
    assert "type-stable" in text


def test_halves_of_divided_words_are_no_words() -> None:
    """ "coun" and "ters" stand in the document only as halves."""
    text = joined("we expect loop coun-", "ters to be integers and the other coun-", "ters to be none")
    assert text.count("counters") == 2
