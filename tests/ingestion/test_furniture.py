"""Lines that repeat from page to page are left out, but for what is all that a page says."""

from __future__ import annotations

from pathlib import Path

from ingestion.parsers.pdf import read
from tests.ingestion.pdf_samples import lines, make


def test_a_page_that_says_nothing_else_keeps_its_line(tmp_path: Path) -> None:
    pages = [lines(f"Deckblatt des Teils, Seite {number}", y=810) for number in range(1, 6)]
    parsed = read(make(tmp_path / "a.pdf", *pages), lambda done, total: None)
    assert [page.text for page in parsed.pages] == [f"Deckblatt des Teils, Seite {n}" for n in range(1, 6)]
