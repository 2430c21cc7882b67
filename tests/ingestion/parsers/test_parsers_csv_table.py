"""CSV: delimiter and encoding are found out, values are left as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from office_files import silent

from ingestion.parsers import csv_table
from ingestion.types import Parsed, Refused


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_delimiters_and_encodings(tmp_path: Path, delimiter: str, encoding: str) -> None:
    rows = (("Nr", "Firma", "Preis"), ("007", "Müller & Söhne", "1.234,50 €"), ("008", "Öberg", "9,90 €"))
    content = "\r\n".join(delimiter.join(f'"{cell}"' if delimiter in cell else cell for cell in row) for row in rows)
    parsed = read(tmp_path, content.encode(encoding))
    assert text(parsed) == "Nr\tFirma\tPreis\n007\tMüller & Söhne\t1.234,50 €\n008\tÖberg\t9,90 €"
    assert parsed.pages[0].blocks[0].header == "Nr\tFirma\tPreis"
    assert (parsed.has_pages, parsed.warnings) == (False, ())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('a;b\n"x\ny";"say ""hi"""\n', 'a\tb\nx y\tsay "hi"'),
        ("sep=;\na;b,c\n1;2,3\n", "a\tb,c\n1\t2,3"),
        ("name\nfoo\nbar, baz\n", "name\nfoo\nbar, baz"),
        ("1,2\n3,4\n", "1\t2\n3\t4"),
        ("a,b,c\n1,,3\n", "a\tb\tc\n1\t\t3"),
    ],
)
def test_rows(tmp_path: Path, content: str, expected: str) -> None:
    assert text(read(tmp_path, content.encode())) == expected


def test_a_table_of_figures_has_no_header(tmp_path: Path) -> None:
    assert read(tmp_path, b"1,2\n3,4\n").pages[0].blocks[0].header == ""


def test_longer_rows_lose_nothing_and_are_said(tmp_path: Path) -> None:
    parsed = read(tmp_path, b"1,2\na,b,c\na,b,c\n")
    assert text(parsed) == "1,2\na,b,c\na,b,c"  # as written: no name is set over a value that is not its own
    assert [warning.code for warning in parsed.warnings] == ["ragged_rows"]


def test_a_quotation_mark_that_is_never_closed_swallows_nothing(tmp_path: Path) -> None:
    parsed = read(tmp_path, ('a,b\n1,"x\n' + "2,y\n" * 20).encode())
    assert len(parsed.pages[0].blocks[0].lines) == 22
    assert [warning.code for warning in parsed.warnings] == ["unbalanced_quotes"]


@pytest.mark.parametrize(
    ("data", "code"), [(b"", "empty"), (b",,\n,,\n", "empty"), (bytes(range(1, 9)) * 99, "unknown_type")]
)
def test_refusals(tmp_path: Path, data: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read(tmp_path, data)
    assert refused.value.code == code


def read(folder: Path, data: bytes) -> Parsed:
    (folder / "a.csv").write_bytes(data)
    return csv_table.read(folder / "a.csv", silent)


def text(parsed: Parsed) -> str:
    return parsed.pages[0].text


def test_rows_of_many_lengths_stay_a_table(tmp_path: Path) -> None:
    parsed = read(tmp_path, b"Konto;17\nTag;Betrag;Text\n1.3.;5;a\n2.3.;6;b\n\nSumme;11\n")
    assert text(parsed).splitlines()[2] == "1.3.\t5\ta"


def test_what_stands_above_the_column_names_is_no_part_of_the_table(tmp_path: Path) -> None:
    content = (
        "Kontoauszug;;;\nKonto;DE12 3456;;\nZeitraum;01.01.2026 - 31.01.2026;;\n;;;\n"
        "Datum;Empfänger;Zweck;Betrag\n02.01.2026;Müller GmbH;Rechnung 5;-1.234,56\n03.01.2026;Amt;;-10,00\n"
    )
    (tmp_path / "a.csv").write_bytes(content.encode("cp1252"))
    head, body = csv_table.read(tmp_path / "a.csv", silent).pages[0].blocks
    assert head.text == "Kontoauszug\nKonto\tDE12 3456\nZeitraum\t01.01.2026 - 31.01.2026"
    assert (body.header, body.lines[2].text) == ("Datum\tEmpfänger\tZweck\tBetrag", "03.01.2026\tAmt\t\t-10,00")


@pytest.mark.parametrize("content", ["a;b;c\n1;2;3\n", "a;b;\n1;2;3\n4;5;6\n", "1;;\n2;x;y\n", "a\nb\n"])
def test_other_first_rows_stay_with_the_table(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.csv").write_text(content, encoding="utf-8")
    assert len(csv_table.read(tmp_path / "a.csv", silent).pages[0].blocks) == 1
