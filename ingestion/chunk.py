"""Cuts what was read into passages of a size in tokens, at the places where the text itself parts.

Cuts fall between lines and are chosen all together, page by page, by dynamic programming (as Knuth and Plass, 1981,
choose line ends): few passages, none tiny, headings at the start, paragraphs and rows of a table kept together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from ingestion.chunk_headings import HeadingPath
from ingestion.chunk_lines import Unit, units_of
from ingestion.types import Line, Mark, Page, Parsed, Passage

# What a passage costs: the unit of all prices is "one passage more".
PASSAGE = 0.6
EMPTINESS = 0.5  # an empty passage; one of half the size costs a quarter of it
HEADING_INSIDE = 0.9  # a heading that stands neither first nor after another heading
HEADING_LAST = 3.0  # a heading parted from its text
CUT_SENTENCE, CUT_PARAGRAPH, CUT_ROWS, CUT_LINE = 0.35, 0.2, 0.1, 0.5
CUT_TITLE = 0.3  # text parted from the table it stands above, or a label from what it names
LABEL_LENGTH = 60  # characters of a line that may be one ("Cost savings", "Tips:")


def cut(parsed: Parsed, size: int, count: Callable[[str], int]) -> list[Passage]:
    """The passages of `parsed`, in reading order: at most `size` tokens each as `count` counts (a single line that is
    longer is split; only a single character may have more). No passage crosses a page where pages have numbers. Same
    input, same bytes.

    A passage that starts within a table begins with the table's header again.
    """
    passages: list[Passage] = []
    path = HeadingPath()
    for pages in _runs(parsed):
        if parsed.has_pages:
            path.turn_to(pages[0])
        units = units_of(pages, size, count)
        for start, end in _spans(units, size):
            for group, laid in _fitting(units[start:end], size, count):
                passages.append(Passage(len(passages), laid.text, path.above(group[0]), laid.marks, laid.tokens))
                path.follow(group)
    return passages


def _runs(parsed: Parsed) -> Iterator[tuple[Page, ...]]:
    """Pages that passages may cross: each for itself, or all where they are no pages to people."""
    if parsed.has_pages:
        yield from ((page,) for page in parsed.pages)
    else:
        yield parsed.pages


def _spans(units: list[Unit], size: int) -> Iterator[tuple[int, int]]:
    """Where to cut: the cheapest way to part all units into passages of at most `size`."""
    best, before = [0.0], [0]
    sums = [0]
    for unit in units:
        sums.append(sums[-1] + unit.tokens + unit.joint)
    for end in range(1, len(units) + 1):
        price, start = min(_prices(units, sums, best, end, size))
        best.append(price)
        before.append(-start)
    cuts = [len(units)]
    while cuts[-1] > 0:
        cuts.append(before[cuts[-1]])
    cuts.reverse()
    yield from pairwise(cuts)


def _prices(units: list[Unit], sums: list[int], best: list[float], end: int, size: int) -> Iterator[tuple[float, int]]:
    """(price, -start) of every passage that may end before unit `end`."""
    inside = 0.0
    cut_price = _cut_price(units, end)
    for start in range(end - 1, -1, -1):
        first = units[start]
        tokens = sums[end] - sums[start] - first.joint + first.header_tokens
        if tokens > size and start < end - 1:
            return
        empty = max(0.0, 1 - tokens / size)
        price = PASSAGE + EMPTINESS * empty * empty + inside + cut_price
        yield best[start] + price, -start
        if first.heading and not (start and units[start - 1].heading):
            inside += HEADING_INSIDE


def _cut_price(units: list[Unit], end: int) -> float:
    """What it costs to end a passage between units `end - 1` and `end`."""
    if end == len(units):
        return 0.0
    last, after = units[end - 1], units[end]
    if last.heading:
        return HEADING_LAST
    if last.line == after.line:
        return CUT_LINE
    if last.block != after.block:
        title = not last.table and (after.table or _is_label(units, end - 1))
        return CUT_TITLE if title else 0.0
    if last.table:
        return CUT_ROWS
    return CUT_PARAGRAPH if last.text.endswith((".", "!", "?", ":", ";", "。")) else CUT_SENTENCE


def _is_label(units: list[Unit], at: int) -> bool:
    """One short line for itself that ends no sentence."""
    alone = at == 0 or units[at - 1].block != units[at].block
    return alone and len(units[at].text) <= LABEL_LENGTH and not units[at].text.endswith((".", "!", "?", ";", "。"))


@dataclass(frozen=True)
class _Laid:
    """A passage's text, where it comes from, and its size."""

    text: str
    marks: tuple[Mark, ...]
    tokens: int


def _fitting(units: list[Unit], size: int, count: Callable[[str], int]) -> Iterator[tuple[list[Unit], _Laid]]:
    """The units with their text: in several parts where together they have more tokens than each for itself (tokenizers
    see a text in its context)."""
    laid = _laid(units, count)
    if laid.tokens <= size:
        yield units, laid
    elif len(units) > 1:
        at = min(range(1, len(units)), key=lambda at: (_cut_price(units, at), abs(2 * at - len(units))))
        yield from _fitting(units[:at], size, count)
        yield from _fitting(units[at:], size, count)
    elif units[0].header:
        yield from _fitting([replace(units[0], header=None)], size, count)
    else:
        yield units, laid


def _laid(units: list[Unit], count: Callable[[str], int]) -> _Laid:
    parts: list[str] = []
    marks: list[Mark] = []
    length = 0
    first = units[0]
    if first.header:
        parts.append(first.header.text + "\n")
        marks.append(_mark(0, first.header.text, first.page, first.header))
        length = len(first.header.text) + 1
    for at, unit in enumerate(units):
        joint = _joint(units[at - 1], unit) if at else ""
        parts += (joint, unit.text)
        length += len(joint)
        marks.append(_mark(length, unit.text, unit.page, unit.place))
        length += len(unit.text)
    text = "".join(parts)
    return _Laid(text, tuple(marks), count(text))


def _mark(start: int, text: str, page: int, place: Line) -> Mark:
    return Mark(start, start + len(text), page, place.box, place.cells)


def _joint(before: Unit, after: Unit) -> str:
    if before.line == after.line:
        return " "
    return "\n" if before.block == after.block else "\n\n"
