"""OpenDocument spreadsheets: values as shown, sheets by name, no bomb goes off."""

from __future__ import annotations

from pathlib import Path

import pytest
from odf_files import COVERED, cell, figure, odf, p, row, table
from office_files import silent

from ingestion.parsers import ods
from ingestion.types import Parsed, Refused


def read(tmp_path: Path, *sheets: str, styles: str = "") -> Parsed:
    return ods.read(odf(tmp_path / "a.ods", "spreadsheet", "".join(sheets), styles), silent)


def sheet(name: str, *rows: str, attributes: str = "") -> str:
    return f'<table:table table:name="{name}" {attributes}>{"".join(rows)}</table:table>'


def test_values_stand_as_shown_under_their_column_names(tmp_path: Path) -> None:
    formula = 'table:formula="of:=SUM([.B2:.B2])" office:value-type="float" office:value="12"'
    parsed = read(
        tmp_path,
        sheet(
            "Lager 2026",
            row("Bestand im Lager"),
            row("", attributes='table:number-rows-repeated="2"'),
            row("Artikel", "Menge", "Preis", "Stand"),
            row(
                "PPR-9087", figure("12", "12"), figure("1234.5", "1.234,50 €"), figure("2026-03-01", "01.03.26", "date")
            ),
            row("Summe", cell("12", formula)),
        ),
    )
    (page,) = parsed.pages
    assert (page.number, page.label) == (1, "Lager 2026")
    assert [(block.kind, block.text) for block in page.blocks] == [
        ("heading", "Lager 2026"),
        ("paragraph", "Bestand im Lager"),
        ("table", "Artikel\tMenge\tPreis\tStand\nPPR-9087\t12\t1.234,50 €\t01.03.26\nSumme\t12"),
    ]
    assert page.blocks[2].header == "Artikel\tMenge\tPreis\tStand"


def test_a_value_without_its_text_is_taken_as_stored(tmp_path: Path) -> None:
    bare = '<table:table-cell office:value-type="float" office:value="7.5"/>'
    assert (
        read(tmp_path, sheet("Sheet1", row("Tage", "Satz"), row("Umzug", bare))).pages[0].text
        == "Tage\tSatz\nUmzug\t7.5"
    )


def test_merged_cells_belong_to_each_row_and_name_each_column(tmp_path: Path) -> None:
    year = cell("2026", 'table:number-columns-spanned="2"')
    north = cell("Nord", 'table:number-rows-spanned="2"')
    rows = (
        row("Region", "Art", year, COVERED),
        row("", "", "H1", "H2"),
        row(north, "A", figure("1", "1"), figure("2", "2")),
        row(COVERED, "B", figure("3", "3"), figure("4", "4")),
    )
    (block,) = read(tmp_path, sheet("Sheet1", *rows)).pages[0].blocks
    assert block.header == "Region\tArt\t2026 H1\t2026 H2"
    assert block.text.split("\n")[1:] == ["Nord\tA\t1\t2", "Nord\tB\t3\t4"]


def test_hidden_sheets_are_read_and_said_and_empty_ones_left_out(tmp_path: Path) -> None:
    hiding = '<style:table-properties table:display="false"/>'
    styles = f'<style:style style:name="ta2" style:family="table">{hiding}</style:style>'
    hidden = sheet("Löhne", row("Ada", figure("5", "5")), attributes='table:style-name="ta2"')
    parsed = read(tmp_path, sheet("Leer", row("")), hidden, styles=styles)
    assert [(page.number, page.label) for page in parsed.pages] == [(2, "Löhne")]
    assert [(warning.code, warning.page) for warning in parsed.warnings] == [("hidden_sheet", 2)]


def test_comments_name_their_cell_and_are_not_glued_into_it(tmp_path: Path) -> None:
    note = f"<table:table-cell><office:annotation>{p('check!')}</office:annotation>{p('9')}</table:table-cell>"
    blocks = read(tmp_path, sheet("Sheet1", row("a", "b"), row("c", note))).pages[0].blocks
    assert [block.text for block in blocks] == ["a\tb\nc\t9", "Comment on B2: check!"]


def test_a_row_that_is_longer_than_its_names(tmp_path: Path) -> None:
    (block,) = read(tmp_path, sheet("Sheet1", row("Name", "Town"), row("Ada", "London", "1815"))).pages[0].blocks
    assert block.text == "Name\tTown\nAda\tLondon\t1815"


def test_a_whole_sheet_of_empty_cells_costs_nothing(tmp_path: Path) -> None:
    empty = cell("", 'table:number-columns-repeated="16384"')
    far = row("end", empty)
    rows = (row("start"), row(empty, attributes='table:number-rows-repeated="1048576"'), far)
    assert read(tmp_path, sheet("Sheet1", *rows)).pages[0].text == "start\n\nend"


def test_a_row_that_repeats_a_million_times_is_shortened_and_said(tmp_path: Path) -> None:
    parsed = read(tmp_path, sheet("Sheet1", row("a", "b", attributes='table:number-rows-repeated="1048576"')))
    assert len(parsed.pages[0].blocks[0].lines) == 1000
    assert [warning.code for warning in parsed.warnings] == ["repeated_rows"]


def test_a_sheet_full_of_repeated_cells_is_refused(tmp_path: Path) -> None:
    far = cell("", 'table:number-columns-repeated="16000"')
    rows = row(far, "x", attributes='table:number-rows-repeated="1000"')
    with pytest.raises(Refused) as refused:
        read(tmp_path, sheet("Sheet1", rows))
    assert refused.value.code == "too_large"


def test_a_workbook_without_a_filled_cell_is_empty(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        read(tmp_path, table(row("")))
    assert refused.value.code == "empty"
