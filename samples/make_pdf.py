"""The two PDF samples, set with ReportLab in Helvetica."""

# ruff: noqa: E501, PLR0917 (the text of the documents is long)

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, KeepTogether, PageTemplate, Paragraph, Spacer, Table, TableStyle

INK, SOFT, BLUE, PALE = HexColor("#1d2733"), HexColor("#5b6775"), HexColor("#12507b"), HexColor("#eef3f7")
MARGIN = 24 * mm
BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10.5, leading=15.2, textColor=INK, spaceAfter=6)
TITLE = ParagraphStyle("title", BODY, fontName="Helvetica-Bold", fontSize=22, leading=27, textColor=BLUE, spaceAfter=3)
LEAD = ParagraphStyle("lead", BODY, fontSize=11.5, leading=16, textColor=SOFT, spaceAfter=14)
HEAD = ParagraphStyle("head", BODY, fontName="Helvetica-Bold", fontSize=13, leading=17, spaceBefore=12, textColor=BLUE)
CELL = ParagraphStyle("cell", BODY, fontSize=9.8, leading=13, spaceAfter=0, alignment=TA_LEFT)
CELL_HEAD = ParagraphStyle("cell-head", CELL, fontName="Helvetica-Bold", textColor=BLUE)
BULLET = ParagraphStyle("bullet", BODY, leftIndent=12, bulletIndent=1, spaceAfter=3)


def travel_policy(path: Path) -> None:
    """English, three pages, with tables of hotel limits and per-diem rates."""
    story: list[Any] = [
        Paragraph("Travel and Expense Policy", TITLE),
        Paragraph("For all employees of Nordlicht Werkzeuge GmbH and its subsidiaries", LEAD),
        _facts(
            ("Document", "FIN-07, version 4.2"),
            ("In force from", "1 March 2026"),
            ("Owner", "Marta Lindqvist, Head of Finance"),
            ("Replaces", "version 4.1 of 15 June 2024"),
        ),
        *_section(
            "1  Purpose and scope",
            "This policy says how business trips are booked, what the company pays for and how expenses are claimed. It "
            "applies to every trip on company business that leads more than 20 kilometres away from the usual place of "
            "work. Commuting between home and work is never a business trip.",
            "We want people to travel safely and without worrying about money, and we want to spend no more than needed. "
            "Where this policy leaves a question open, act as if you were paying yourself, and ask Finance before the "
            "trip rather than after it.",
        ),
        *_section(
            "2  Approval and booking",
            "Trips within Europe are approved by the line manager. Trips outside Europe, and any trip that is expected to "
            "cost more than €2,500 in total, need the approval of a managing director as well. Approval is requested in "
            "the travel portal at least ten working days before departure.",
            "Flights, trains and hotels are booked through the travel portal only. Outside office hours the travel desk "
            "can be reached on +49 40 66969 118. Bookings made elsewhere are refunded only if the portal was not "
            "available and a screenshot shows it.",
        ),
        *_section(
            "3  Trains and flights",
            "The train is the first choice wherever the journey takes less than five hours. Second class is the standard; "
            "first class may be booked when the train ride takes more than three hours. A BahnCard 50 is paid for by the "
            "company from the sixth business trip in a calendar year.",
            "Flights are booked in economy class. Premium economy is allowed when a single flight takes more than seven "
            "hours; business class is not paid for. Domestic flights within Germany need a written reason. Miles "
            "collected on business trips may be kept.",
        ),
        *_section(
            "4  Cars",
            "A private car may be used when it saves at least one hour against public transport. The mileage rate is "
            "€0.38 per kilometre and covers fuel, wear and insurance. A further €0.02 per kilometre is paid for each "
            "colleague who rides along.",
            "Rental cars are booked in the compact class with full insurance and an excess of no more than €500. Electric "
            "cars are preferred where the route allows it. Fines are paid by the driver.",
        ),
        *_section(
            "5  Hotels",
            "Room rates include breakfast and taxes. The limits below are maximum prices for one night. If no suitable "
            "room can be found within the limit, the line manager may approve up to 20 percent more in the portal.",
        ),
        _table(
            ("City", "Limit per night", "Preferred hotel"),
            (
                ("Berlin", "€145", "Hotel Kronenhof"),
                ("Hamburg", "€150", "Haus am Fleet"),
                ("Munich", "€165", "Isarhotel"),
                ("Copenhagen", "€190", "Nyhavn Inn"),
                ("Gdynia", "€95", "Hotel Bursztyn"),
                ("Milan", "€170", "Albergo Navigli"),
                ("Zurich", "€210", "Limmat Garni"),
                ("All other places", "€130", "none"),
            ),
            (60, 45, 57),
        ),
        *_section(
            "6  Per-diem rates",
            "Meals and small expenses are covered by a per diem. The full rate is paid for each calendar day spent "
            "travelling for 24 hours. The reduced rate is paid for the day of departure, the day of return and for "
            "one-day trips of more than eight hours. Receipts for meals are not needed.",
            "When a meal is provided free of charge, the per diem is cut by 20 percent of the full rate for breakfast and "
            "by 40 percent each for lunch and dinner.",
        ),
        _table(
            ("Country", "Full day (24 h)", "Reduced rate (more than 8 h)"),
            (
                ("Germany", "€28", "€14"),
                ("Austria", "€50", "€33"),
                ("Denmark", "€75", "€50"),
                ("France", "€53", "€36"),
                ("Italy", "€42", "€28"),
                ("Netherlands", "€47", "€32"),
                ("Poland", "€34", "€23"),
                ("Spain", "€34", "€23"),
                ("Sweden", "€66", "€44"),
                ("Switzerland", "€64", "€43"),
                ("United Kingdom", "€52", "€35"),
                ("United States", "€59", "€40"),
            ),
            (60, 45, 57),
        ),
        *_section("7  Other expenses", "The company also pays for:"),
        *_bullets(
            "local public transport, and taxis after 22:00 or with more than 15 kilograms of luggage,",
            "internet access, up to €15 a day,",
            "laundry on trips of more than five nights, up to €40 a week,",
            "guests at meals, up to €60 a person, if their names and firms stand on the receipt.",
        ),
        Paragraph(
            "Minibar, pay television, upgrades and travel insurance bought privately are not paid for. Every "
            "employee is insured on business trips through the group policy GR-55120 of the Hansa Assekuranz.",
            BODY,
        ),
        *_section(
            "8  Claiming expenses",
            "Claims are entered in the travel portal within 30 days after the end of the trip. Receipts are needed for "
            "every single amount above €10; a photograph is enough. Amounts in other currencies are converted at the "
            "rate on the company card's statement, otherwise at the European Central Bank's rate of the last day of the trip.",
            "Finance pays approved claims with the next salary, provided they were approved by the 12th of the month. "
            "Claims handed in more than 90 days late are not paid.",
        ),
        *_section(
            "9  Advances and company cards",
            "Employees who travel more than six times a year receive a company card with a monthly limit of €3,000. Others "
            "may ask for an advance of up to 80 percent of the expected costs. A lost card is reported at once to the "
            "bank and to Finance.",
        ),
        *_section(
            "10  Safety",
            "Before trips to countries with a travel warning of the Foreign Office, the safety officer, Rune Petersen, "
            "must agree in writing. In an emergency abroad call +49 40 66969 112, day and night.",
        ),
    ]
    _build(path, story, "Travel and Expense Policy", "FIN-07 · Version 4.2 · 1 March 2026", "Page %d of %d", 3)


def fire_rules(path: Path) -> None:
    """German, two pages."""
    story: list[Any] = [
        Paragraph("Brandschutzordnung", TITLE),
        Paragraph("Teil B nach DIN 14096, Werk Hamburg, für alle Beschäftigten ohne besondere Aufgaben", LEAD),
        _facts(
            ("Dokument", "SIG-12, Ausgabe 3"),
            ("Gültig ab", "1. September 2026"),
            ("Verantwortlich", "Rune Petersen, Sicherheitsbeauftragter"),
            ("Nächste Prüfung", "August 2028"),
        ),
        *_section(
            "1  Brände verhüten",
            "Rauchen ist auf dem ganzen Werksgelände verboten, ausgenommen der überdachte Platz neben Tor 4. Arbeiten mit "
            "offener Flamme, Schweißen und Trennschleifen brauchen einen Heißarbeitsschein, den der Schichtleiter höchstens "
            "für acht Stunden ausstellt. Nach dem Ende der Arbeit wird die Stelle zwei Stunden lang bewacht.",
            "Lithium-Akkus der Drehmomentschlüssel werden nur im Laderaum K-03 geladen. Beschädigte Akkus kommen sofort in "
            "den gelben Sandbehälter im Freien und nie in den Restmüll.",
        ),
        *_section(
            "2  Brand- und Rauchausbreitung",
            "Brandschutztüren dürfen nicht verkeilt oder verstellt werden. Vor Feuerlöschern, Hydranten und Schaltschränken "
            "bleibt ein Abstand von mindestens 1,20 Metern frei.",
        ),
        *_section(
            "3  Flucht- und Rettungswege",
            "Der Sammelplatz ist der Parkplatz P2 an der Ostseite. Wer ihn erreicht, meldet sich bei seinem "
            "Brandschutzhelfer. Aufzüge dürfen im Brandfall nicht benutzt werden.",
        ),
        *_section(
            "4  Brand melden",
            "Jeder Brand wird sofort gemeldet, auch wenn er klein ist: zuerst über einen Druckknopfmelder, dann über die "
            "interne Notrufnummer 3-112. Genannt werden Ort, Art und Umfang des Brandes und ob Menschen in Gefahr sind.",
        ),
        *_section(
            "5  Brandschutzhelfer",
            "Für jeden Bereich sind Brandschutzhelfer bestellt. Sie haben die zweitägige Ausbildung abgeschlossen und "
            "wiederholen sie alle drei Jahre.",
        ),
        _table(
            ("Bereich", "Brandschutzhelfer", "Durchwahl"),
            (
                ("Halle 1, Fräserei", "Cem Aydin", "-421"),
                ("Halle 2, Montage", "Wiebke Thomsen", "-437"),
                ("Halle 3, Lager", "Dariusz Nowak", "-452"),
                ("Verwaltung", "Lena Harms", "-108"),
                ("Kantine", "Giulia Conti", "-166"),
            ),
            (60, 60, 42),
        ),
        *_section(
            "6  Löschversuche",
            "Nur wer sich dabei nicht gefährdet, löscht selbst. Metallspäne in der Fräserei werden ausschließlich mit dem "
            "Metallbrandpulver der Klasse D gelöscht, niemals mit Wasser. Jede Halle hat sechs Feuerlöscher; ein benutzter "
            "Löscher wird liegend vor dem Büro des Schichtleiters abgelegt und noch am selben Tag ersetzt.",
        ),
        *_section(
            "7  Räumung und Übungen",
            "Die Sirene ertönt als an- und abschwellender Ton von einer Minute Dauer. Geräumt wird unverzüglich; Maschinen "
            "werden über den Not-Halt ausgeschaltet. Räumungsübungen finden zweimal im Jahr statt, im April und im Oktober. "
            "Ziel ist, das Werk in höchstens sechs Minuten zu räumen; im April 2026 dauerte es 7 Minuten und 20 Sekunden.",
        ),
    ]
    _build(path, story, "Brandschutzordnung Teil B", "SIG-12 · Ausgabe 3 · 1. September 2026", "Seite %d von %d", 2)


def _section(title: str, *paragraphs: str) -> list[Any]:
    first, *rest = [Paragraph(text, BODY) for text in paragraphs]
    return [KeepTogether([Paragraph(title, HEAD), first]), *rest]


def _bullets(*texts: str) -> list[Any]:
    return [Paragraph(text, BULLET, bulletText="•") for text in texts] + [Spacer(1, 4)]


def _facts(*pairs: tuple[str, str]) -> Table:
    rows = [
        [Paragraph(name, ParagraphStyle("name", CELL, textColor=SOFT)), Paragraph(value, CELL)] for name, value in pairs
    ]
    table = Table(rows, colWidths=[38 * mm, 124 * mm], spaceAfter=8)
    table.setStyle(
        TableStyle(
            [
                ("LINEBELOW", (0, 0), (-1, -1), 0.4, HexColor("#cfd8e0")),
                ("LEFTPADDING", (0, 0), (-1, -1), 0),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ]
        )
    )
    return table


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int]) -> KeepTogether:
    cells = [[Paragraph(text, CELL_HEAD) for text in head], *([Paragraph(text, CELL) for text in row] for row in rows)]
    table = Table(cells, colWidths=[width * mm for width in widths], repeatRows=1, spaceBefore=4, spaceAfter=10)
    table.setStyle(
        TableStyle(
            [
                ("BACKGROUND", (0, 0), (-1, 0), PALE),
                ("LINEBELOW", (0, 0), (-1, 0), 0.8, BLUE),
                ("LINEBELOW", (0, 1), (-1, -1), 0.3, HexColor("#cfd8e0")),
                ("TOPPADDING", (0, 0), (-1, -1), 3.5),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 4.5),
            ]
        )
    )
    return KeepTogether(table)


def _build(path: Path, story: list[Any], title: str, mark: str, numbering: str, pages: int) -> None:
    document = BaseDocTemplate(str(path), pagesize=A4, title=title, author="Nordlicht Werkzeuge GmbH", invariant=1)
    frame = Frame(MARGIN, 24 * mm, A4[0] - 2 * MARGIN, A4[1] - 54 * mm, 0, 0, 0, 0)
    draw = partial(_margins, mark=mark, numbering=numbering, pages=pages)
    document.addPageTemplates([PageTemplate(frames=[frame], onPage=draw)])
    document.build(story)
    assert document.page == pages, f"{path.name} has {document.page} pages, its footer says {pages}"


def _margins(canvas: Canvas, document: BaseDocTemplate, mark: str, numbering: str, pages: int) -> None:
    canvas.setFillColor(BLUE)
    canvas.setFont("Helvetica-Bold", 9)
    canvas.drawString(MARGIN, A4[1] - 17 * mm, "Nordlicht Werkzeuge GmbH")
    canvas.setFillColor(SOFT)
    canvas.setFont("Helvetica", 8.5)
    canvas.drawRightString(A4[0] - MARGIN, A4[1] - 17 * mm, mark)
    canvas.setStrokeColor(HexColor("#cfd8e0"))
    canvas.setLineWidth(0.5)
    canvas.line(MARGIN, A4[1] - 20 * mm, A4[0] - MARGIN, A4[1] - 20 * mm)
    canvas.drawString(MARGIN, 13 * mm, "Nordlichtkai 7, 20457 Hamburg")
    canvas.drawRightString(A4[0] - MARGIN, 13 * mm, numbering % (document.page, pages))
