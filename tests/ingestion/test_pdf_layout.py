"""What stands on a page of a PDF, in the order in which people read it: columns, tables, headings, divided words."""

from __future__ import annotations

from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from ingestion.parsers.pdf import read
from tests.ingestion.pdf_samples import (
    Draw,
    blocks,
    both,
    column,
    font,
    lines,
    make,
    quiet,
    text_of,
    unicode_font,
)


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
