"""How an answer is shown: statements in rows, numbered sources, and the text that "copy with sources" gives."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from app.questions.types import AnswerView, CitationView, StatementView
from web.messages import Words

_NUMBERED = re.compile(r"(\d{1,3})[.)]")


@dataclass(frozen=True)
class Chip:
    """A citation next to a statement: the number of its source and where to see it."""

    number: int
    address: str
    citation: CitationView


@dataclass(frozen=True)
class Row:
    """A statement as it is shown. `marker` is its list marker, `cells` those of a table row."""

    index: int
    view: StatementView
    chips: tuple[Chip, ...]
    text: str
    marker: str
    cells: tuple[str, ...]


@dataclass
class Numbers:
    """Numbers sources in the order they are first cited; the same passage keeps its number."""

    answer_id: str
    _numbers: dict[tuple[object, ...], int] = field(default_factory=dict)
    sources: list[Chip] = field(default_factory=list)

    def row(self, index: int, view: StatementView) -> Row:
        chips = tuple(self._chip(index, position, item) for position, item in enumerate(view.citations))
        text = view.text.lstrip("# ") if view.kind == "connective" else view.text
        lead = view.lead.strip()
        cells = tuple(cell.strip() for cell in text.strip("| ").split("|")) if "|" in lead else ()
        return Row(index, view, _once_each(chips), text, _marker(lead), cells)

    def _chip(self, index: int, position: int, citation: CitationView) -> Chip:
        key = (citation.document_id, citation.document, citation.ordinal, citation.page)
        chip = Chip(
            self._numbers.setdefault(key, len(self._numbers) + 1),
            f"/answers/{self.answer_id}/sources/{index}/{position}",
            citation,
        )
        if chip.number > len(self.sources):
            self.sources.append(chip)
        return chip


def _once_each(chips: Iterable[Chip]) -> tuple[Chip, ...]:
    """One chip a source; the passage may have been cited twice for one statement."""
    first: dict[int, Chip] = {}
    for chip in chips:
        first.setdefault(chip.number, chip)
    return tuple(first.values())


def _marker(lead: str) -> str:
    if match := _NUMBERED.search(lead):
        return f"{match[1]}."
    return "•" if lead[-1:] in ("-", "*", "+") else ""


@dataclass(frozen=True)
class Shown:
    """An answer as its template needs it."""

    view: AnswerView
    rows: tuple[Row, ...]
    sources: tuple[Chip, ...]
    copy: str

    @property
    def unproved(self) -> int:
        return sum(row.view.verdict == "unproved" for row in self.rows)

    @property
    def proved(self) -> int:
        return sum(row.view.verdict == "proved" for row in self.rows)


def shown(view: AnswerView, words: Words) -> Shown:
    numbers = Numbers(view.id)
    rows = tuple(numbers.row(index, statement) for index, statement in enumerate(view.statements))
    sources = tuple(numbers.sources)
    return Shown(view, rows, sources, _copy(view, rows, sources, words))


def _copy(view: AnswerView, rows: tuple[Row, ...], sources: tuple[Chip, ...], words: Words) -> str:
    """Plain text for other programs: question, answer with numbers, sources with the cited lines."""
    answer = "".join(_line(row, words) for row in rows).strip() or view.text
    listed = [_source(chip, words) for chip in sources]
    parts = [view.question, answer, *(["\n".join([words.text("Sources"), *listed])] if listed else [])]
    return "\n\n".join(parts)


def _line(row: Row, words: Words) -> str:
    numbers = "".join(f" [{chip.number}]" for chip in row.chips)
    doubt = f" ({words.text('not proved')})" if row.view.verdict == "unproved" else ""
    return f"{row.view.lead}{row.view.text}{numbers}{doubt}"


def _source(chip: Chip, words: Words) -> str:
    citation = chip.citation
    if citation.deleted:
        return f"[{chip.number}] {words.text('a document that was deleted')}"
    page = f", {words.text('page %(page)s', page=citation.page)}" if citation.page is not None else ""
    return f"[{chip.number}] {citation.document}{page}: “{' '.join(citation.quote.split())}”"
