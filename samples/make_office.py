"""The Word, Excel and PowerPoint samples."""

# ruff: noqa: E501, PLR0917 (the text of the documents is long)

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import docx
import xlsxwriter
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor as SlideColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm as SlideCm
from pptx.util import Pt as SlidePt

MADE = datetime(2026, 9, 1, tzinfo=UTC)
LEAVE = (
    ("Anlass", "Freie Tage"),
    ("Eigene Eheschließung oder Verpartnerung", "2"),
    ("Geburt eines eigenen Kindes", "2"),
    ("Umzug des eigenen Haushalts", "1"),
    ("Tod eines Elternteils, Kindes oder des Partners", "3"),
    ("25-jähriges Dienstjubiläum", "1"),
    ("Ehrenamtlicher Einsatz bei Feuerwehr oder THW", "bis zu 5 im Jahr"),
)


def handbook(path: Path) -> None:
    """German: headings in Word's own styles, a list, a table, header and footer."""
    document = docx.Document()
    _styles(document)
    _margins(document)
    add = document.add_paragraph
    document.add_heading("Mitarbeiterhandbuch: Urlaub und Homeoffice", level=0)
    add(
        "Kapitel 3 und 4 des Handbuchs der Nordlicht Werkzeuge GmbH, Fassung vom 2. Februar 2026. Fragen beantwortet die "
        "Personalabteilung, Katrin Ehlers, Durchwahl -131."
    )
    document.add_heading("3 Urlaub", level=1)
    document.add_heading("3.1 Anspruch", level=2)
    add(
        "Vollzeitbeschäftigte haben 30 Arbeitstage Urlaub im Kalenderjahr. Ab dem zehnten Jahr der Betriebszugehörigkeit "
        "kommen zwei Tage hinzu. Wer im Lauf des Jahres eintritt oder ausscheidet, erhält für jeden vollen Monat ein "
        "Zwölftel."
    )
    document.add_heading("3.2 Antrag und Genehmigung", level=2)
    add(
        "Urlaub wird im Zeitportal beantragt, und zwar mindestens 14 Tage vor dem ersten Urlaubstag; mehr als zehn "
        "zusammenhängende Tage mindestens acht Wochen vorher. Der Vorgesetzte entscheidet innerhalb von fünf Arbeitstagen. "
        "Hört man bis dahin nichts, gilt der Antrag als genehmigt."
    )
    document.add_heading("3.3 Übertragung", level=2)
    add(
        "Nicht genommener Urlaub wird auf Antrag in das nächste Jahr übertragen und verfällt am 31. März. Konnte er wegen "
        "Krankheit nicht genommen werden, verfällt er erst 15 Monate nach dem Ende des Urlaubsjahres."
    )
    document.add_heading("3.4 Betriebsruhe", level=2)
    add(
        "Zwischen Weihnachten und Neujahr ist das Werk geschlossen. Dafür werden drei Urlaubstage angerechnet; 2026 ruht der "
        "Betrieb vom 24. Dezember bis zum 1. Januar 2027."
    )
    document.add_heading("3.5 Sonderurlaub", level=2)
    add("Bei folgenden Anlässen wird bezahlte Freistellung gewährt, ohne dass sie auf den Urlaub angerechnet wird:")
    _leave_table(document)
    document.add_heading("4 Homeoffice", level=1)
    document.add_heading("4.1 Umfang", level=2)
    add(
        "Wer keine Maschine bedient und die Probezeit bestanden hat, darf bis zu acht Tage im Monat von zu Hause arbeiten, "
        "höchstens drei davon in einer Woche. Die Tage werden bis Donnerstag der Vorwoche im Zeitportal eingetragen."
    )
    document.add_heading("4.2 Erreichbarkeit", level=2)
    add("Die Kernzeit liegt zwischen 9:30 und 15:00 Uhr. In dieser Zeit ist man telefonisch und im Chat erreichbar.")
    document.add_heading("4.3 Ausstattung", level=2)
    add("Das Unternehmen stellt:")
    for item in (
        "ein Notebook mit Dockingstation,",
        "einen Bildschirm mit 27 Zoll,",
        "ein Headset und auf Wunsch einen höhenverstellbaren Tischaufsatz.",
    ):
        add(item, style="List Bullet")
    add(
        "Für einen Bürostuhl gibt es einmalig einen Zuschuss von 250 Euro gegen Vorlage der Rechnung. Kosten für Strom und "
        "Internet werden mit 20 Euro im Monat abgegolten."
    )
    document.add_heading("4.4 Arbeiten im Ausland", level=2)
    add(
        "Mobiles Arbeiten in anderen EU-Ländern ist an höchstens 20 Arbeitstagen im Kalenderjahr möglich und mindestens vier "
        "Wochen vorher mit der Personalabteilung abzustimmen. Außerhalb der EU ist es nicht gestattet."
    )
    document.add_heading("4.5 Fahrten zwischen Homeoffice und Kunden", level=2)
    add(
        "Solche Fahrten gelten als Dienstreise. Für den privaten Pkw zahlt das Unternehmen eine Kilometerpauschale von "
        "0,38 Euro. Alles Weitere regelt die Reiserichtlinie FIN-07."
    )
    document.save(str(path))


def price_list(path: Path) -> None:
    """German: 108 part numbers, a formula column with its computed values, a merged header, a second sheet."""
    with xlsxwriter.Workbook(str(path)) as book:
        book.set_properties({"title": "Preisliste 2026", "company": "Nordlicht Werkzeuge GmbH", "created": MADE})
        head = book.add_format(
            {"bold": True, "font_color": "#12507b", "bg_color": "#eef3f7", "bottom": 1, "text_wrap": True}
        )
        centre = book.add_format({"bold": True, "font_color": "#12507b", "bg_color": "#eef3f7", "align": "center"})
        title = book.add_format({"bold": True, "font_size": 16, "font_color": "#12507b"})
        euro = book.add_format({"num_format": '#,##0.00 "€"'})
        day = book.add_format({"num_format": "dd.mm.yyyy"})
        percent = book.add_format({"num_format": "0.0%"})
        _prices(book.add_worksheet("Druckregler PPR"), title, head, centre, euro, day)
        _discounts(book.add_worksheet("Rabatte"), title, head, percent, euro)


def board_update(path: Path) -> None:
    """English: six slides with a table, a chart and speaker notes."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = SlideCm(33.867), SlideCm(19.05)
    deck.core_properties.title = "Board update, third quarter 2026"
    deck.core_properties.created = deck.core_properties.modified = MADE.replace(tzinfo=None)
    _cover(deck)
    _bullets(
        deck,
        "Third quarter at a glance",
        (
            "Revenue €14.2 million, 6.8 percent above the third quarter of 2025",
            "Order intake €15.9 million; book-to-bill ratio 1.12",
            "EBIT margin 9.4 percent, held down by the price of tool steel",
            "212 employees on 30 September, nine more than in June",
        ),
        "The currency effect is minus 0.3 million euros, mainly from the Swedish krona. Do not go into detail on the slide.",
    )
    _segments(deck)
    _chart(deck)
    _bullets(
        deck,
        "Second plant in Gdynia",
        (
            "Start of production planned for 3 May 2027",
            "Capital expenditure €8.6 million, of which €2.1 million spent by September",
            "62 jobs in the first stage, plant manager: Zofia Kaczmarek",
            "Open point: the grid connection is promised for February 2027 only",
        ),
        "If the grid connection slips, diesel generators cost about 41,000 euros a month.",
    )
    _bullets(
        deck,
        "Decisions asked of the board",
        (
            "Release of the second instalment of €3.4 million for Gdynia",
            "Closing of the sales office in Lyon on 31 January 2027",
            "Extension of the contract of managing director Ingrid Sommerfeld until 2031",
        ),
        "The works council was informed about Lyon on 22 September; the customers are handed over to Strasbourg.",
    )
    deck.save(str(path))


def _styles(document: Any) -> None:
    document.core_properties.title = "Mitarbeiterhandbuch: Urlaub und Homeoffice"
    document.core_properties.author = "Personalabteilung"
    document.core_properties.created = document.core_properties.modified = MADE.replace(tzinfo=None)
    normal = document.styles["Normal"]
    normal.font.name, normal.font.size = "Calibri", Pt(11)
    normal.paragraph_format.space_after, normal.paragraph_format.line_spacing = Pt(6), 1.15
    for name, size in (("Title", 24), ("Heading 1", 16), ("Heading 2", 12.5)):
        style = document.styles[name]
        style.font.name, style.font.size, style.font.color.rgb = "Calibri", Pt(size), RGBColor(0x12, 0x50, 0x7B)
        style.element.rPr.rFonts.set(qn("w:asciiTheme"), "minorHAnsi")


def _margins(document: Any) -> None:
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2.5)
    section.header.paragraphs[0].text = "Nordlicht Werkzeuge GmbH · Mitarbeiterhandbuch · PER-01"
    section.footer.paragraphs[0].text = "Nur für den internen Gebrauch"
    section.footer.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.CENTER


def _leave_table(document: Any) -> None:
    table = document.add_table(rows=0, cols=2, style="Light Grid Accent 1")
    for occasion, days in LEAVE:
        cells = table.add_row().cells
        cells[0].text, cells[1].text = occasion, days
        cells[0].width, cells[1].width = Cm(11), Cm(5)


def _prices(sheet: Any, title: Any, head: Any, centre: Any, euro: Any, day: Any) -> None:
    sheet.write(0, 0, "Preisliste 2026: Präzisions-Druckregler der Baureihe PPR", title)
    sheet.write(1, 0, "Nettopreise in Euro ab Werk Hamburg; ersetzt die Liste vom 1. Juli 2025")
    sheet.merge_range(3, 4, 3, 5, "Preis je Stück", centre)
    for column, name in enumerate(
        (
            "Artikelnummer",
            "Bezeichnung",
            "Anschluss",
            "Bereich",
            "netto",
            "mit 19 % MwSt.",
            "Mindestmenge",
            "Lieferzeit (Tage)",
            "gültig ab",
        )
    ):
        sheet.write(4, column, name, head)
    for at, (number, name, thread, span, price, least, days) in enumerate(_parts(), start=5):
        sheet.write_row(at, 0, (f"PPR-{number}", name, thread, span))
        sheet.write_number(at, 4, price, euro)
        sheet.write_formula(at, 5, f"=ROUND(E{at + 1}*1.19,2)", euro, round(price * 1.19 + 1e-9, 2))
        sheet.write_row(at, 6, (least, days))
        sheet.write_datetime(at, 8, date(2026, 1, 1) if number % 9 else date(2026, 4, 1), day)
    sheet.set_column("A:A", 15)
    sheet.set_column("B:B", 42)
    sheet.set_column("C:I", 14)
    sheet.freeze_panes(5, 1)


def _parts() -> list[tuple[int, str, str, str, float, int, int]]:
    """Part numbers 9001 to 9108, a price that grows with thread and range, and the one people ask for."""
    parts = []
    for at in range(108):
        number, thread, span = (
            9001 + at,
            ("G1/8", "G1/4", "G3/8", "G1/2")[at % 4],
            ("0-4", "0-8", "0-10", "0-16")[at // 4 % 4],
        )
        kind = ("ohne Manometer", "mit Manometer", "mit Manometer, abschließbar")[at // 36]
        price = round(61.4 + at % 4 * 11.35 + at // 4 % 4 * 7.8 + at // 36 * 24.9 + at * 0.17, 2)
        parts.append(
            (number, f"Druckregler {kind}", thread, f"{span} bar", price, (10, 5, 5, 1)[at % 4], 3 + at * 7 % 12)
        )
    parts[86] = (9087, "Druckregler Edelstahl 1.4404, mit Manometer", "G1/4", "0-10 bar", 214.75, 2, 18)
    return parts


def _discounts(sheet: Any, title: Any, head: Any, percent: Any, euro: Any) -> None:
    sheet.write(0, 0, "Mengenrabatte auf die Nettopreise, gültig für 2026", title)
    for column, name in enumerate(("Kundengruppe", "Auftragswert ab", "Rabatt", "Skonto bei Zahlung in 10 Tagen")):
        sheet.write(2, column, name, head)
    rows = (
        ("Fachhandel", 500, 0.05, 0.02),
        ("Fachhandel", 2500, 0.085, 0.02),
        ("Fachhandel", 10000, 0.12, 0.02),
        ("Industrie", 2500, 0.04, 0.02),
        ("Industrie", 10000, 0.075, 0.025),
        ("Behörden und Schulen", 250, 0.03, 0),
    )
    for at, (group, value, discount, cash) in enumerate(rows, start=3):
        sheet.write(at, 0, group)
        sheet.write_number(at, 1, value, euro)
        sheet.write_number(at, 2, discount, percent)
        sheet.write_number(at, 3, cash, percent)
    sheet.set_column("A:D", 26)


def _cover(deck: Any) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[0])
    slide.shapes.title.text = "Board update, third quarter 2026"
    slide.placeholders[1].text = "Nordlicht Werkzeuge GmbH, Hamburg\nIngrid Sommerfeld, 14 October 2026"
    _placed(slide.shapes.title, 2.5, 6, 28.8, 3)
    _placed(slide.placeholders[1], 2.5, 9.4, 28.8, 3)


def _bullets(deck: Any, title: str, items: tuple[str, ...], notes: str) -> None:
    slide = _titled(deck, title, 1)
    body = slide.placeholders[1]
    _placed(body, 2.5, 4.6, 28.8, 11)
    body.text = "\n".join(items)
    for paragraph in body.text_frame.paragraphs:
        paragraph.font.size, paragraph.space_after = SlidePt(24), SlidePt(12)
    slide.notes_slide.notes_text_frame.text = notes


def _segments(deck: Any) -> None:
    slide = _titled(deck, "Revenue by segment", 5)
    rows = (
        ("Segment", "Q3 2025, € million", "Q3 2026, € million", "Change"),
        ("Torque tools", "5.1", "5.9", "+15.7 %"),
        ("Pressure regulators", "4.4", "4.7", "+6.8 %"),
        ("Clamping", "2.6", "2.3", "-11.5 %"),
        ("Service and calibration", "1.2", "1.3", "+8.3 %"),
        ("Total", "13.3", "14.2", "+6.8 %"),
    )
    table = slide.shapes.add_table(len(rows), 4, SlideCm(2.5), SlideCm(4.6), SlideCm(28.8), SlideCm(9)).table
    for at, row in enumerate(rows):
        for column, text in enumerate(row):
            table.cell(at, column).text = text
    slide.notes_slide.notes_text_frame.text = (
        "Clamping: the customer Brenner Automotive cancelled a call-off of 380,000 euros."
    )


def _chart(deck: Any) -> None:
    slide = _titled(deck, "Order intake", 5)
    data = CategoryChartData()
    data.categories = ["Q4 2025", "Q1 2026", "Q2 2026", "Q3 2026"]
    data.add_series("Order intake, € million", (13.7, 14.4, 14.8, 15.9))
    place = (SlideCm(2.5), SlideCm(4.4), SlideCm(28.8), SlideCm(12.5))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data)
    slide.notes_slide.notes_text_frame.text = (
        "Orders from Scandinavia grew most, by 22 percent against the second quarter."
    )


def _titled(deck: Any, title: str, layout: int) -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    slide.shapes.title.text = title
    _placed(slide.shapes.title, 2.5, 1.2, 28.8, 2.6)
    run = slide.shapes.title.text_frame.paragraphs[0]
    run.font.size, run.font.bold, run.font.color.rgb = SlidePt(36), True, SlideColor(0x12, 0x50, 0x7B)
    return slide


def _placed(shape: Any, left: float, top: float, width: float, height: float) -> None:
    shape.left, shape.top, shape.width, shape.height = SlideCm(left), SlideCm(top), SlideCm(width), SlideCm(height)
