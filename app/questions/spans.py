"""The pieces of a passage that can prove something: sentences and lines, and up to three of them together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from app.questions.normal import plain
from app.questions.numbers import Figure, Identifier, figures
from app.questions.statements import Splitter
from app.questions.words import Stems, content_stems, language, limits, negated_clauses

_LONGEST = 700
_JOINED = 3
_MOST_KIN = 500  # words whose kin a passage remembers
_REMEMBERED = 1000  # passages, about 27 KiB each


@lru_cache(maxsize=_REMEMBERED)
def remembered(passage: Source) -> Source:
    """The equal passage of an earlier question, with all that has been read of it since; else this one."""
    return passage


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
        units = [Span(self, start, end) for start, end in _units(self.text)]
        found = list(units)
        for joined in range(2, _JOINED + 1):
            for first in range(len(units) - joined + 1):
                parts = tuple(units[first : first + joined])
                span = Span(self, parts[0].start, parts[-1].end, parts)
                if span.end - span.start <= _LONGEST and not any(part.is_row for part in parts):
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
    def words(self) -> frozenset[str]:
        return frozenset(plain(self.text).casefold().split())

    @cached_property
    def shown_figures(self) -> frozenset[str]:
        return frozenset(figure.shown.casefold() for figure in figures(self.text))

    def is_about(self, key: str) -> bool:
        """Whether the whole passage is about the identifier: its document or heading names it, or it names no other
        of that shape."""
        shape = _shape(key)
        return key in self._titled or {k for k in self._identifiers if _shape(k) == shape} == {key}

    @cached_property
    def _titled(self) -> frozenset[str]:
        return _keys_in(" | ".join((re.sub(r"[_.]", " ", self.document), self.document, *self.headings)))

    @cached_property
    def _identifiers(self) -> frozenset[str]:
        return _keys_in(self.text)

    @cached_property
    def language(self) -> str:
        return language(self.text)

    def kin(self, wanted: str) -> frozenset[str]:
        """The stems of the passage and what stands above it that count as the wanted one."""
        known = self._kin.get(wanted)
        if known is None:
            if len(self._kin) >= _MOST_KIN:
                self._kin.clear()
            known = self._kin[wanted] = self._all_stems.kin(wanted)
        return known

    @cached_property
    def _all_stems(self) -> Stems:
        return Stems(self.stems | self.context)

    @cached_property
    def _kin(self) -> dict[str, frozenset[str]]:
        return {}


@dataclass(frozen=True)
class Span:
    """Characters [start, end) of a passage, with what they hold (read once, when first asked for; one that joins
    others has what its parts have)."""

    source: Source
    start: int
    end: int
    parts: tuple[Span, ...] = ()

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @cached_property
    def plain(self) -> str:
        return plain(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        if self.parts:
            return frozenset().union(*(part.stems for part in self.parts))
        return frozenset(content_stems(self.plain))

    def holds(self, wanted: str) -> bool:
        """Whether it, or what stands above its passage, has the word."""
        return not self._held.isdisjoint(self.source.kin(wanted))

    def holds_around(self, wanted: str) -> bool:
        """Whether its passage has the word: what a sentence is about may have been said before. A row of a table
        speaks for itself."""
        return self.holds(wanted) if self.is_row else bool(self.source.kin(wanted))

    @cached_property
    def is_row(self) -> bool:
        return tabular(self.text)

    @cached_property
    def language(self) -> str:
        return self.parts[0].language if self.parts else language(self.plain)

    @cached_property
    def _held(self) -> frozenset[str]:
        return self.stems | self.source.context

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        if self.parts:
            return tuple(figure for part in self.parts for figure in part.figures)
        return figures(self.plain)

    @cached_property
    def negated(self) -> list[frozenset[str]]:
        if self.parts:
            return [clause for part in self.parts for clause in part.negated]
        return negated_clauses(self.plain)

    @cached_property
    def limits(self) -> frozenset[str]:
        if self.parts:
            return frozenset().union(*(part.limits for part in self.parts))
        return limits(self.plain)


def _shape(key: str) -> str:
    return re.sub(r"\d+", "0", key)


def _keys_in(text: str) -> frozenset[str]:
    return frozenset(figure.key for figure in figures(text) if isinstance(figure, Identifier))


def whole(passage: Source) -> Span:
    """A passage's whole text as a span."""
    return Span(passage, 0, len(passage.text))


def spoken(question: str, sources: Sequence[Source]) -> str:
    """The language to answer in: the question's, or the first passage's when that does not tell ("PPR-9087?")."""
    return language(question) or (sources[0].language if sources else "")


def warm(sources: Iterable[Source]) -> None:
    """Reads the passages' words and figures ahead (while the engine reads the prompt), so that checking is quick."""
    for source in sources:
        _ = source.context, source.stems
        for span in source.spans:
            _ = span.stems, span.figures, span.negated, span.limits, span.is_row, span.language


def tabular(text: str) -> bool:
    """Rows of a table stand for themselves: no span joins them, or one row's name would prove another's figure."""
    return " | " in text or "\t" in text


def _units(text: str) -> list[tuple[int, int]]:
    """Sentences; a sentence runs on over line breaks unless the next line is an item, a row or starts anew."""
    units: list[tuple[int, int]] = []
    for start, end in _blocks(text):
        if tabular(text[start:end]):
            first = start + len(text[start:end]) - len(text[start:end].lstrip("\n"))
            units.append((first, first + len(text[start:end].strip("\n"))))
            continue
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


_NEW_BLOCK = re.compile(
    r"\n(?=\s*(?:[-*•–·▪●]\s|[a-z]\)\s|\(\d{1,3}\)\s|\|))|(?<=[.:;!?])\n(?=\s*\d{1,3}[.)]\s)|"
    r"\n\s*\n|\n(?=[^\n]*(?: \| |\t))"
)


def _blocks(text: str) -> list[tuple[int, int]]:
    """Parts that no sentence crosses: paragraphs, list items, table rows, lines that stand for themselves."""
    cuts = {0, len(text), *(match.end() for match in _NEW_BLOCK.finditer(text))}
    at = longest = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        longest = max(longest, len(line)) if line.strip() else 0
        if tabular(line) or _stands_alone(line.strip(), text[at : at + 1], longest):
            cuts.add(at)
            longest = 0
    return [(a, b) for a, b in pairwise(sorted(cuts)) if text[a:b].strip()]


def _stands_alone(line: str, following: str, longest: int) -> bool:
    """A short line that ends like a sentence or a heading, or much shorter than those before it, with a new beginning
    after it: the text was not broken there to fit a page."""
    if len(line) < 60 and line[-1:] in ".:!?":
        return True
    begins = following.isupper() or following.isdigit()
    return begins and len(line) < max(50, 0.6 * longest) and line[-1:] not in ",-("
