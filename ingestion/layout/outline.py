"""Headings by the document's own outline (bookmarks): what it names is a heading, however it is printed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ingestion.layout.types import PageRows, Row

MOST_ROWS = 3  # of one heading
SIGNS = re.compile(r"[\W_]+")
NUMBER = re.compile(r"(kapitel|chapter|section|abschnitt|teil|part)?\d*[a-z]?")

Place = tuple[int, int]  # region, row


@dataclass(frozen=True)
class Entry:
    """One of the outline: `level` counts from 1, `page` is the number of the page it leads to."""

    title: str
    level: int
    page: int


def with_outline(pages: Sequence[PageRows], entries: Iterable[Entry]) -> list[PageRows]:
    """The pages, their rows that an entry names marked with it."""
    by_page: dict[int, list[tuple[int, Entry]]] = defaultdict(list)
    for number, entry in enumerate(entries, 1):
        by_page[entry.page].append((number, entry))
    return [_marked(page, by_page[page.number]) if page.number in by_page else page for page in pages]


def _marked(page: PageRows, entries: Sequence[tuple[int, Entry]]) -> PageRows:
    marks: dict[Place, tuple[int, int]] = {}
    for number, entry in entries:
        places = _named(page, entry, marks)
        marks |= dict.fromkeys(places, (number, entry.level))
    if not marks:
        return page
    regions = (
        tuple(replace(row, outline=marks.get((i, j), row.outline)) for j, row in enumerate(region))
        for i, region in enumerate(page.regions)
    )
    return replace(page, regions=tuple(regions))


def _named(page: PageRows, entry: Entry, taken: dict[Place, tuple[int, int]]) -> list[Place]:
    """The rows that together are the entry's title, where they are printed largest."""
    title = _bare(entry.title)
    best: list[Place] = []
    size = 0.0
    for i, region in enumerate(page.regions):
        for j, row in enumerate(region):
            count = _rows_of(region[j : j + MOST_ROWS], title) if row.size > size and (i, j) not in taken else 0
            if count:
                best, size = [(i, j + at) for at in range(count)], row.size
    return best


def _rows_of(rows: Sequence[Row], title: str) -> int:
    """How many of `rows` make up `title`, with or without a number before it; 0 where they do not."""
    text = ""
    for count, row in enumerate(rows, 1):
        text += _bare(row.text)
        if len(title) > 1 and text.endswith(title) and NUMBER.fullmatch(text[: -len(title)]):
            return count
        if len(text) > len(title) + 12:
            break
    return 0


def _bare(text: str) -> str:
    return SIGNS.sub("", text).lower()
