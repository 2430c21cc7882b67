"""The health report: what a person learns of how well a file was read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingestion.health import examine, ranges
from ingestion.types import Block, Line, Page, Parsed, Warning

TEXT = Block("paragraph", (Line("Thirty days of leave are granted."),))


def scanned(*sure: float | None) -> Parsed:
    return Parsed("pdf", "ocr", tuple(Page(n, (TEXT,), confidence=one) for n, one in enumerate(sure, 1)))


@pytest.mark.parametrize(
    ("numbers", "found"),
    [([], ()), ([3], ((3, 3),)), ([9, 3, 4, 5, 4], ((3, 5), (9, 9))), ([1, 2, 4, 6, 7], ((1, 2), (4, 4), (6, 7)))],
)
def test_page_numbers_become_ranges(numbers, found):
    assert ranges(numbers) == found


def test_a_digital_document_is_well():
    blocks = (Block("heading", (Line("Leave"),), 1), TEXT, Block("table", (Line("a\tb"), Line("c\td"))))
    health = examine(Parsed("pdf", "text", (Page(1, blocks),)), (), "en", [])
    assert (health.tables, health.headings, health.language, health.passages) == (1, 1, "en", 0)
    assert health.confidence is None
    assert health.reasons == ()


def test_what_was_recognised_and_how_surely():
    health = examine(scanned(None, 96.0, 52.0), (), "de")
    assert health.pages_recognised == ((2, 3),)
    assert health.confidence == 74.0
    assert health.pages_unsure == ((3, 3),)
    assert health.reasons == ("low_confidence",)
    assert examine(scanned(96.0, 91.0), (), "de").reasons == ()


def test_a_page_nobody_could_read_needs_attention_a_blank_one_does_not():
    pages = (Page(1, (TEXT,)), Page(2, ()), Page(3, (TEXT,)))
    blank = examine(Parsed("pdf", "text", pages), (), "en")
    assert blank.pages_without_text == ((2, 2),)
    assert blank.reasons == ()
    note = Warning("no_text_layer", "The page is a picture; text in it was not read.", 2)
    picture = examine(Parsed("pdf", "partial", pages, warnings=(note,)), (note,), "en")
    assert picture.reasons == ("partial", "pages_without_text")


def test_a_document_of_mostly_empty_pages_needs_attention():
    pages = (Page(1, (TEXT,)), Page(2, ()), Page(3, ()))
    assert examine(Parsed("pdf", "text", pages), (), "en").reasons == ("pages_without_text",)


def test_the_same_note_on_many_pages_is_said_once():
    notes = [Warning("no_text_layer", "A picture.", page) for page in (1, 2, 3, 7)]
    health = examine(scanned(None), [*notes, Warning("embedded_files", "Files were left out.")], "en")
    assert [(one.code, one.pages) for one in health.skipped] == [
        ("no_text_layer", ((1, 3), (7, 7))),
        ("embedded_files", ()),
    ]


def test_a_format_without_pages_has_none_without_text():
    parsed = replace(scanned(None), format="text", outcome="text", has_pages=False, pages=(Page(1, ()), Page(2, ())))
    health = examine(parsed, (), "en")
    assert (health.pages, health.pages_without_text) == (0, ())


def test_what_the_report_says_itself_is_no_note() -> None:
    notes = [Warning("recognised", "Text was recognised from pictures (pages: 2), 96 % sure on average.")]
    assert examine(scanned(None, 96.0), notes, "en").skipped == ()
