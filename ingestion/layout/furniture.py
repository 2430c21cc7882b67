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
FEWEST_PAGES = 3  # in shorter documents nothing repeats often enough to tell
NEIGHBOURS = 3  # pages between two occurrences that still belong together (left and right pages, a plate between)
MOST_CELLS = 3  # a row with more cells is a table's header, repeated because the table goes on

PAGE_NUMBER = re.compile(
    r"[\W_]*(page|seite|pagina|página|strona|sida|side)?[\W_]*(\d+|[ivxlc]{1,7})(\D{1,6}\d+)?[\W_]*"
)

Place = tuple[int, int, int]  # page, region, row
Key = tuple[str, str, int]  # edge, text, and how far a number in it is from the page's own


def without_furniture(pages: Sequence[PageRows]) -> list[PageRows]:
    """The pages without what repeats at their edges. The first of each repeated line stays, so that nothing said is
    lost ("Confidential, version 3"); bare page numbers all go."""
    if len(pages) < FEWEST_PAGES:
        return list(pages)
    places: dict[Key, list[Place]] = defaultdict(list)
    for at, page in enumerate(pages):
        for edge, place, row in _edge_rows(at, page):
            for key in _keys(edge, row.text.lower(), at):
                places[key].append(place)
    dropped: set[Place] = set()
    for (_, text, _), found in places.items():
        repeated = _repeated(found, len(pages))
        dropped.update(repeated if PAGE_NUMBER.fullmatch(text.replace("#", "0")) else repeated[1:])
    return [_without(at, page, dropped) for at, page in enumerate(pages)]


def _edge_rows(at: int, page: PageRows) -> Iterator[tuple[str, Place, Row]]:
    """Rows that may be furniture, with the edge they stand at."""
    rows = [((at, i, j), row) for i, region in enumerate(page.regions) for j, row in enumerate(region)]
    rows.sort(key=lambda placed: placed[1].box.y0)
    yield from (("aside", place, row) for place, row in rows if row.aside)
    rows = [placed for placed in rows if not placed[1].aside]
    for edge, inwards in (("top", rows), ("bottom", rows[::-1])):
        for place, row in _outer(inwards, page.height):
            if len(row.cells) <= MOST_CELLS and len(row.text) < 200:
                yield edge, place, row


def _outer(rows: list[tuple[Place, Row]], height: float) -> list[tuple[Place, Row]]:
    """From the edge inwards: the rows in the margin, and those that white space sets apart from the rest."""
    nearest = rows[:EDGE]
    outer = sum(min(row.box.y1, height - row.box.y0) <= MARGIN * height for _, row in nearest)
    for at, ((_, row), (_, after)) in enumerate(zip(nearest, rows[1:], strict=False), 1):
        apart = max(after.box.y0 - row.box.y1, row.box.y0 - after.box.y1)
        if apart > APART * (row.box.y1 - row.box.y0):
            outer = max(outer, at)
    return nearest[:outer]


def _keys(edge: str, text: str, page: int) -> Iterator[Key]:
    """What makes rows of different pages the same: the same text, but for a number that grows with the page."""
    yield edge, "roman" if PAGE_NUMBER.fullmatch(text) and not re.search(r"\d", text) else text, -1
    numbers = list(re.finditer(r"\d{1,5}", text))
    for number in {numbers[0], numbers[-1]} if numbers else ():
        yield edge, f"{text[: number.start()]}#{text[number.end() :]}", int(number.group()) - page


def _repeated(places: list[Place], pages: int) -> list[Place]:
    """Those of `places` that recur on pages near each other, often enough."""
    groups: list[list[Place]] = [[places[0]]]
    for place in places[1:]:
        if place[0] - groups[-1][-1][0] <= NEIGHBOURS:
            groups[-1].append(place)
        else:
            groups.append([place])
    enough = 3 if pages <= 8 else 4
    kept = [place for group in groups if len({page for page, _, _ in group}) >= enough for place in group]
    return kept


def _without(at: int, page: PageRows, dropped: set[Place]) -> PageRows:
    regions = (
        tuple(row for j, row in enumerate(region) if (at, i, j) not in dropped) for i, region in enumerate(page.regions)
    )
    return replace(page, regions=tuple(region for region in regions if region))
