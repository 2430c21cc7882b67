"""Lines that repeat from page to page are left out, but for what is all that a page says."""

from __future__ import annotations

from pathlib import Path

from ingestion.parsers.pdf import read
from tests.ingestion.pdf_samples import Draw, both, lines, make


def test_a_page_that_says_nothing_else_keeps_its_line(tmp_path: Path) -> None:
    pages = [lines(f"Deckblatt des Teils, Seite {number}", y=810) for number in range(1, 6)]
    parsed = read(make(tmp_path / "a.pdf", *pages), lambda done, total: None)
    assert [page.text for page in parsed.pages] == [f"Deckblatt des Teils, Seite {n}" for n in range(1, 6)]


def test_a_page_number_between_other_numbers_is_known(tmp_path: Path) -> None:
    """ "Version 3.2 vom 01.02.2026   Seite 1/3" stands once, "Seite 2/3" nowhere."""

    def page(number: int) -> Draw:
        foot = both(lines("Version 3.2 vom 01.02.2026", y=40), lines(f"Seite {number}/3", x=450, y=40))
        return both(lines(f"Der Inhalt von Seite {number} steht hier.", "Er geht weiter."), foot)

    parsed = read(make(tmp_path / "a.pdf", *map(page, (1, 2, 3))), lambda done, total: None)
    assert ["Version" in page.text for page in parsed.pages] == [True, False, False]
