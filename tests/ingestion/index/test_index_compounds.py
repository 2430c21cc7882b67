"""German compounds are found by their parts, and parts by compounds, with nothing but the index's own words."""

from __future__ import annotations

from pathlib import Path

import pytest
from index_entries import DIM, entry

from ingestion.index.store import Index, IndexWriter, Query

TEXTS = [
    "Der Antrag auf Urlaub ist zwei Wochen vorher zu stellen.",
    "Einen Urlaubsantrag unterschreibt die Leitung.",
    "Die Kosten einer Reise trägt die Firma.",
    "Reisekosten werden monatlich erstattet.",
    "Die Frist zur Kündigung beträgt vier Wochen.",
    "Das Unternehmen liefert am Freitag.",
    "Man darf das Gerät mit nach Hause nehmen.",
    "Im Jahr sind es dreißig Urlaubstage, die Tage vor Feiertagen nicht gerechnet.",
    "Das Buch der Schule; neue Schulbücher.",
    "Leasingfahrzeugversicherungsbedingungen",
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root: Path = tmp_path_factory.mktemp("compounds")
    with IndexWriter(root, "m", DIM) as writer:
        writer.add([entry(1, TEXTS, "de"), entry(2, ["The vacation request form is kept at the desk."], "en")])
        writer.commit()
    return Index(root, "m", DIM)


def found(index: Index, text: str) -> list[str]:
    return [TEXTS[hit.ordinal] for hit in index.search(Query(text, None, [1])) if hit.lexical_rank]


@pytest.mark.parametrize(
    ("asked", "texts"),
    [
        ("Urlaubsantrag", [1, 0]),
        ("Urlaubsanträge", [1, 0]),
        ("Antrag", [0, 1]),
        ("Kündigungsfrist", [4]),
        ("Kuendigungsfristen", [4]),
        ("Reisekosten", [3, 2]),
        ("Reise", [2, 3]),
        ("Kosten", [2, 3]),
        ("Schulbuch", [8]),
    ],
)
def test_compounds_and_their_parts_find_each_other(index: Index, asked: str, texts: list[int]) -> None:
    assert found(index, asked) == [TEXTS[number] for number in texts], "the word as asked comes first"


def test_urlaub_is_found_in_all_its_compounds(index: Index) -> None:
    assert set(found(index, "Urlaub")) == {TEXTS[0], TEXTS[1], TEXTS[7]}
    assert found(index, "Wie viele Tage Urlaub gibt es?")[0] == TEXTS[7]


@pytest.mark.parametrize(("asked", "text"), [("nehmen", 6), ("Tag", 7), ("mit", 6)])
def test_what_only_looks_like_a_compound_is_none(index: Index, asked: str, text: int) -> None:
    assert found(index, asked) == [TEXTS[text]]


def test_parts_are_words_of_the_collection(index: Index) -> None:
    """Nothing says that "Versicherung" or "Bedingung" are words here: nothing is guessed."""
    assert found(index, "Versicherung") == found(index, "Bedingungen") == []


def test_other_languages_are_not_split(index: Index) -> None:
    assert [hit.content_id for hit in index.search(Query("vacation requests", None, [2]))] == [2]
