from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.index.dates import MARK
from ingestion.index.words import LONGEST_TERM, WHOLE, analyse, analyse_question, fold


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
        ("geändert", "geaendert"),
        ("geöffnet", "GEOEFFNET"),
        ("geübt", "geuebt"),
        ("Diät", "Diaet"),
        ("quälen", "quaelen"),
        ("Ελλάδα", "ΕΛΛΑΔΑ"),
        ("Năstase", "Nastase"),
        ("çağrı", "cagri"),
    ],
)
def test_spellings_of_a_word_are_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize("word", ["neue", "quelle", "bauer", "treue", "feuer", "abenteuer", "genau"])
def test_ue_is_no_umlaut_after_a_vowel_or_q(word: str) -> None:
    assert fold(word) == word


@pytest.mark.parametrize(
    "text",
    [
        "1.234,56",
        "1,234.56",
        "1'234.56",
        "1\u202f234,56",
        "1\u00a0234,56",
        "1 234,56",
        "1 234.56",
        "1234.56",
        "1234,560",
        "€1.234,56",
        "1,234.56 €",
        "1.234,56%",
        "(1 234,56)",
    ],
)
def test_a_number_has_one_notation(text: str) -> None:
    assert "1234.56" in words(text)


SEPARATORS = st.sampled_from(
    [("", "."), ("", ","), (".", ","), (",", "."), ("'", "."), ("’", "."), (" ", ","), ("\u00a0", ",")]
)


@given(st.integers(0, 999_999_999), st.integers(1, 99), SEPARATORS, SEPARATORS)
def test_an_amount_meets_itself_in_any_notation(
    whole: int, cents: int, one: tuple[str, str], other: tuple[str, str]
) -> None:
    asked = {term.word for term in analyse_question(f"Is it {notation(whole, cents, *one)}?", ["de"])}
    assert asked & set(words(f"The price is {notation(whole, cents, *other)} €.")) >= {
        f"{whole}.{cents:02}".rstrip("0")
    }


@given(st.integers(1_000, 999_999_999), SEPARATORS, SEPARATORS)
def test_a_whole_number_meets_itself_in_any_notation(whole: int, one: tuple[str, str], other: tuple[str, str]) -> None:
    asked = {term.word for term in analyse_question(f"{whole:,}".replace(",", one[0]), [])}
    assert str(whole) in asked & set(words(f"{whole:,}".replace(",", other[0])))


def notation(whole: int, cents: int, group: str, point: str) -> str:
    return f"{whole:,}".replace(",", group) + f"{point}{cents:02}"


def test_grouped_thousands_are_the_plain_number() -> None:
    assert words("1.234") == words("1,234") == ["1234"]
    assert "1234" in words("1234")
    assert words("12.345.678") == words("12,345,678") == ["12345678"]


def test_a_section_number_keeps_its_zero() -> None:
    assert "3.10" in words("3.10")
    assert "3.10" not in words("3.1")


@pytest.mark.parametrize(
    "text",
    [
        "PPR-9087", "ppr9087", "PPR 9087", "PPR_9087", "ppr/9087", "PPR.9087", "PPR\u20139087", "PPR\u20119087",
        "PPR - 9087", "PPR: 9087", "PPR No. 9087", "PPR Nr. 9087", "P\u00adPR-9087",
    ],
)  # fmt: skip
def test_an_identifier_is_indexed_whole_and_in_parts(text: str) -> None:
    assert {"ppr", "9087"} <= set(words(text))
    assert {"ppr9087", "=ppr9087"} <= set(words(text))


@pytest.mark.parametrize(
    "text",
    ["PPR-9087", "ppr9087", "ppr 9087", "What is Ppr 9087?", "PPR-9087?", "ppr/9087", "PPR_9087", "ppr nr. 9087"],
)
def test_an_identifier_is_seen_in_a_question(text: str) -> None:
    assert "ppr9087" in identifiers(text)


def test_an_identifier_inside_a_longer_one_is_found() -> None:
    assert "ppr9087" in words("PPR-9087-A/2")
    assert "=ppr9087" not in words("PPR-9087-A/2")


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


@pytest.mark.parametrize(
    ("language", "accented", "plain"),
    [("fr", "générales", "generales"), ("es", "canciones", "canción"), ("es", "artículos", "articulo"),
     ("el", "εργαζόμενοι", "εργαζομενοι"), ("ro", "angajaților", "angajatilor"), ("sv", "anställda", "anstallda")],
)  # fmt: skip
def test_accents_are_optional_in_every_language(language: str, accented: str, plain: str) -> None:
    indexed = set(analyse(accented, language).stems.split())
    assert indexed & {stem for term in analyse_question(plain, [language]) for stem in term.stems}


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
    dated = [word for word in indexed.words.split() if word.startswith(MARK)]
    assert dated or {word for word in indexed.words.split() if not word.startswith(WHOLE)} <= set(asked)
    assert set(indexed.stems.split()) <= {stem for term in asked.values() for stem in term.stems}
