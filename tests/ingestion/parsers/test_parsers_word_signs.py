"""Word: signs that mean something by how they are set, and tables whose names lie over several columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from office_files import docx, paragraph, row, silent, table

from ingestion.parsers import word
from ingestion.types import Block


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ('<w:r><w:t>20 </w:t><w:sym w:font="Symbol" w:char="F0B0"/><w:t>C</w:t></w:r>', "20 °C"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:t> agreed</w:t></w:r>', "☑ agreed"),
        ('<w:r><w:sym w:font="Unknown" w:char="zzzz"/><w:t>x</w:t></w:r>', "x"),
        ("<w:r><w:t>\uf06f open</w:t></w:r>", "☐ open"),
        ('<w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>-6</w:t></w:r>', "10⁻⁶"),
        ('<w:r><w:t>1</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>st</w:t></w:r>', "1st"),
        ("<w:checkBox><w:checked/></w:checkBox>", "☒ paid"),
        ('<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>', "☐ paid"),
    ],
)
def test_signs(tmp_path: Path, inner: str, expected: str) -> None:
    if inner.startswith("<w:checkBox>"):
        inner = (
            f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{inner}</w:ffData></w:fldChar></w:r>'
            "<w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r>"
            '<w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t xml:space="preserve"> paid</w:t></w:r>'
        )
    assert texts(tmp_path, f"<w:p>{inner}</w:p>") == [expected]


def test_formulas_are_written_in_a_line(tmp_path: Path) -> None:
    def part(name: str, text: str) -> str:
        return f"<m:{name}><m:r><m:t>{text}</m:t></m:r></m:{name}>"

    fraction = f"<m:f>{part('num', 'a+b')}{part('den', 'c')}</m:f>"
    power = f"<m:sSup>{part('e', 'x')}{part('sup', '2')}</m:sSup>"
    root = f"<m:rad><m:deg/>{part('e', 'y')}</m:rad>"
    limits = part("sub", "i=1") + part("sup", "n")
    total = f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>{limits}{part("e", "i")}</m:nary>'
    brackets = f"<m:d>{part('e', 'k')}</m:d>"
    names = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    body = f"<w:p><m:oMath {names}>{fraction}{power}{root}{total}{brackets}</m:oMath></w:p>"
    assert texts(tmp_path, body) == ["(a+b)/cx^2√y∑_(i=1)^n i(k)"]


def test_a_paragraph_whose_end_was_deleted_goes_on_in_the_next(tmp_path: Path) -> None:
    gone = '<w:rPr><w:del w:id="1" w:author="a"/></w:rPr>'
    body = paragraph("The supplier shall ", gone) + paragraph("deliver.") + paragraph("The last", gone)
    found = word.read(docx(tmp_path / "a.docx", body), silent)
    assert [block.text for block in found.pages[0].blocks] == ["The supplier shall deliver.", "The last"]
    assert [warning.code for warning in found.warnings] == ["tracked_changes"]


def test_a_table_of_contents_is_left_out_with_its_heading(tmp_path: Path) -> None:
    gallery = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'
    contents = f"<w:sdt><w:sdtPr>{gallery}</w:sdtPr><w:sdtContent>{paragraph('Contents')}</w:sdtContent></w:sdt>"
    assert texts(tmp_path, contents + paragraph("Scope")) == ["Scope"]


def test_names_over_several_columns_belong_to_each(tmp_path: Path) -> None:
    body = table(
        row(cell("Prices", '<w:gridSpan w:val="3"/>')),
        row(cell("Region", '<w:vMerge w:val="restart"/>'), cell("2026", '<w:gridSpan w:val="2"/>')),
        row(cell("", "<w:vMerge/>"), "Q1", "Q2"),
        row("North", "10", "20"),
    )
    found = blocks(tmp_path, body)[0]
    assert found.header == "Region\t2026 Q1\t2026 Q2"
    assert found.text == "Prices\nRegion\t2026 Q1\t2026 Q2\nNorth\t10\t20"


def test_cells_that_a_row_leaves_out_at_its_start_shift_nothing(tmp_path: Path) -> None:
    indented = row("b", "c", properties='<w:trPr><w:gridBefore w:val="1"/></w:trPr>')
    assert texts(tmp_path, table(row("A", "B", "C"), indented)) == ["A\tB\tC\n\tb\tc"]


def cell(text: str, properties: str) -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"


def texts(folder: Path, body: str) -> list[str]:
    return [block.text for block in blocks(folder, body)]


def blocks(folder: Path, body: str) -> tuple[Block, ...]:
    return word.read(docx(folder / "a.docx", body), silent).pages[0].blocks
