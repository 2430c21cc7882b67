"""Text to calibrate with: from a file, or what a person may read in a collection."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from app import calibration
from app.calibration import collection_text, file_text
from app.collections.access import find_by_name
from app.collections.edit import create
from app.db import tables
from app.errors import BelegError, Invalid, NotFound, TooLarge


def put(db, collection_id: str, name: str, texts: list[str], state: str = "ready") -> None:
    """A document with these passages, as reading it would leave it."""
    content = tables.Content(sha256=name * 8, size=1, format="text", state=state)
    db.add(content)
    db.flush()
    db.add(tables.Document(collection_id=collection_id, content_id=content.id, name=name, created_at=time.time()))
    db.add_all(tables.Passage(content_id=content.id, ordinal=n, text=text) for n, text in enumerate(texts))
    db.flush()


def test_a_collection_gives_its_passages_in_reading_order(db, person) -> None:
    anna = person("anna")
    contracts = create(db, anna, "Contracts")
    put(db, contracts.id, "a.txt", ["one", "two"])
    put(db, contracts.id, "b.txt", ["three"])
    put(db, contracts.id, "c.txt", ["never read to its end"], state="reading")
    put(db, create(db, anna, "Other").id, "d.txt", ["of another collection"])
    text = collection_text(db, anna, find_by_name(db, anna, "contracts"))
    assert text.texts == ("one", "two", "three")
    assert text.origin == "collection Contracts"


def test_nobody_calibrates_with_what_they_may_not_read(db, person) -> None:
    anna, bert = person("anna"), person("bert")
    mine = create(db, anna, "Mine")
    put(db, mine.id, "a.txt", ["secret"])
    with pytest.raises(NotFound):
        collection_text(db, bert, mine)


def test_a_text_file_gives_its_paragraphs(tmp_path: Path) -> None:
    file = tmp_path / "handbook.txt"
    file.write_text("\ufeffFirst\nparagraph.\n\n\n\nZweiter Absatz: größer.\n", "utf-8")
    assert file_text(file).texts == ("First\nparagraph.", "Zweiter Absatz: größer.\n")


def test_json_lines_are_strings_or_objects_with_a_text(tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text('"plain"\n\n{"id": 1, "text": "in a field"}\n')
    assert file_text(file).texts == ("plain", "in a field")


@pytest.mark.parametrize("line", ["{}", "3", "not json", '{"text": 4}'])
def test_a_line_without_text_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text(f'"fine"\n{line}\n')
    with pytest.raises(Invalid, match=r"Line 2 of lines\.jsonl"):
        file_text(file)


@pytest.mark.parametrize(("limit", "error"), [(1 << 20, Invalid), (3, TooLarge)])
def test_a_file_that_is_no_text_or_too_large_is_refused(
    tmp_path: Path, monkeypatch, limit: int, error: type[BelegError]
) -> None:
    monkeypatch.setattr(calibration, "FILE_LIMIT", limit)
    file = tmp_path / "offer.pdf"
    file.write_bytes(b"%PDF-1.7\n\xff\xfe\xfa")
    with pytest.raises(error):
        file_text(file)
