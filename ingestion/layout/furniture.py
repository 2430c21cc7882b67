"""Page furniture: headers, footers and page numbers that repeat from page to page and are no part of the text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ingestion.layout.types import PageRows, Row

EDGE = 3  # rows from the top or bottom edge that may be furniture
MARGIN = 0.1  # share of the page's height in which they stand,
APART = 0.8  # or the heights of white that part them from the text
FEWEST_PAGES = 2
NEIGHBOURS = 3  # pages between two occurrences that still belong together (left and right pages, a plate between)
SHORT = 3  # pages of a document in which two occurrences have to do
FARTHEST = 1000  # a number further from the page's own counts something else
MOST_NUMBERS = 9  # of a row are looked at
MOST_CELLS = 3  # a row with more cells is a table's header, repeated because the table goes on

PAGE_NUMBER = re.compile(
    r"[\W_]*(page|seite|pagina|página|strona|sida|side)?[\W_]*(\d+|[ivxlc]{1,7})(\D{1,6}\d+)?[\W_]*"
)

# What stands before a number that names something: "Rechnung Nr. 1001", "INV-2024-17". It is none of the page.
NAMES = re.compile(r"\b(nr|no|num|nummer|number|numéro|número|numero|n)[.:°º]{0,2}\s*$|[#№]\s*$|\w[-/.]$")

Place = tuple[int, int, int]  # page, region, row
Key = tuple[str, str, int]  # edge, text, and how far a number in it is from the page's own


def without_furniture(pages: Sequence[PageRows]) -> list[PageRows]:
    """The pages without what repeats at their edges. The first of each repeated line stays, so that nothing said is
    lost ("Confidential, version 3"); bare page numbers all go."""
    if len(pages) < FEWEST_PAGES:
        return list(pages)
    places: dict[Key, list[Place]] = defaultdict(list)
    short = len(pages) <= SHORT
    for at, page in enumerate(pages):
        for edge, place, row in _edge_rows(at, page, short=short):
            for key in _keys(edge, row.text.lower(), at, short=short):
                places[key].append(place)
    dropped: set[Place] = set()
    for (_, text, _), found in places.items():
        repeated = _repeated(found, len(pages))
        dropped.update(repeated if PAGE_NUMBER.fullmatch(text.replace("#", "0")) else repeated[1:])
    return [_without(at, page, dropped) for at, page in enumerate(pages)]


def _edge_rows(at: int, page: PageRows, *, short: bool) -> Iterator[tuple[str, Place, Row]]:
    """Rows that may be furniture, with the edge they stand at."""
    rows = [((at, i, j), row) for i, region in enumerate(page.regions) for j, row in enumerate(region)]
    rows.sort(key=lambda placed: placed[1].box.y0)
    yield from (("aside", place, row) for place, row in rows if row.aside)
    rows = [placed for placed in rows if not placed[1].aside]
    for edge, inwards in (("top", rows), ("bottom", rows[::-1])):
        for place, row in _outer(edge, inwards, page.height, short=short):
            if len(row.cells) <= MOST_CELLS and len(row.text) < 200:
                yield edge, place, row


def _outer(edge: str, rows: list[tuple[Place, Row]], height: float, *, short: bool) -> list[tuple[Place, Row]]:
    """From the edge inwards: the rows in the margin and, but in a short document, those that white space sets apart."""
    nearest = rows[:EDGE]
    depths = (row.box.y1 if edge == "top" else height - row.box.y0 for _, row in nearest)
    outer = sum(depth <= MARGIN * height for depth in depths)
    for at, ((_, row), (_, after)) in enumerate(zip(nearest if not short else (), rows[1:], strict=False), 1):
        apart = max(after.box.y0 - row.box.y1, row.box.y0 - after.box.y1)
        if apart > APART * (row.box.y1 - row.box.y0):
            outer = max(outer, at)
    return nearest[:outer]


def _keys(edge: str, text: str, page: int, *, short: bool) -> Iterator[Key]:
    """What makes rows of different pages the same: the same text, but for a number that grows with the page. In a short
    document that number has to be the page's own."""
    numbers = list(re.finditer(r"\d{1,5}", text))
    bare = PAGE_NUMBER.fullmatch(text) is not None
    if not (short and bare and numbers):
        yield edge, "roman" if bare and not numbers else text, -1
    for number in numbers[:MOST_NUMBERS]:
        before, after, away = text[: number.start()], text[number.end() :], int(number.group()) - page
        cell = before.rpartition("\t")[2] + number.group() + after.partition("\t")[0]
        alone = PAGE_NUMBER.fullmatch(cell) is not None
        if away == 1 and alone if short else alone or (away < FARTHEST and not NAMES.search(before)):
            yield edge, f"{before}#{after}", away


def _repeated(places: list[Place], pages: int) -> list[Place]:
    """Those of `places` that recur on pages near each other, often enough."""
    groups: list[list[Place]] = [[places[0]]]
    for place in places[1:]:
        if place[0] - groups[-1][-1][0] <= NEIGHBOURS:
            groups[-1].append(place)
        else:
            groups.append([place])
    enough = 2 if pages <= SHORT else 3 if pages <= 8 else 4
    kept = [place for group in groups if len({page for page, _, _ in group}) >= enough for place in group]
    return kept


def _without(at: int, page: PageRows, dropped: set[Place]) -> PageRows:
    """A page that says nothing else keeps its line."""
    regions = [
        tuple(row for j, row in enumerate(region) if (at, i, j) not in dropped) for i, region in enumerate(page.regions)
    ]
    return replace(page, regions=tuple(region for region in regions if region)) if any(regions) else page
