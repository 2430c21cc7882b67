"""Fetching characters in bulk and counting letters by bytes give what one call a character gives."""

from __future__ import annotations

from pathlib import Path

import pypdfium2_raw as c
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from ingestion.layout.columns import _letters
from ingestion.layout.types import PageRows
from ingestion.parsers import pdf_streams, pdf_text
from ingestion.parsers.pdfium import LoadedPage, opened
from tests.ingestion.pdf_samples import column, make


def one_by_one(page: LoadedPage) -> list[tuple[int, tuple[float, float, float, float]]]:
    text, found = c.FPDFText_LoadPage(page.handle), []
    for at in range(c.FPDFText_CountChars(text)):
        box = c.FS_RECTF()
        c.FPDFText_GetLooseCharBox(text, at, box)
        found.append((c.FPDFText_GetUnicode(text, at), (box.left, box.bottom, box.right, box.top)))
    c.FPDFText_ClosePage(text)
    return found


@pytest.mark.parametrize("rows", [0, 1, 60], ids=["no text", "a line", "more than one batch"])
def test_every_character_has_its_own_box(tmp_path: Path, rows: int) -> None:
    draw = column(3, rows, x=30, width=90)
    with opened(make(tmp_path / "a.pdf", draw)) as document, document.page(1) as page:
        single = one_by_one(page)
        with pdf_text.text_of(page) as text:
            assert text.codes.tolist() == [code for code, _ in single]
            assert [tuple(box) for box in text.boxes.tolist()] == [box for _, box in single]
    assert rows < 60 or len(single) > pdf_text.BATCH


def test_style_is_told_of_each_character(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 20)
        canvas.drawString(72, 700, "Kopf")
        canvas.setFont("Helvetica", 10)
        canvas.drawString(72, 600, "Text")

    with opened(make(tmp_path / "a.pdf", draw)) as document, document.page(1) as page, pdf_text.text_of(page) as text:
        assert text.style(0) == (20.0, True)
        assert text.style(len(text.codes) - 1) == (10.0, False)
        assert text.style(0) == (20.0, True)


def test_a_page_with_links_only_is_not_loaded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def linked(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Siehe dort")
        canvas.linkURL("https://example.org", (72, 690, 200, 712))

    monkeypatch.setattr(c, "FPDFPage_Flatten", lambda *_: pytest.fail("there is nothing to draw"))
    with opened(make(tmp_path / "a.pdf", linked)) as document, document.page(1) as page:
        assert "".join(chr(code) for code, _ in one_by_one(page)) == "Siehe dort"


@given(st.text())
def test_letters_are_those_of_the_alphabet(text: str) -> None:
    assert _letters(text) == sum(map(str.isalpha, text))


def test_a_page_counts_what_its_rows_say() -> None:
    assert PageRows(1, 0, 0, ()).letters == 0


@pytest.mark.parametrize(
    ("data", "places"),
    [
        (b"7 0 obj<<>>endobj", {7: 7}),
        (b"1 0 obj\nendobj\n12 0  obj\nendobj", {1: 7, 12: 24}),
        (b"3 0 obj endobj 3 1 obj endobj", {3: 22}),
        (b"3 0 object", {}),
        (b"obj", {}),
        (b"3 0 obj", {3: 7}),
    ],
)
def test_numbered_objects_are_found(data: bytes, places: dict[int, int]) -> None:
    assert pdf_streams._objects(data) == places
