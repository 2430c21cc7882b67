"""Excel: values as computed, under their column names, on the page of their sheet."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from office_files import silent

from ingestion.parsers import sheets
from ingestion.parsers.sheets_formats import Format, format_of, shown
from ingestion.types import Parsed, Refused


def test_values_formulas_dates_and_formats(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("Umsatz")
        sheet.write_row(0, 0, ("Artikel", "Menge", "Preis", "Anteil", "Datum"))
        sheet.write_row(1, 0, ("PPR-9087", 12))
        sheet.write_number(1, 2, 1599.9, book.add_format({"num_format": '#,##0.00 "€"'}))
        sheet.write_number(1, 3, 0.125, book.add_format({"num_format": "0.0%"}))
        sheet.write_datetime(1, 4, date(2026, 3, 1), book.add_format({"num_format": "dd.mm.yyyy"}))
        sheet.write(2, 0, "Summe")
        sheet.write_formula(2, 1, "=SUM(B2:B2)", None, 12)

    parsed = read(tmp_path, fill)
    heading, table = parsed.pages[0].blocks
    assert (heading.kind, heading.text, parsed.pages[0].label) == ("heading", "Umsatz", "Umsatz")
    assert table.header == "Artikel\tMenge\tPreis\tAnteil\tDatum"
    assert [line.text for line in table.lines] == [
        "Artikel\tMenge\tPreis\tAnteil\tDatum",
        "PPR-9087\t12\t1599.90 €\t12.5 %\t2026-03-01",
        "Summe\t12",
    ]


def test_titles_blank_rows_and_merged_names(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "Umsatz nach Region")
        sheet.merge_range(2, 1, 2, 2, "2025")
        sheet.merge_range(2, 3, 2, 4, "2026")
        sheet.write_row(3, 0, ("Region", "H1", "H2", "H1", "H2"))
        sheet.write_row(5, 0, ("Nord", 1, 2, 3, 4))
        sheet.write_row(7, 0, ("Süd", 5, 6, 7, 8))

    title, north, south = read(tmp_path, fill).pages[0].blocks
    header = "Region\t2025 H1\t2025 H2\t2026 H1\t2026 H2"
    assert title.text == "Umsatz nach Region"
    assert (north.header, north.text) == (header, f"{header}\nNord\t1\t2\t3\t4")
    assert (south.header, south.text) == (header, "Süd\t5\t6\t7\t8")


def test_a_name_over_some_columns_is_no_title(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.merge_range(0, 0, 0, 2, "Preisliste")
        sheet.merge_range(1, 1, 1, 2, "Preis")
        sheet.write_row(2, 0, ("Artikel", "netto", "brutto"))
        sheet.write_row(3, 0, ("PPR-9087", 100, 119))

    title, table = read(tmp_path, fill).pages[0].blocks
    assert title.text == "Preisliste"
    assert table.text == "Artikel\tPreis netto\tPreis brutto\nPPR-9087\t100\t119"


def test_a_sparse_row_above_the_names_holds_for_all_columns(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "In Mio. CHF")
        sheet.write(0, 4, "Januar-Juni 2026")
        sheet.write_row(1, 1, ("Umsatz", "Kosten", "Gewinn", "Steuern"))
        sheet.write_row(3, 0, ("Zone EUR", 9467, 1570, 1373, -197))

    caption, table = read(tmp_path, fill).pages[0].blocks
    assert caption.text == "In Mio. CHF Januar-Juni 2026"
    assert table.text == "\tUmsatz\tKosten\tGewinn\tSteuern\nZone EUR\t9467\t1570\t1373\t-197"
    assert table.header == "\tUmsatz\tKosten\tGewinn\tSteuern"


def test_cells_merged_over_rows_belong_to_each(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ("Region", "Quartal", "Summe"))
        sheet.merge_range(1, 0, 2, 0, "Nord")
        sheet.write_row(1, 1, ("Q1", 10))
        sheet.write_row(2, 1, ("Q2", 20))

    assert text(read(tmp_path, fill)) == "Region\tQuartal\tSumme\nNord\tQ1\t10\nNord\tQ2\t20"


def test_hidden_sheets_are_read_and_said_and_empty_ones_keep_their_number(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        book.add_worksheet("Offen").write(0, 0, "a")
        book.add_worksheet("Leer")
        hidden = book.add_worksheet("Geheim")
        hidden.write(0, 0, "b")
        hidden.hide()

    parsed = read(tmp_path, fill)
    assert [(page.number, page.label) for page in parsed.pages] == [(1, "Offen"), (3, "Geheim")]
    assert [(warning.code, warning.page) for warning in parsed.warnings] == [("hidden_sheet", 3)]


def test_a_table_may_start_anywhere(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        percent = book.add_format({"num_format": "0%"})
        sheet = book.add_worksheet()
        sheet.write_row(4, 2, ("Land", "Satz"))
        sheet.write(5, 2, "Polen")
        sheet.write(5, 3, 0.23, percent)

    assert text(read(tmp_path, fill)) == "Land\tSatz\nPolen\t23 %"


def test_comments_text_boxes_and_charts(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("Daten")
        sheet.write_column(0, 0, (10, 20))
        sheet.write_comment(1, 0, "Estimated", {"author": "Eva"})
        sheet.insert_textbox(3, 3, "Figures are preliminary")
        chart = book.add_chart({"type": "column"})
        chart.add_series({"name": "Orders", "values": "=Daten!$A$1:$A$2", "values_data": [10, 20]})
        chart.set_title({"name": "By month"})
        sheet.insert_chart(9, 3, chart)

    kinds = {block.text: block.kind for block in read(tmp_path, fill).pages[0].blocks}
    assert kinds["Figures are preliminary"] == "paragraph"
    assert kinds["By month"] == "paragraph"
    assert kinds["Comment on A2: Estimated"] == "note"


def test_cells_far_apart_are_refused_before_they_are_laid_out(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("Weit")
        sheet.write(0, 0, 1)
        sheet.write(1_048_575, 16_383, 2)

    with pytest.raises(Refused) as refused:
        read(tmp_path, fill)
    assert refused.value.code == "too_large"
    assert "Weit" in str(refused.value)


def test_a_format_far_away_is_no_value(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "near")
        sheet.write_blank(1_048_575, 16_383, None, book.add_format({"bold": True}))

    assert text(read(tmp_path, fill)) == "near"


def test_a_workbook_that_claims_billions_of_strings_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet().write(0, 0, 'a text with count="2" in it')
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    strings = parts["xl/sharedStrings.xml"]
    parts["xl/sharedStrings.xml"] = strings.replace(b'uniqueCount="1"', b'uniqueCount="99999999999999"')
    assert parts["xl/sharedStrings.xml"] != strings
    with zipfile.ZipFile(path, "w") as file:
        for name, data in parts.items():
            file.writestr(name, data)
    assert text(sheets.read(path, silent)) == 'a text with count="2" in it'


def test_an_empty_workbook_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        read(tmp_path, lambda book: book.add_worksheet())
    assert refused.value.code == "empty"


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        (3.0, Format(), "3"),
        (0.1 + 0.2, Format(), "0.3"),
        (-1722.0, Format(decimals=2), "-1722.00"),
        (1 / 3, Format(percent=True, decimals=1), "33.3333333333333 %"),
        (1e300, Format(), "1e+300"),
        (True, Format(), "TRUE"),
        (datetime(2026, 1, 2, 13, 30), Format(), "2026-01-02 13:30"),
        (time(7, 5, 9), Format(), "07:05:09"),
    ],
)
def test_how_a_value_is_written(value: object, form: Format, expected: str) -> None:
    assert shown(value, form) == expected


@pytest.mark.parametrize(
    ("code", "value", "expected"),
    [
        ("00000", 1067, "01067"),
        ('0.00 "kg"', 12.5, "12.50 kg"),
        ('0\\ "Tage"', 30, "30 Tage"),
        ('"+49 "0', 301234, "+49 301234"),
        ("#,##0.00 €", 1234.567, "1234.57 €"),
        ('_-* #,##0.00 "€"_-;-* #,##0.00 "€"_-', -5, "-5.00 €"),
        ("0.0%", 0.1955, "19.6 %"),
        ("0.##", 2 / 3, "0.67"),
        ("0", -0.2, "0"),
        ('#,##0,"k"', 1234567, "1234567"),
        ("00-00", 1234, "1234"),
        ("0.00E+00", 0.000012, "0.000012"),
        ("# ?/?", 0.5, "0.5"),
        ("General", 0.125, "0.125"),
    ],
)
def test_a_figure_is_written_as_its_format_says(code: str, value: float, expected: str) -> None:
    assert shown(value, format_of(code)) == expected


def test_hidden_rows_and_columns_are_said(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        for name in ("rows", "columns", "beyond"):
            book.add_worksheet(name).write_row(0, 0, ("a", "b"))
            book.get_worksheet_by_name(name).write_row(1, 0, (1, 2))
        book.get_worksheet_by_name("rows").set_row(1, None, None, {"hidden": True})
        book.get_worksheet_by_name("columns").set_column("B:B", None, None, {"hidden": True})
        book.get_worksheet_by_name("beyond").set_column("C:XFD", None, None, {"hidden": True})

    found = [(warning.code, warning.page) for warning in read(tmp_path, fill).warnings]
    assert found == [("hidden_cells", 1), ("hidden_cells", 2)]


def test_formulas_without_a_stored_result_are_said(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ("Artikel", "Summe"))
        sheet.write_row(1, 0, ("A", 5))
        sheet.write_formula(2, 1, "=2*3", None, 6)

    read(tmp_path, fill)
    without_results(tmp_path / "a.xlsx")
    parsed = sheets.read(tmp_path / "a.xlsx", silent)
    assert (parsed.outcome, [warning.code for warning in parsed.warnings]) == ("partial", ["formulas_without_result"])
    assert "in the file (1)" in parsed.warnings[0].text


def test_a_workbook_of_nothing_but_such_formulas_is_refused(tmp_path: Path) -> None:
    read(tmp_path, lambda book: book.add_worksheet().write_formula(0, 0, "=1+1", None, 2))
    without_results(tmp_path / "a.xlsx")
    with pytest.raises(Refused, match="results are not stored"):
        sheets.read(tmp_path / "a.xlsx", silent)


def without_results(path: Path) -> None:
    """As programs write formulas that do not compute them."""
    with zipfile.ZipFile(path) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    with zipfile.ZipFile(path, "w") as changed:
        for name, data in parts.items():
            changed.writestr(name, re.sub(rb"</f><v>\d+</v>", b"</f><v/>", data))


def read(folder: Path, fill: Callable[[Any], Any]) -> Parsed:
    with xlsxwriter.Workbook(str(folder / "a.xlsx")) as book:
        fill(book)
    return sheets.read(folder / "a.xlsx", silent)


def text(parsed: Parsed) -> str:
    return parsed.pages[0].text


def test_tables_side_by_side_are_told_apart(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        for number, row in enumerate((("Art", "Preis"), ("a", 1), ("b", 2), ("c", 3))):
            sheet.write_row(number, 0, row)
        for number, row in enumerate((("Ort", "Tage"), ("Rom", 7), ("Bonn", 8)), start=1):
            sheet.write_row(number, 3, row)

    left, right = read(tmp_path, fill).pages[0].blocks
    assert (left.header, left.text) == ("Art\tPreis", "Art\tPreis\na\t1\nb\t2\nc\t3")
    assert (right.header, right.text) == ("Ort\tTage", "Ort\tTage\nRom\t7\nBonn\t8")


def test_an_empty_column_between_names_and_figures_parts_nothing(tmp_path: Path) -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "Bilanz")
        sheet.write_row(1, 2, ("Soll", "Haben"))
        sheet.write_row(2, 0, ("Kasse", None, 1, 2))

    title, table = read(tmp_path, fill).pages[0].blocks
    assert (title.text, table.text) == ("Bilanz", "\tSoll\tHaben\nKasse\t1\t2")
