"""JSON, JSON Lines and notebooks: no value without its key."""

from __future__ import annotations

import json
from pathlib import Path

from ingestion.parsers import json_text, notebook
from ingestion.types import Parsed


def quiet(done: int, total: int) -> None:
    pass


def read(tmp_path: Path, text: str) -> Parsed:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    return json_text.read(path, quiet)


def test_records_of_plain_values_are_a_table_with_its_header(tmp_path: Path) -> None:
    (block,) = (
        read(tmp_path, '[{"part": "PPR-9087", "price": 12.50}, {"part": "PPR-9088", "stock": 3}]').pages[0].blocks
    )
    assert block.kind == "table"
    assert block.text.split("\n") == ["part\tprice\tstock", "PPR-9087\t12.50", "PPR-9088\t\t3"]


def test_values_keep_their_keys_whatever_they_stand_in(tmp_path: Path) -> None:
    text = read(tmp_path, '[{"id": 7, "address": {"city": "Köln"}, "tags": ["a", "b"], "gone": null}]').pages[0].text
    assert text.split("\n") == ["id: 7", "address.city: Köln", "tags: a, b", "gone: null"]


def test_parts_of_an_object_stand_under_their_key(tmp_path: Path) -> None:
    blocks = read(tmp_path, '{"name": "x", "travel": {"hotels": {"limit": 120}}}').pages[0].blocks
    assert [(one.kind, one.level, one.text) for one in blocks] == [
        ("paragraph", 0, "name: x"),
        ("heading", 1, "travel"),
        ("heading", 2, "hotels"),
        ("paragraph", 0, "limit: 120"),
    ]


def test_numbers_stay_as_written_and_double_keys_are_both_there(tmp_path: Path) -> None:
    text = read(tmp_path, '{"a": 1e400, "b": 0.10, "b": ' + "9" * 5000 + "}").pages[0].text
    assert "a: 1e400" in text
    assert "b: 0.10" in text
    assert "9" * 4000 in text


def test_json_lines(tmp_path: Path) -> None:
    assert read(tmp_path, '{"a": 1, "b": 2}\n\n{"a": 3, "b": 4}\n').pages[0].text == "a\tb\n1\t2\n3\t4"


def test_broken_json_is_read_as_text_and_said(tmp_path: Path) -> None:
    parsed = read(tmp_path, '{"mail": "a@example.com", "x": [1,')
    assert "a@example.com" in parsed.pages[0].text
    assert [one.code for one in parsed.warnings] == ["broken_json"]


def test_nesting_beyond_reason_does_not_crash(tmp_path: Path) -> None:
    assert [one.code for one in read(tmp_path, "[" * 200_000).warnings] == ["broken_json"]
    assert "deep" in read(tmp_path, '{"k": ' * 900 + '"deep"' + "}" * 900).pages[0].text


def cell(kind: str, source: str, *outputs: dict[str, object]) -> dict[str, object]:
    return {"cell_type": kind, "source": source.splitlines(keepends=True), "metadata": {}, "outputs": list(outputs)}


def test_a_notebook_shows_text_code_and_what_it_printed(tmp_path: Path) -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo" * 50}}
    table = {
        "output_type": "execute_result",
        "data": {"text/html": "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>"},
    }
    printed = {"output_type": "stream", "text": ["\x1b[31m42\x1b[0m\n"]}
    cells = [cell("markdown", "# Sales\n\nBy *month*."), cell("code", "print(42)\nshow()", printed, table, picture)]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")
    parsed = notebook.read(path, quiet)
    assert parsed.title == "Sales"
    assert [(one.kind, one.text) for one in parsed.pages[0].blocks] == [
        ("heading", "Sales"),
        ("paragraph", "By month."),
        ("code", "print(42)\nshow()"),
        ("code", "42"),
        ("paragraph", "a"),
        ("paragraph", "1"),
    ]
    assert [one.code for one in parsed.warnings] == ["pictures"]
