"""Recall of the two legs over a small question set, with the real multilingual embedder and the real index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.benchmarks.search import measure
from app.errors import NotFound
from models.bundles import prepare
from models.embedder import load_embedder
from models.types import Embedder

ENGLISH = {
    "leave": "Every employee has thirty days of paid leave a year.\n\nLeave is applied for in writing.",
    "travel": "Travel expenses are refunded within two weeks.\n\nTrains are booked in second class.",
}
GERMAN = {
    "leave": "Alle Beschäftigten haben dreißig Tage bezahlten Urlaub im Jahr.\n\nUrlaub wird schriftlich beantragt.",
    "travel": "Reisekosten werden innerhalb von zwei Wochen erstattet.\n\nBahnen werden in der zweiten Klasse gebucht.",
}
ASKED_IN_ENGLISH = [
    ("1", "How many days of paid leave are there?", "thirty days", "leave"),
    ("2", "Which train class?", "second class", "travel"),
]
ASKED_IN_GERMAN = [
    ("1", "Wie viele Urlaubstage gibt es?", "dreißig Tage", "leave"),
    ("2", "Welche Klasse im Zug?", "zweiten Klasse", "travel"),
]


@pytest.fixture(scope="module")
def embedder(models_dir: Path) -> Embedder:
    return load_embedder(prepare("use-multilingual-v3", models_dir), threads=1)


def question_set(folder: Path, documents: dict[str, str], asked: list[tuple[str, str, str, str]]) -> Path:
    folder.mkdir()
    rows: list[dict[str, Any]] = [{"id": name, "title": name, "text": text} for name, text in documents.items()]
    (folder / "docs.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    rows = [{"qid": id, "question": text, "answers": [answer], "docs": [doc]} for id, text, answer, doc in asked]
    (folder / "questions.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return folder


def test_each_leg_is_measured_by_itself_and_both_together(tmp_path: Path, embedder: Embedder) -> None:
    english = question_set(tmp_path / "en", ENGLISH, ASKED_IN_ENGLISH)
    measured = measure(embedder, [english])
    assert measured["embedder"] == embedder.id
    (found,) = measured["sets"]
    assert (found["set"], found["passages"], found["questions"]) == ("en", 4, 2)
    for leg in ("words", "dense", "hybrid"):
        assert found[leg]["recall@5"] == 1.0


def test_questions_of_one_language_are_asked_of_another(tmp_path: Path, embedder: Embedder) -> None:
    """The German words are nowhere in the English pages: only the meaning finds them."""
    english = question_set(tmp_path / "en", ENGLISH, ASKED_IN_ENGLISH)
    german = question_set(tmp_path / "de", GERMAN, ASKED_IN_GERMAN)
    (found,) = measure(embedder, [german], english)["sets"]
    assert found["documents"] == "en"
    assert found["words"]["recall@5"] == 0.0
    assert found["hybrid"]["recall@1"] == found["dense"]["recall@1"] == 1.0


def test_a_folder_that_is_no_question_set(tmp_path: Path, embedder: Embedder) -> None:
    with pytest.raises(NotFound):
        measure(embedder, [tmp_path])
