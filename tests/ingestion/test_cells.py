"""Passages of a sheet know their sheet and cells, from the reading process through to the database."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import xlsxwriter

from app.documents.marks import cells_of, mark_of, values_of
from ingestion.cells import around, reference
from ingestion.chunk import cut
from ingestion.parsers import sheets
from ingestion.types import Passage
from ingestion.wire import page_from_json, page_to_json


@pytest.mark.parametrize(
    ("row", "first", "last", "text"),
    [(0, 0, 0, "A1"), (4, 0, 3, "A5:D5"), (9, 25, 26, "Z10:AA10"), (1048575, 701, 16383, "ZZ1048576:XFD1048576")],
)
def test_references_are_written_as_people_know_them(row: int, first: int, last: int, text: str) -> None:
    assert reference(row, first, last) == text
    assert around([text]) == text


def test_ranges_are_put_together() -> None:
    assert around(["B7:J7", "A11:C11", "", "A9"]) == "A7:J11"
    assert around([]) == ""
    assert around(["no reference"]) == ""


@pytest.fixture(scope="module")
def passages(tmp_path_factory: pytest.TempPathFactory) -> list[Passage]:
    path = tmp_path_factory.mktemp("cells") / "prices.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Prices 2026")
        sheet.write(2, 1, "Prices of spare parts")
        sheet.write_row(4, 1, ("Part", "Price"))
        for number in range(1, 31):
            sheet.write_row(4 + number, 1, (f"PPR-{number}", number * 10))
        book.add_worksheet("Other").write_row(0, 0, ("Alpha", "Beta"))
    parsed = sheets.read(path, lambda done, total: None)
    sent = (page_from_json(json.loads(json.dumps(page_to_json(page)))) for page in parsed.pages)
    return cut(replace(parsed, pages=tuple(sent)), 40, lambda text: len(text.split()))


def test_each_line_has_its_cells(passages: list[Passage]) -> None:
    found = {one.text[mark.start : mark.end]: mark.cells for one in passages for mark in one.marks}
    assert found["PPR-1\t10"] == "B6:C6"
    assert found["PPR-30\t300"] == "B35:C35"
    assert found["Part\tPrice"] == "B5:C5"
    assert found["Prices of spare parts"] == "B3"


def test_a_title_stays_with_its_table_and_the_sheet_is_named(passages: list[Passage]) -> None:
    assert passages[0].text.startswith("Prices 2026\n\nPrices of spare parts\n\nPart\tPrice\n")
    assert passages[1].headings == ("Prices 2026",)
    assert passages[-1].headings == ()
    assert passages[-1].text.startswith("Other")


def test_cells_survive_the_database_and_answer_for_a_span(passages: list[Passage]) -> None:
    one = passages[1]
    marks = [mark_of(json.loads(json.dumps(values_of(mark)))) for mark in one.marks]
    assert tuple(marks) == one.marks
    start = one.text.index("PPR")
    assert cells_of(marks, start, start + 5) == marks[1].cells
