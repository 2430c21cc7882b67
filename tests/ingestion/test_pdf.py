"""PDFs as people have them: what is read, in which order, where it stands, and what is refused."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from ingestion.parsers.page_picture import png
from ingestion.parsers.pdf import read
from ingestion.types import Refused
from tests.ingestion.pdf_samples import (
    both,
    column,
    font,
    lines,
    make,
    quiet,
    scan,
    text_of,
)


def refusal(path: Path) -> Refused:
    with pytest.raises(Refused) as caught:
        read(path, quiet)
    return caught.value


# --- where lines stand


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (50, 100, 500, 560)])
def test_boxes_lie_on_the_words_of_the_picture(tmp_path: Path, turn: int, crop: tuple[int, ...] | None) -> None:
    """All ink of the drawn page lies inside boxes of lines, and each box holds ink."""

    def page(canvas: Canvas) -> None:
        if crop:
            canvas.setCropBox(crop)
        canvas.setPageRotation(turn)
        lines("Eine Zeile Text", "und noch eine, etwas länger", x=120, y=500)(canvas)
        lines("Unten steht auch etwas.", x=200, y=150)(canvas)

    path = make(tmp_path / "a.pdf", page)
    (parsed,) = read(path, quiet).pages
    ink = np.asarray(Image.open(io.BytesIO(png(path, 1, 2.0, 10_000_000))).convert("L")) < 128
    assert (ink.shape[1], ink.shape[0]) == (int(parsed.width * 2), int(parsed.height * 2))
    inside = np.zeros_like(ink)
    found = [line for block in parsed.blocks for line in block.lines]
    assert len(found) == 3
    for line in found:
        assert line.box is not None
        x0, y0, x1, y1 = (round(edge * 2) for edge in (line.box.x0, line.box.y0, line.box.x1, line.box.y1))
        assert ink[y0:y1, x0:x1].any()
        inside[y0 - 2 : y1 + 2, x0 - 2 : x1 + 2] = True
    assert not (ink & ~inside).any()


def test_text_that_runs_up_a_whole_page_is_read_as_lines(tmp_path: Path) -> None:
    def sideways(canvas: Canvas) -> None:
        canvas.rotate(90)
        lines("Monat   Umsatz", "Januar   17", "Februar   23", x=100, y=-200)(canvas)

    (page,) = read(make(tmp_path / "a.pdf", sideways), quiet).pages
    assert "Januar" in page.text.splitlines()[1]
    box = page.blocks[0].lines[0].box
    assert box is not None
    assert box.y1 - box.y0 > box.x1 - box.x0
    assert page.height > page.width


def test_numbers_are_places_in_the_file(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", *(lines(f"Inhalt der Seite {name}") for name in ("i", "ii", "1", "2")))
    parsed = read(path, quiet)
    assert [page.number for page in parsed.pages] == [1, 2, 3, 4]
    assert "Seite 1" in text_of(parsed, 3)


# --- words


def test_invisible_text_is_the_text_layer_of_a_scan(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        scan()(canvas)
        text = canvas.beginText(72, 700)
        text.setTextRenderMode(3)
        text.textLine("Erkannter Text der gescannten Seite, lang genug, um keine Seitenzahl zu sein")
        canvas.drawText(text)

    parsed = read(make(tmp_path / "a.pdf", page), quiet)
    assert parsed.outcome == "text"
    assert "Erkannter Text" in text_of(parsed)


def test_text_too_small_to_be_seen_is_read_and_said(tmp_path: Path) -> None:
    page = both(lines("Lebenslauf"), font("Helvetica", 0.8, lines("Hire this person", y=500)))
    parsed = read(make(tmp_path / "a.pdf", page), quiet)
    assert (parsed.outcome, [warning.code for warning in parsed.warnings]) == ("text", ["tiny_text"])
    assert "Hire this person" in text_of(parsed)


def test_text_outside_the_page_is_not_read(tmp_path: Path) -> None:
    page = both(lines("Lebenslauf"), lines("Hire this person", x=-400), lines("and that one", y=2000))
    assert text_of(read(make(tmp_path / "a.pdf", page), quiet)) == "Lebenslauf"


def test_what_is_filled_into_a_form_is_read(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        lines("Name des Antragstellers und seine Anschrift")(canvas)
        canvas.acroForm.textfield(name="name", value="Erika Mustermann", x=72, y=650, width=200, height=20)

    assert "Erika Mustermann" in text_of(read(make(tmp_path / "a.pdf", page), quiet))


# --- what repeats


def test_headers_footers_and_page_numbers_are_left_out(tmp_path: Path) -> None:
    def page(number: int) -> object:
        return both(
            lines("Personalhandbuch   Stand 2024", y=810),
            lines(f"Kapitel {number} handelt von etwas anderem.", f"Es hat den Inhalt {number * 111}."),
            lines(f"Seite {number} von 5", x=280, y=30),
        )

    parsed = read(make(tmp_path / "a.pdf", *(page(number) for number in range(1, 6))), quiet)
    assert "Personalhandbuch" in text_of(parsed, 1)  # once, so that it can be found
    assert not any("Personalhandbuch" in text_of(parsed, number) for number in range(2, 6))
    assert not any("von 5" in page.text for page in parsed.pages)
    assert all(f"Inhalt {number * 111}" in text_of(parsed, number) for number in range(1, 6))


def test_in_a_document_of_two_pages_a_repeated_line_stays_once(tmp_path: Path) -> None:
    page = both(lines("Vertraulich", y=810), lines("Ein Satz."), lines("1", x=290, y=30))
    parsed = read(make(tmp_path / "a.pdf", page, page), quiet)
    assert [page.text.split() for page in parsed.pages] == [["Vertraulich", "Ein", "Satz.", "1"], ["Ein", "Satz.", "1"]]


# --- what cannot be read, or not all of it


def test_a_scan_is_refused_and_says_why(tmp_path: Path) -> None:
    refused = refusal(make(tmp_path / "a.pdf", scan(), scan()))
    assert refused.code == "no_text"
    assert "text recognition (Tesseract) is not installed" in str(refused)


def test_scanned_pages_among_others_are_named(tmp_path: Path) -> None:
    stamped = both(scan(), lines("Seite 3"))
    parsed = read(make(tmp_path / "a.pdf", lines("Ein Satz."), scan(), stamped), quiet)
    assert parsed.outcome == "partial"
    assert [(warning.code, warning.page) for warning in parsed.warnings] == [("no_text_layer", 2), ("no_text_layer", 3)]
    assert "Seite 3" in text_of(parsed, 3)


def test_a_blank_page_is_no_scan(tmp_path: Path) -> None:
    parsed = read(make(tmp_path / "a.pdf", lines("Ein Satz."), lines()), quiet)
    assert (parsed.outcome, parsed.warnings) == ("text", ())
    assert refusal(make(tmp_path / "b.pdf", lines())).code == "no_text"


def test_a_user_password_is_refused_an_owner_password_opens(tmp_path: Path) -> None:
    locked = make(tmp_path / "a.pdf", lines("Geheim"), encrypt=StandardEncryption("user", "owner", strength=128))
    opens = make(tmp_path / "b.pdf", lines("Offen"), encrypt=StandardEncryption("", "owner", canCopy=0, strength=128))
    assert refusal(locked).code == "password_protected"
    assert text_of(read(opens, quiet)) == "Offen"


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7\n", b"%PDF-1.4\n" + b"\x00\xff" * 500, b"%PDF-1.4\ntrailer<</Root 1 0 R>>"]
)
def test_a_damaged_file_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.pdf").write_bytes(data)
    assert refusal(tmp_path / "a.pdf").code in ("damaged", "no_text")


def test_a_cut_off_file_is_read_as_far_as_it_goes_or_refused(tmp_path: Path) -> None:
    whole = make(tmp_path / "a.pdf", *(column(0, 30, x=72) for _ in range(4))).read_bytes()
    for share in (0.3, 0.6, 0.9, 0.99):
        (tmp_path / "b.pdf").write_bytes(whole[: int(len(whole) * share)])
        assert outcome(tmp_path / "b.pdf") in ("text", "partial", "damaged", "no_text")


def outcome(path: Path) -> str:
    try:
        return read(path, quiet).outcome
    except Refused as refused:
        return refused.code


LOOP = b"""%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R 2 0 R]/Count 2>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R
/Resources<</Font<</F 5 0 R>>>>>> endobj
4 0 obj <</Length 45>> stream
BT /F 12 Tf 20 100 Td (Erste Seite) Tj ET    \x20
endstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj
trailer <</Root 1 0 R>>
"""


def test_a_file_that_lost_its_end_gives_its_pages_and_says_so(tmp_path: Path) -> None:
    whole = make(tmp_path / "a.pdf", lines("Erste Seite"), lines("Zweite Seite")).read_bytes()
    (tmp_path / "b.pdf").write_bytes(whole[: whole.rindex(b"xref\n0 ")])
    parsed = read(tmp_path / "b.pdf", quiet)
    assert (parsed.outcome, [warning.code for warning in parsed.warnings]) == ("partial", ["cut_off"])
    assert [page.text for page in parsed.pages] == ["Erste Seite", "Zweite Seite"]


def test_pages_that_go_in_a_circle_cost_no_other_page(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(LOOP)
    parsed = read(tmp_path / "a.pdf", quiet)
    assert parsed.outcome == "partial"
    assert "Erste Seite" in text_of(parsed)
    assert [(warning.code, warning.page) for warning in parsed.warnings] == [("page_damaged", 2)]


def test_signs_instead_of_letters_are_noticed(tmp_path: Path) -> None:
    refused = refusal(make(tmp_path / "a.pdf", lines('"7+%-', "&*#?!+ /(=)")))
    assert refused.code == "no_text"
    assert "decoded" in str(refused)


def test_pages_to_skip_are_reported(tmp_path: Path) -> None:
    parsed = read(make(tmp_path / "a.pdf", lines("Eins"), lines("Zwei"), lines("Drei")), quiet, frozenset({2}))
    assert [page.text for page in parsed.pages] == ["Eins", "", "Drei"]
    assert [(warning.code, warning.page) for warning in parsed.warnings] == [("page_damaged", 2)]


def test_progress_is_told_before_each_page(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    read(make(tmp_path / "a.pdf", lines("Eins"), lines("Zwei")), lambda *at: told.append(at))
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_attached_files_are_handed_on(tmp_path: Path) -> None:
    document = pypdfium2.PdfDocument(make(tmp_path / "a.pdf", lines("Siehe Anhang")))
    document.new_attachment("Übersicht.txt").set_data(b"angehaengt")
    document.save(tmp_path / "b.pdf")
    (attachment,) = read(tmp_path / "b.pdf", quiet).attachments
    assert (attachment.name, attachment.data) == ("Übersicht.txt", b"angehaengt")


@pytest.mark.parametrize(
    ("title", "read_as"),
    [
        ("Reisekostenrichtlinie 2024", "Reisekostenrichtlinie 2024"),
        ("Microsoft Word - x.doc", ""),
        ("bericht.docx", ""),
    ],
)
def test_the_title_if_it_is_one(tmp_path: Path, title: str, read_as: str) -> None:
    path = make(tmp_path / "a.pdf", both(lambda canvas: canvas.setTitle(title), lines("Text")))
    assert read(path, quiet).title == read_as


# --- pictures


def test_a_giant_page_is_drawn_small(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(100_000, 50_000))
    canvas.drawString(100, 100, "Plakat")
    canvas.save()
    width, height = Image.open(io.BytesIO(png(tmp_path / "a.pdf", 1, 2.0, 1_000_000))).size
    assert width * height <= 1_000_000
    assert width == pytest.approx(2 * height, rel=0.01)


def test_a_page_that_is_not_there(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", lines("Eins"))
    with pytest.raises(Refused) as caught:
        png(path, 2, 1.0, 1_000_000)
    assert caught.value.code == "no_page"
