"""What repeats at the edges of pages is left out, what only looks like it stays."""

from __future__ import annotations

import pytest

from ingestion.layout.furniture import without_furniture
from ingestion.layout.types import PageRows, Row
from ingestion.types import Box


def page(number: int, top: str, text: str, bottom: str) -> PageRows:
    def row(text: str, y: float) -> Row:
        return Row((text,), ((72, 300),), Box(72, y, 300, y + 12), 11, False, False)

    rows = (row(top, 30), row(f"{text} first", 200), row(f"{text} second", 214), row(bottom, 800))
    return PageRows(number, 595, 842, (rows,))


def left(pages: list[PageRows]) -> list[list[str]]:
    """The rows at the edges that stay, page by page."""
    kept = ([row.text for region in one.regions for row in region] for one in without_furniture(pages))
    return [[text for text in texts if not text.endswith(("first", "second"))] for texts in kept]


def test_a_letter_of_two_pages_loses_its_second_head_and_its_page_numbers() -> None:
    pages = [page(n, "Muster GmbH, 50667 Köln", f"text {n}", f"Seite {n} von 2") for n in (1, 2)]
    assert left(pages) == [["Muster GmbH, 50667 Köln"], []]


def test_figures_at_the_edges_of_two_pages_stay() -> None:
    pages = [page(n, f"{11 + n}.500", f"text {n}", "1") for n in (1, 2)]
    assert left(pages) == [["12.500", "1"], ["13.500", "1"]]


@pytest.mark.parametrize("head", ["Rechnung Nr. {}", "Invoice no. {}", "INV-2026-{}", "Facture n° {}", "Auftrag {}"])
def test_numbers_that_grow_with_the_page_but_name_something_stay(head: str) -> None:
    pages = [page(n, head.format(4710 + n), f"text {n}", f"{n}") for n in range(1, 11)]
    assert left(pages) == [[head.format(4710 + n)] for n in range(1, 11)]


def test_a_running_head_with_the_page_number_goes() -> None:
    pages = [page(n, f"Handbuch 2026 | {n + 40}", f"text {n}", "Vertraulich") for n in range(1, 8)]
    assert left(pages) == [["Handbuch 2026 | 41", "Vertraulich"]] + [[]] * 6
