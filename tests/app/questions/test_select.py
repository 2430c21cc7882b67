"""Near copies are left out, unless they differ in a figure."""

from __future__ import annotations

from app.questions.select import select
from app.questions.spans import Source


def passage(content: int, text: str) -> Source:
    return Source(content, 0, text, (), f"doc{content}", "a.pdf", True, ())


WORDS = "The plan pays for visits to a specialist who was named by the family doctor and for the medicine of the visit"


def test_copies_go_and_different_figures_stay() -> None:
    found = [
        passage(1, f"{WORDS}, 20 dollars each."),
        passage(2, f"{WORDS},  20 dollars  each."),
        passage(3, f"{WORDS}, 30 dollars each."),
        passage(4, "Something else."),
    ]
    assert [p.content_id for p in select(found, 4)] == [1, 3, 4]
    assert [p.content_id for p in select(found, 2)] == [1, 3]
    assert select([], 3) == []
