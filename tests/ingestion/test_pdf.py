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
from ingestion.types import Block, Parsed, Refused
from tests.ingestion.pdf_samples import Draw, both, column, font, lines, make, scan, unicode_font


def quiet(done: int, total: int) -> None:
    pass


def text_of(parsed: Parsed, page: int = 1) -> str:
    return parsed.pages[page - 1].text


def blocks(path: Path, page: int = 1) -> list[Block]:
    return list(read(path, quiet).pages[page - 1].blocks)


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


# --- order


def test_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    page = both(
        font("Helvetica-Bold", 18, lines("Ein Titel über beide Spalten", y=780)),
        column(0, 20, x=60),
        column(7, 20, x=320),
        lines(
            "Ein Schluss unter beiden Spalten, der über die ganze Breite der Seite reicht, von links nach rechts",
            x=60,
            y=400,
        ),
    )
    texts = text_of(read(make(tmp_path / "a.pdf", page), quiet)).splitlines()
    assert texts[0].startswith("Ein Titel")
    assert texts[-1].startswith("Ein Schluss")
    assert not any("\t" in text for text in texts)
    starts = [text.split()[0] for text in texts if text]
    assert starts[1] == "Die"
    assert starts[21] == "zur"


def test_three_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    page = both(*(column(7 * at, 20, x=50 + 180 * at, width=24) for at in range(3)))
    texts = text_of(read(make(tmp_path / "a.pdf", font("Helvetica", 9, page)), quiet)).splitlines()
    assert not any("\t" in text for text in texts)
    assert [text.split()[0] for text in texts if text][::20] == ["Die", "zur", "braucht"]


def test_a_letter_as_tall_as_two_lines_begins_the_first(tmp_path: Path) -> None:
    rest = lines("m Anfang war die Firma klein und sass in einem", "Keller, dann zog sie in das Haus am Hafen.", x=96)
    page = both(font("Helvetica", 33, lines("A", y=706)), rest, lines("Das war der Anfang.", y=692))
    assert text_of(read(make(tmp_path / "a.pdf", page), quiet)).splitlines() == [
        "Am Anfang war die Firma klein und sass in einem",
        "Keller, dann zog sie in das Haus am Hafen.",
        "Das war der Anfang.",
    ]


def cells(*rows: tuple[tuple[str, ...], float]) -> Draw:
    """Lines of three cells, each at its height."""
    return both(
        *(lines(text, x=x, y=y) for row, y in rows for x, text in zip((60, 110, 380), row, strict=True) if text)
    )


def test_cells_that_run_over_lines_are_one_row(tmp_path: Path) -> None:
    page = cells(
        (("Nr.", "Was zu tun ist", "Wer es tut"), 720),
        (("1", "Die Mitarbeiter stellen den Antrag und", "Einkauf und"), 696),
        (("", "legen alle Belege bei, die", "Lager"), 683),
        (("", "Rechnungen zuerst", ""), 670),
        (("2", "Die Leitung prüft ihn binnen zehn", "Leitung"), 646),
        (("", "Tagen.", ""), 633),
    )
    (block,) = blocks(make(tmp_path / "a.pdf", page))
    assert [line.text for line in block.lines][1:] == [
        "1\tDie Mitarbeiter stellen den Antrag und legen alle Belege bei, die Rechnungen zuerst\tEinkauf und Lager",
        "2\tDie Leitung prüft ihn binnen zehn Tagen.\tLeitung",
    ]


def test_rows_in_groups_stay_rows(tmp_path: Path) -> None:
    page = cells(
        (("", "Aktiva", "2025"), 720),
        (("1", "Sachanlagen und andere", "120"), 696),
        (("2", "Finanzanlagen der", "130"), 683),
        (("3", "Vorräte", "140"), 670),
        (("", "Summe", "390"), 646),
        (("", "Vorjahr", "380"), 633),
    )
    (block,) = blocks(make(tmp_path / "a.pdf", page))
    assert len(block.lines) == 6


def test_exponents_are_no_figures_of_the_number(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        text = canvas.beginText(72, 700)
        for size, rise, piece in ((11, 0, "10"), (7, 4, "6"), (11, 0, " Teile je m"), (7, 4, "2"), (11, 0, " und H")):
            text.setFont("Helvetica", size)
            text.setRise(rise)
            text.textOut(piece)
        text.setFont("Helvetica", 7)
        text.setRise(-2)
        text.textOut("2")
        canvas.drawText(text)

    assert text_of(read(make(tmp_path / "a.pdf", page), quiet)) == "10⁶ Teile je m² und H2"


def test_letters_set_apart_are_words(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "JAHRESBERICHT DER FIRMA", charSpace=4)
        canvas.drawString(72, 650, "Note 1 2 3 4 5 6")

    texts = text_of(read(make(tmp_path / "a.pdf", page), quiet)).splitlines()
    assert [text for text in texts if text] == ["JAHRESBERICHT DER FIRMA", "Note 1 2 3 4 5 6"]


def test_text_turned_by_a_quarter_stays_out_of_the_lines_it_stands_next_to(tmp_path: Path) -> None:
    def note(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.translate(400, 640)
        canvas.rotate(90)
        canvas.drawString(0, 0, "ENTWURF 4711")
        canvas.restoreState()

    rows = [f"Zeile {at} mit einigen Worten des Textes" for at in range(9)]
    parsed = read(make(tmp_path / "a.pdf", both(lines(*rows), note)), quiet)
    assert text_of(parsed).splitlines() == [*rows, "", "ENTWURF 4711"]


def test_a_table_of_names_is_no_columns_of_text(tmp_path: Path) -> None:
    names = lines(*(f"Maschinenbau Bergmann Werk {at} GmbH" for at in range(9)), x=50)
    streets = lines(*(f"Obere Industriestrasse {at}" for at in range(9)), x=280)
    towns = lines(*(f"{70100 + at} Stuttgart Vaihingen" for at in range(9)), x=435)
    (block,) = blocks(make(tmp_path / "a.pdf", both(names, streets, towns)))
    assert block.kind == "table"
    assert (
        block.lines[3].text == "Maschinenbau Bergmann Werk 3 GmbH\tObere Industriestrasse 3\t70103 Stuttgart Vaihingen"
    )


def test_a_table_keeps_its_rows_and_empty_cells(tmp_path: Path) -> None:
    rows = [
        ("Land", "Einwohner", "Hauptstadt", "Fläche"),
        ("Dänemark", "5,9", "Kopenhagen", "42.952"),
        ("Finnland", "", "Helsinki", "338.145"),
        ("Irland", "5,3", "", "70.273"),
        ("Malta", "0,5", "Valletta", ""),
        ("", "1,0", "Nikosia", "9.251"),
    ]

    def page(canvas: Canvas) -> None:
        for at, row in enumerate(rows):
            for x, cell in zip((72, 200, 300, 450), row, strict=True):
                canvas.drawString(x, 700 - at * 16, cell)

    (block,) = blocks(make(tmp_path / "a.pdf", page))
    assert block.kind == "table"
    assert block.header == "Land\tEinwohner\tHauptstadt\tFläche"
    assert [line.text for line in block.lines[1:]] == [
        "Dänemark\t5,9\tKopenhagen\t42.952",
        "Finnland\t\tHelsinki\t338.145",
        "Irland\t5,3\t\t70.273",
        "Malta\t0,5\tValletta",
        "\t1,0\tNikosia\t9.251",
    ]


def test_a_currency_sign_in_a_column_of_its_own_goes_with_its_figure(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        for at, (name, first, second) in enumerate([("Umsatz", "1,250", "1,100"), ("Kosten", "900", "870")]):
            for x, cell in zip((72, 250, 290, 390, 430), (name, "$", first, "$", second), strict=True):
                canvas.drawString(x, 700 - at * 16, cell)

    (block,) = blocks(make(tmp_path / "a.pdf", page))
    assert [line.text for line in block.lines] == ["Umsatz\t$1,250\t$1,100", "Kosten\t$900\t$870"]


def test_headings_lists_and_paragraphs(tmp_path: Path) -> None:
    page = both(
        font("Helvetica-Bold", 20, lines("Reisekosten", y=780)),
        font("Helvetica-Bold", 11, lines("1. Antrag", y=750)),
        lines("Der Antrag ist vor der Reise zu stellen. Er nennt", "Ziel und Dauer der Reise.", y=734),
        lines("• Bahn zweiter Klasse", "• Flug nur über sechs Stunden", y=690),
    )
    found = [(block.kind, block.level, block.text) for block in blocks(make(tmp_path / "a.pdf", page))]
    assert found == [
        ("heading", 1, "Reisekosten"),
        ("heading", 2, "1. Antrag"),
        ("paragraph", 0, "Der Antrag ist vor der Reise zu stellen. Er nennt\nZiel und Dauer der Reise."),
        ("list", 0, "• Bahn zweiter Klasse"),
        ("list", 0, "• Flug nur über sechs Stunden"),
    ]


def test_a_watermark_and_a_note_in_the_margin_stay_out_of_the_lines(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        column(0, 20, x=100, width=60)(canvas)
        canvas.saveState()
        canvas.translate(150, 400)
        canvas.rotate(45)
        font("Helvetica-Bold", 60, lines("ENTWURF", x=0, y=0))(canvas)
        canvas.restoreState()
        canvas.rotate(90)
        canvas.drawString(300, -40, "Formular 4711")

    found = blocks(make(tmp_path / "a.pdf", page))
    assert {block.text for block in found[-2:]} == {"ENTWURF", "Formular 4711"}
    assert not any(block.kind == "heading" for block in found)


# --- words


def test_words_divided_at_line_ends_are_whole(tmp_path: Path) -> None:
    page = lines(
        "Wer die Mitarbeiterzeit-",
        "schrift liest, weiß über Ein-",
        "und Ausgang Bescheid. Die E-Mail-",
        "Adresse steht im mixed-mode Teil, der mixed-",
        "mode heißt. Seite 10-",
        "12 folgt.",
    )
    text = text_of(read(make(tmp_path / "a.pdf", page), quiet)).replace("\n", " ")
    assert "Mitarbeiterzeitschrift liest" in text
    assert "Ein- und Ausgang" in text
    assert "E-Mail-Adresse" in text
    assert "der mixed-mode heißt" in text
    assert "10-12" in text


def test_a_document_that_divides_no_words_keeps_its_hyphens(tmp_path: Path) -> None:
    filler = column(0, 45, x=72, width=60)
    path = make(tmp_path / "a.pdf", lines("Our systems are cutting-", "edge in every way."), filler, filler)
    assert "cutting-edge" in text_of(read(path, quiet))


def test_ligatures_and_soft_hyphens_are_plain_letters(tmp_path: Path) -> None:
    page = font(unicode_font(), 12, lines("Der Gewinn \ufb02ießt \ufb01nanziell in den Zu\u00adschuss."))
    text = text_of(read(make(tmp_path / "a.pdf", page), quiet))
    assert text == "Der Gewinn fließt finanziell in den Zuschuss."


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
