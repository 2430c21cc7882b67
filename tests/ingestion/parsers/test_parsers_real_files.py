"""Files that real programs wrote, with the text that must come out of them. SOURCES.md names where they are from."""

from __future__ import annotations

from pathlib import Path

import pytest
from office_files import silent

from ingestion.parsers import csv_table, html, mail, odp, ods, odt, rtf, sheets, sheets_old, slides, text, word
from ingestion.types import Parsed, Refused

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
READERS = {
    ".docx": word.read,
    ".pptx": slides.read,
    ".xlsx": sheets.read,
    ".odt": odt.read,
    ".ods": ods.read,
    ".odp": odp.read,
    ".rtf": rtf.read,
    ".xls": sheets_old.read_xls,
    ".csv": csv_table.read,
    ".html": html.read,
    ".md": text.read_markdown,
    ".txt": text.read,
    ".eml": mail.read,
}
TEXTS = [
    ("docx-tables.docx", 1, "Header Col 1 Header Col 2 Lorem ipsum A link example"),
    ("docx-tables.docx", 1, "e f g&t h"),  # the table in the table
    ("docx-hdrftr.docx", 1, "First header para Table cell1 Table cell2"),
    ("docx_comments.docx", 1, "This second paragraph also has a reviewer annotation."),
    ("textbox.docx", 1, "Suggested Reportable Symptoms:"),
    ("powerpoint_sample.pptx", 1, "R1 True False False True True"),
    ("powerpoint_sample.pptx", 2, "Some notes on the second slide."),
    ("testEXCEL_dateFormats.xlsx", 1, "2018-09-20"),
    ("testEXCEL-formats.xlsx", 1, "1599.99"),
    ("text_document_01.odt", 1, "designers at Letraset and James Mosley"),
    ("odf_table_with_title_01.ods", 1, "Number of freshwater ducks per year Year Freshwater Ducks 2019 120"),
    ("odf_presentation_01.odp", 1, "R1 True False False True True"),
    ("odf_presentation_01.odp", 2, "Some notes on the second slide."),
    ("testRTFJapanese.rtf", 1, "古書店で処刑記録見つかる"),
    ("fake-doc.rtf", 1, "Column 1 Column 2 Row 1, Cell 1 Row 1, Cell 2 Row 2, Cell 1 Row 2, Cell 2"),
    ("legacy_sample.xls", 1, "Number of freshwater ducks per year Year Freshwater Ducks 2019 120"),
    ("csv-semicolon.csv", 1, "Index Customer Id First Name Last Name Company"),
    ("csv-inconsistent-header.csv", 1, "a,b,c,d"),
    ("test_mskanji.csv", 1, "髙橋淳 35 名古屋"),
    ("testHTML_script_in_body.html", 1, "This is a test."),
    ("fake-html-cp1252.html", 1, "Der Preis betrug 15,50 €."),
    ("example-steelJIS-datasheet-utf-16.html", 1, "Chromium molybdenum steel"),
    ("html_rich_table_cells.html", 1, "Aythya (Diving ducks)"),
    ("umlauts-non-utf8.md", 1, "können äöüß"),
    ("testTXT_win-1252.txt", 1, "“windows” encoding"),
    ("fake-text-utf-16.txt", 1, "Doylestown, PA 18901"),
    ("mime-different-plain-html.eml", 1, "sent by Ray Tomlinson in 1971"),
]
REFUSALS = [
    ("testWORD_protected_passtika.docx", "password_protected"),
    ("testODTEncrypted.odt", "password_protected"),
    ("no-slides.pptx", "empty"),
    ("empty.xlsx", "empty"),
    ("fake-encrypted.eml", "password_protected"),
]


@pytest.mark.parametrize(("name", "page", "expected"), TEXTS)
def test_the_text_comes_out(name: str, page: int, expected: str) -> None:
    parsed = read(name)
    shown = next(item.text for item in parsed.pages if item.number == page)
    assert expected in " ".join(shown.split())


@pytest.mark.parametrize(("name", "code"), REFUSALS)
def test_what_cannot_be_read_is_refused_with_its_reason(name: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read(name)
    assert refused.value.code == code


def test_the_two_forms_of_a_mail_are_not_both_read() -> None:
    words = " ".join(page.text for page in read("mime-different-plain-html.eml").pages)
    assert words.count("Ray Tomlinson") == 1


def test_an_attachment_is_handed_on_and_named() -> None:
    parsed = read("fake-email-attachment.eml")
    assert [(item.name, b"fake attachment!" in item.data) for item in parsed.attachments] == [
        ("fake-attachment.txt", True)
    ]
    assert "fake-attachment.txt" in parsed.warnings[0].text


def read(name: str) -> Parsed:
    return READERS[Path(name).suffix](SAMPLES / name, silent)
