"""Whatever stands on a page: laid out it is all there, once, at its place."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.layout.blocks import to_pages
from ingestion.layout.outline import Entry, with_outline
from ingestion.layout.types import PageRows, Segment
from ingestion.parsers.frame import Frame
from ingestion.parsers.page_read import regions
from ingestion.types import Box

WORDS = (
    "Antrag",
    "auf",
    "Reisekosten",
    "und",
    "Hotel-",
    "kosten",
    "1.200,50",
    "2026",
    "(vier)",
    "Nr.",
    "טופס",
    "die Rech-",
)
PAGE = Frame(0, 0, 595, 842, 0)


@st.composite
def segments(draw: st.DrawFn) -> list[Segment]:
    """Pieces of text in rows and columns, some of them off the grid, in any order."""
    found = []
    for row in range(draw(st.integers(1, 12))):
        for x in draw(st.lists(st.sampled_from((40, 120, 220, 320, 430)), max_size=5, unique=True)):
            text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)))
            size, down = draw(st.sampled_from((8, 10, 10, 10, 14, 30))), draw(st.sampled_from((0, 0, 0, 3, 9)))
            y = 40 + row * draw(st.sampled_from((12, 13, 26))) + down
            box = Box(x, y, x + min(size * 0.5 * len(text), 540 - x), y + size * 1.1)
            found.append(
                Segment(text, box, size, draw(st.booleans()), text.endswith("-"), draw(st.integers(0, 20)) > 0)
            )
    return draw(st.permutations(found))


def letters(texts: list[str]) -> Counter[str]:
    return Counter(letter for text in texts for letter in text if letter.isalnum())


@settings(max_examples=150, deadline=None)
@given(segments(), st.lists(st.sampled_from(WORDS), max_size=2))
def test_nothing_is_lost_and_nothing_comes_twice(pieces: list[Segment], titles: list[str]) -> None:
    rows = PageRows(1, 595, 842, regions(pieces, PAGE))
    (page,) = to_pages(with_outline([rows], [Entry(title, 1, 1) for title in titles]))
    lines = [line for block in page.blocks for line in block.lines]
    assert letters([line.text for line in lines]) == letters([piece.text for piece in pieces])
    boxes = [piece.box for piece in pieces]
    for box in (line.box for line in lines):
        assert box is not None
        assert box.x0 in {one.x0 for one in boxes}
        assert box.x1 in {one.x1 for one in boxes}
        assert min(one.y0 for one in boxes) <= box.y0 < box.y1 <= max(one.y1 for one in boxes)
