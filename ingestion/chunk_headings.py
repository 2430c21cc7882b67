"""Which headings a passage stands under: they follow each other by level, and none reaches further than it means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ingestion.chunk_lines import Unit
from ingestion.types import Page

REACH = 10  # pages; a heading below the first that nothing follows for longer named only what stood right below it
CONTENTS = re.compile(
    r"(table of )?contents|inhalts?(verzeichnis|übersicht)?|table des matières|sommaire"
    r"|[ií]ndice( (general|de contenidos|generale))?|sommario",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Heading:
    level: int
    text: str
    page: int


class HeadingPath:
    """The headings in force, outermost first, while passages are cut one after the other."""

    def __init__(self) -> None:
        self._path: list[_Heading] = []

    def turn_to(self, page: Page) -> None:
        """A new page begins. Slides and sheets stand for themselves; a table of contents ends with its page."""
        if page.label:
            self._path.clear()
        self._path = [one for one in self._path if not CONTENTS.fullmatch(one.text.strip(" :"))]
        while len(self._path) > 1 and page.number - self._path[-1].page > REACH:
            self._path.pop()

    def above(self, first: Unit) -> tuple[str, ...]:
        """Those above a passage that starts with `first`: a heading stands under the higher ones only."""
        return tuple(one.text for one in self._path if not first.heading or one.level < first.heading)

    def follow(self, units: Iterable[Unit]) -> None:
        """Keep to the headings in force after `units`."""
        for unit in units:
            if unit.heading:
                while self._path and self._path[-1].level >= unit.heading:
                    self._path.pop()
                self._path.append(_Heading(unit.heading, unit.title, unit.page))
