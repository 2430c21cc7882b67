"""Headings by a PDF's bookmarks."""

from __future__ import annotations

from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from ingestion.parsers.pdf import read
from tests.ingestion.pdf_samples import Draw, both, font, lines, make, raw, stream


def marked(draw: Draw, *titles: tuple[str, int]) -> Draw:
    def page(canvas: Canvas) -> None:
        draw(canvas)
        for title, level in titles:
            canvas.bookmarkPage(title)
            canvas.addOutlineEntry(title, title, level)

    return page


def headings(path: Path) -> list[tuple[int, str]]:
    pages = read(path, lambda done, total: None).pages
    return [(block.level, block.text) for page in pages for block in page.blocks if block.kind == "heading"]


def test_what_bookmarks_name_is_a_heading_however_it_is_printed(tmp_path: Path) -> None:
    text = lines("1 Allgemeines", "1.1 Geltung", "Diese Richtlinie gilt für alle.", "1.2 Fristen", "Binnen 14 Tagen.")
    page = marked(text, ("Allgemeines", 0), ("1.1 Geltung", 1), ("1.2 Fristen", 1))
    assert headings(make(tmp_path / "a.pdf", page)) == [(1, "1 Allgemeines"), (2, "1.1 Geltung"), (2, "1.2 Fristen")]


def test_other_headings_stand_below_those_of_the_bookmarks(tmp_path: Path) -> None:
    text = lines("Kosten", "Was ersetzt wird, steht hier in Ruhe.", y=700)
    page = marked(both(text, font("Helvetica-Bold", 14, lines("Hotels", y=660)), lines("Bis 120 Euro.")), ("Kosten", 0))
    assert headings(make(tmp_path / "a.pdf", page)) == [(1, "Kosten"), (2, "Hotels")]


def test_the_page_head_that_repeats_a_title_is_not_the_heading(tmp_path: Path) -> None:
    title = font("Helvetica-Bold", 20, lines("Kosten der Reise", y=700))
    page = marked(both(lines("Kosten der Reise", y=810), title, lines("Der Text.", y=650)), ("Kosten der Reise", 0))
    pages = read(make(tmp_path / "a.pdf", page), lambda done, total: None).pages
    (heading,) = (block for block in pages[0].blocks if block.kind == "heading")
    assert heading.lines[0].box is not None
    assert heading.lines[0].box.y0 > 100


def test_bookmarks_that_go_in_a_circle_end(tmp_path: Path) -> None:
    path = raw(
        tmp_path / "a.pdf",
        "<</Type/Catalog/Pages 2 0 R/Outlines<</First 6 0 R/Last 7 0 R/Count 2>>>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        stream("BT /F 12 Tf 20 200 Td (First) Tj ET"),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        "<</Title(First)/Dest[3 0 R/Fit]/Next 7 0 R/First 7 0 R>>",
        "<</Title(Second)/Dest[3 0 R/Fit]/Next 6 0 R/First 6 0 R>>",
    )
    assert headings(path) == [(1, "First")]
