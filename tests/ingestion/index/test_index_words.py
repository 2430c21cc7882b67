from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.index.words import LONGEST_TERM, analyse, analyse_question, fold


def words(text: str, language: str = "") -> list[str]:
    return analyse(text, language).words.split(" ")


def identifiers(text: str) -> set[str]:
    return {term.word for term in analyse_question(text, []) if term.identifier}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Müller", "MUELLER"),
        ("Müller", "Muller"),
        ("Straße", "STRASSE"),
        ("Größe", "Groesse"),
        ("café", "CAFE"),
        ("Ångström", "angstrom"),
        ("Ærø", "aro"),
        ("Łódź", "lodz"),
        ("ﬁnden", "finden"),
    ],
)
def test_spellings_of_a_word_are_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize("word", ["neue", "quelle", "bauer", "treue"])
def test_ue_is_no_umlaut_after_a_vowel_or_q(word: str) -> None:
    assert fold(word) == word


@pytest.mark.parametrize(
    "text", ["1.234,56", "1,234.56", "1'234.56", "1\u202f234,56", "1\u00a0234,56", "1234.56", "1234,560"]
)
def test_a_number_has_one_notation(text: str) -> None:
    assert "1234.56" in words(text)


def test_grouped_thousands_are_the_plain_number() -> None:
    assert words("1.234") == words("1,234") == words("1234") == ["1234"]
    assert words("12.345.678") == words("12,345,678") == ["12345678"]


def test_a_section_number_keeps_its_zero() -> None:
    assert "3.10" in words("3.10")
    assert "3.10" not in words("3.1")


@pytest.mark.parametrize("text", ["PPR-9087", "ppr9087", "PPR 9087", "PPR_9087", "ppr/9087", "PPR.9087"])
def test_an_identifier_is_indexed_whole_and_in_parts(text: str) -> None:
    assert {"ppr", "9087"} <= set(words(text))
    assert "ppr9087" in words(text) or text == "PPR_9087"


@pytest.mark.parametrize("text", ["PPR-9087", "ppr9087", "ppr 9087", "What is Ppr 9087?", "PPR-9087?"])
def test_an_identifier_is_seen_in_a_question(text: str) -> None:
    assert "ppr9087" in identifiers(text)


def test_an_identifier_inside_a_longer_one_is_found() -> None:
    assert "ppr9087" in words("PPR-9087-A/2")


def test_long_runs_are_taken_apart() -> None:
    path = "/srv/share/" + "/".join(f"folder{n}" for n in range(30)) + "/Übersicht.pdf"
    assert {"srv", "folder7", "ubersicht", "pdf"} <= set(words(path))
    assert set(words("rot,grün,blau;" * 40)) == {"rot", "grun", "blau"}
    assert words("3f2a9c" * 9) == ["3f2a9c" * 9]
    assert {"17", "42"} <= set(words(",".join(map(str, range(100)))))


def test_plain_words_are_no_identifiers() -> None:
    assert identifiers("How many days of leave do I have?") == set()


@pytest.mark.parametrize(
    "text", ["19th century", "the 1990s", "the 1970's", "10km", "die 90er", "in 2022", "page 12", "24/7", "12.03.2024"]
)
def test_ordinals_units_and_years_are_no_identifiers(text: str) -> None:
    assert identifiers(text) == set()


@pytest.mark.parametrize("text", ["2FA", "A4", "COVID-19", "IBM3270", "ISO 9001", "iso 9001", "EN 2022", "3M-7"])
def test_names_of_things_are_identifiers(text: str) -> None:
    assert len(identifiers(text)) == 1


def test_stems_carry_their_language() -> None:
    assert analyse("Häuser Haeusern", "de").stems == "de:haus de:haus"
    assert analyse("houses", "en").stems == "en:hous"
    assert analyse("maisons", "fr").stems == "fr:maison"
    assert analyse("houses", "").stems == ""
    assert analyse("houses", "xx").stems == ""


def test_a_question_is_stemmed_for_each_language() -> None:
    (term,) = analyse_question("Häusern", ["de", "en"])
    assert term.stems == ("de:haus", "en:hausern")


@pytest.mark.parametrize(
    "text", ["", "   ", "\x00", "\ud800", "😀", "…", "___", "-" * 100, "a" * 20_000, "9" * 20_000, "a1" * 9000]
)
def test_odd_texts_are_safe(text: str) -> None:
    for term in analyse_question(text, ["de"]):
        assert 0 < len(term.word) <= LONGEST_TERM + 3


@given(st.text(), st.sampled_from(["", "de", "en", "fr", "el", "tr"]))
def test_terms_are_single_words(text: str, language: str) -> None:
    analysed = analyse(text, language)
    for term in (analysed.words + " " + analysed.stems).split(" "):
        assert not term or (term.split() == [term] and "\x00" not in term)


@given(st.text())
def test_what_is_indexed_is_found_by_the_same_text(text: str) -> None:
    asked = {term.word: term for term in analyse_question(text, ["de"])}
    indexed = analyse(text, "de")
    assert set(indexed.words.split()) <= set(asked)
    assert set(indexed.stems.split()) <= {stem for term in asked.values() for stem in term.stems}
