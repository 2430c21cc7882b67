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

Place = tuple[int, int, int]  # page, region, row
NUMBER = re.compile(
    r"[\W_]*(page|seite|pagina|página|strona)?[\W_]*(#|[ivxlc]{1,7})([\W_]*(of|von|de|di|/|sur|van|z)?[\W_]*#)?[\W_]*"
)


def without_furniture(pages: Sequence[PageRows]) -> list[PageRows]:
    """The pages without what repeats at their edges. The first of each repeated line stays, so that it can still be
    found ("Confidential, version 3"); bare page numbers all go."""
    if len(pages) < FEWEST_PAGES:
        return list(pages)
    places: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for at, page in enumerate(pages):
        for edge, place, row in _edge_rows(at, page):
            places[edge, _key(row)].append(place)
    dropped: set[Place] = set()
    for (_, key), found in places.items():
        repeated = _repeated(found, len(pages))
        dropped.update(repeated if NUMBER.fullmatch(key) else repeated[1:])
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


def _key(row: Row) -> str:
    return re.sub(r"\d+", "#", row.text.lower())


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
