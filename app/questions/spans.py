"""The pieces of a passage that can prove something: sentences and lines, and up to three of them together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from app.questions.normal import plain
from app.questions.numbers import Figure, figures
from app.questions.statements import Splitter
from app.questions.words import content_stems, language, limits, negated_clauses

_LONGEST = 700
_JOINED = 3


@dataclass(frozen=True)
class Source:
    """A passage as it stands in the prompt: what may be cited, and where it comes from.

    `id` is its stable id ("D3.12"), `label` the header line behind the id (document, page, headings).
    """

    content_id: int
    ordinal: int
    text: str
    headings: tuple[str, ...]
    document_id: str
    document: str
    has_pages: bool
    marks: tuple[tuple[int, int, int], ...]  # start, end, page

    @property
    def id(self) -> str:
        return f"D{self.content_id}.{self.ordinal}"

    def page_at(self, start: int) -> int | None:
        """The page on which the character stands, None where the format has no pages."""
        if not self.has_pages or not self.marks:
            return None
        return next((page for _, end, page in self.marks if start < end), self.marks[-1][2])

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Every span that may prove something, shortest first."""
        units = _units(self.text)
        found: list[Span] = []
        for joined in range(_JOINED):
            for first, last in zip(units, units[joined:], strict=False):
                span = Span(self, first[0], last[1])
                alone = joined == 0
                if alone or (len(span.text) <= _LONGEST and not tabular(span.text)):
                    found.append(span)
        return tuple(found)

    @cached_property
    def context(self) -> frozenset[str]:
        """Stems of what stands above every line: document name, headings, the header row of a table."""
        first = self.text.split("\n", 1)[0]
        header = first if tabular(first) else ""
        name = re.sub(r"[_.-]+", " ", self.document.rsplit(".", 1)[0])
        return frozenset(content_stems(" ".join((name, *self.headings, header))))

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(content_stems(plain(self.text)))

    @cached_property
    def language(self) -> str:
        return language(self.text)


@dataclass(frozen=True)
class Span:
    """Characters [start, end) of a passage, with what they hold (read once, when first asked for)."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @cached_property
    def plain(self) -> str:
        return plain(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(content_stems(self.plain))

    @property
    def around(self) -> frozenset[str]:
        """Stems of the passage it stands in: what a sentence is about may have been said before. A row of a table
        speaks for itself."""
        return frozenset() if tabular(self.text) else self.source.stems

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        return figures(self.text)

    @cached_property
    def negated(self) -> list[frozenset[str]]:
        return negated_clauses(self.plain)

    @cached_property
    def limits(self) -> frozenset[str]:
        return limits(self.plain)


def tabular(text: str) -> bool:
    """Rows of a table stand for themselves: no span joins them, or one row's name would prove another's figure."""
    return " | " in text or "\t" in text


def _units(text: str) -> list[tuple[int, int]]:
    """Sentences; a sentence runs on over line breaks unless the next line is an item, a row or starts anew."""
    units: list[tuple[int, int]] = []
    for start, end in _blocks(text):
        flat = text[start:end].replace("\n", " ")
        splitter = Splitter()
        at = start
        for piece in (*splitter.feed(flat), *splitter.finish()):
            first = at + len(piece.raw) - len(piece.raw.lstrip())
            at += len(piece.raw)
            last = first + len(piece.raw.strip())
            if any(c.isalnum() for c in text[first:last]):
                units.append((first, last))
    return units


_NEW_BLOCK = re.compile(r"\n(?=\s*(?:[-*•–·▪●]\s|\(?\d{1,3}[.)]\s|[a-z]\)\s|\|))|\n\s*\n|\n(?=[^\n]*(?: \| |\t))")


def _blocks(text: str) -> list[tuple[int, int]]:
    """Parts that no sentence crosses: paragraphs, list items, table rows."""
    cuts = [0]
    for match in _NEW_BLOCK.finditer(text):
        cuts.append(match.end())
    for match in re.finditer(r"\n", text):  # a row ends at its line
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if tabular(line) or (len(line) < 60 and line[-1:] in ".:!?"):
            cuts.append(match.end())
    cuts = sorted({*cuts, len(text)})
    return [(a, b) for a, b in zip(cuts, cuts[1:], strict=False) if text[a:b].strip()]
