"""Files that lie in office documents become documents of their own."""

from __future__ import annotations

import io
import struct
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from office_files import RELATIONS, docx, paragraph, relations, silent
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm
from xlsxwriter import Workbook

from ingestion.parsers import sheets, slides, word
from ingestion.parsers.embedded import _packed, _suffix_of
from ingestion.types import Refused

SAMPLES = Path(__file__).parents[2] / "samples"


def test_files_in_a_document_are_handed_on_and_named(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", paragraph("See the files."))
    old = (SAMPLES / "legacy_sample.doc").read_bytes()
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("word/embeddings/Prices.xlsx", workbook())
        file.writestr("word/embeddings/oleObject1.bin", old)
        file.writestr("word/embeddings/oleObject2.bin", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 cut off")
    parsed = word.read(path, silent)
    assert [(one.name, one.data) for one in parsed.attachments] == [
        ("Prices.xlsx", workbook()),
        ("oleObject1.doc", old),
    ]
    assert [warning.code for warning in parsed.warnings] == ["attachments", "embedded_files"]
    assert "Prices.xlsx, oleObject1.doc" in parsed.warnings[0].text


def test_a_document_of_nothing_but_a_file_is_read(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", "<w:p/>")
    with pytest.raises(Refused):
        word.read(path, silent)
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("word/embeddings/report.pdf", b"%PDF-1.7 ...")
    assert [one.name for one in word.read(path, silent).attachments] == ["report.pdf"]


def test_workbooks_behind_charts_are_no_files(tmp_path: Path) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    data = CategoryChartData()
    data.categories = ["Q1"]
    data.add_series("Sales", (1,))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(1), Cm(5), Cm(9), Cm(9), data)
    deck.save(str(tmp_path / "a.pptx"))
    parsed = slides.read(tmp_path / "a.pptx", silent)
    assert (parsed.attachments, parsed.warnings) == ((), ())
    (tmp_path / "list.xlsx").write_bytes(workbook())
    slide.shapes.add_ole_object(str(tmp_path / "list.xlsx"), "Excel.Sheet.12", Cm(1), Cm(1))
    deck.save(str(tmp_path / "a.pptx"))
    parsed = slides.read(tmp_path / "a.pptx", silent)
    assert [one.data for one in parsed.attachments] == [workbook()]
    assert parsed.attachments[0].name.endswith(".xlsx")


def test_files_in_a_workbook(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(workbook())
    with zipfile.ZipFile(tmp_path / "a.xlsx", "a") as file:
        file.writestr("xl/embeddings/Contract.docx", (SAMPLES / "docx-tables.docx").read_bytes())
    assert [one.name for one in sheets.read(tmp_path / "a.xlsx", silent).attachments] == ["Contract.docx"]


def test_web_pages_that_a_document_takes_in_are_read(tmp_path: Path) -> None:
    body = paragraph("Before") + '<w:altChunk r:id="c"/>'
    path = docx(tmp_path / "a.docx", body)
    with zipfile.ZipFile(path, "a") as file:
        target = f'<Relationship Id="c" Type="{RELATIONS}/aFChunk" Target="afchunk1.html"/>'
        file.writestr("word/_rels/other.xml.rels", relations(target))
        file.writestr("word/afchunk1.html", "<p>Inside</p>")
    parsed = word.read(path, silent)
    assert [one.name for one in parsed.attachments] == ["afchunk1.html"]
    assert [warning.code for warning in parsed.warnings] == ["attachments"]


def test_a_packed_file_has_its_name_and_its_bytes() -> None:
    inner = b"Hello"
    path = b"C:\\temp\\hello.txt\0"
    stream = b"\0\0\0\0\2\0" + b"hello.txt\0" + b"C:\\Users\\x\\hello.txt\0" + b"\0\0\3\0"
    stream += struct.pack("<I", len(path)) + path + struct.pack("<I", len(inner)) + inner
    assert _packed(stream) == ("hello.txt", inner)


def test_what_a_file_is_shows_in_its_bytes() -> None:
    assert (_suffix_of(workbook()), _suffix_of(b"%PDF-1.4"), _suffix_of(b"PK broken")) == (".xlsx", ".pdf", "")


def workbook() -> bytes:
    out = io.BytesIO()
    book = Workbook(out)
    book.set_properties({"created": datetime(2026, 1, 1)})
    book.add_worksheet().write(0, 0, "x")
    book.close()
    return out.getvalue()
