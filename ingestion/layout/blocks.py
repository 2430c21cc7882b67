"""Rows to blocks: headings, paragraphs, list items and tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingestion.layout.tables import end_of_table, table
from ingestion.layout.types import PageRows, Row
from ingestion.layout.words import Spelling, joined_lines, spelling_of
from ingestion.layout.wrapped import with_whole_cells
from ingestion.types import Block, BlockKind, Line, Page

LARGER = 1.12  # times the body's size: a heading
HEADING_LETTERS = 160
HEADING_ROWS = 4
BULLET = re.compile(r"([•◦▪▸●○■□–—*·‣⁃✓➢-]|\(?(\d{1,3}|[a-z]|[ivx]{1,5})[.)])\s+\S")
SENTENCE_END = (".", "!", "?", ":", ";", "。", "”", '"')


@dataclass(frozen=True)
class Body:
    """What the document's running text looks like: its size, the sizes of headings above it (largest first), and its
    spelling. `outline` is how deep its outline goes; headings that are none of it stand below all that are."""

    size: float
    bold: bool
    headings: tuple[float, ...]
    spelling: Spelling
    outline: int = 0


def to_pages(pages: Sequence[PageRows]) -> list[Page]:
    body = measure(pages)
    return [
        Page(
            number=page.number,
            blocks=tuple(block for region in page.regions for block in to_blocks(region, body)),
            width=page.width,
            height=page.height,
        )
        for page in pages
    ]


def measure(pages: Sequence[PageRows]) -> Body:
    """The body's size is the size most letters have."""
    letters: Counter[tuple[float, bool]] = Counter()
    deepest = 0
    for page in pages:
        for region in page.regions:
            for row in region:
                letters[_rounded(row.size), row.bold] += len(row.text)
                deepest = max(deepest, row.outline[1])
    if not letters:
        return Body(0.0, False, (), Spelling(frozenset(), True))
    sizes: Counter[float] = Counter()
    for (size, _), count in letters.items():
        sizes[size] += count
    size = sizes.most_common(1)[0][0]
    bold = letters[size, True] > letters[size, False]
    headings = sorted((s for s in sizes if s >= size * LARGER), reverse=True)[:5]
    spelling = spelling_of(row for page in pages for region in page.regions for row in region)
    return Body(size, bold, tuple(headings), spelling, deepest)


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def to_blocks(rows: Sequence[Row], body: Body) -> list[Block]:
    """The rows of one region as blocks, in the same order."""
    blocks: list[Block] = []
    rows = with_whole_cells(rows, body.spelling)
    leading = _leading(rows)
    at = 0
    while at < len(rows):
        end = end_of_table(rows, at)
        if end - at >= 2:
            blocks.append(table(rows[at:end], body.spelling))
        else:
            kind = _kind(rows[at], body)
            end = at + 1
            while (
                end < len(rows)
                and end_of_table(rows, end) < end + 2
                and _goes_on(rows[at:end], rows[end], body, leading)
            ):
                end += 1
            blocks.append(_block(rows[at:end], kind, body))
        at = end
    return [block for block in blocks if block.lines]


def _leading(rows: Sequence[Row]) -> float:
    """The usual white space between two rows, in points."""
    gaps = sorted(b.box.y0 - a.box.y1 for a, b in pairwise(rows))
    return gaps[len(gaps) // 2] if gaps else 0.0


def _kind(row: Row, body: Body) -> BlockKind:
    if _is_heading(row, body):
        return "heading"
    return "list" if BULLET.match(row.text) else "paragraph"


def _is_heading(row: Row, body: Body) -> bool:
    if row.outline[0] and not row.aside:
        return True
    large = _rounded(row.size) >= body.size * LARGER
    bold = row.bold and not body.bold and row.size >= body.size * 0.95
    if not (large or bold) or row.aside or len(row.cells) > 2:
        return False
    text = row.text
    if len(text) > HEADING_LETTERS or sum(map(str.isalpha, text)) < 2:
        return False
    return large or not text.endswith((".", ",", ";"))


def _goes_on(block: Sequence[Row], row: Row, body: Body, leading: float) -> bool:
    """Does the block, a heading, paragraph or list item, go on with `row`?"""
    before, kind = block[-1], _kind(block[0], body)
    height = max(before.box.y1 - before.box.y0, 1.0)
    apart = row.box.y0 - before.box.y1 > leading + 0.4 * height or row.box.y0 < before.box.y0 - height
    if apart or row.aside or before.aside:
        return False
    if kind == "heading":
        if row.outline != before.outline or row.outline[0]:
            return row.outline == before.outline
        return _rounded(row.size) == _rounded(before.size) and row.bold == before.bold and not BULLET.match(row.text)
    if _kind(row, body) != "paragraph":
        return False
    return kind == "list" or not _indented(block, row)


def _indented(paragraph: Sequence[Row], row: Row) -> bool:
    """A first line set in, after a line that ended a sentence."""
    left = min(r.box.x0 for r in paragraph[1:] or paragraph)
    step = row.box.x0 - left
    return 0.7 * row.size < step < 4 * row.size and paragraph[-1].text.endswith(SENTENCE_END)


def _block(rows: Sequence[Row], kind: BlockKind, body: Body) -> Block:
    texts = joined_lines(rows, body.spelling)
    if kind == "heading" and (len(rows) > HEADING_ROWS or sum(map(len, texts)) > HEADING_LETTERS * 1.5):
        kind = "paragraph"  # printed in bold or large from end to end
    if kind == "heading":
        texts = [text.replace("\t", " ") for text in texts]
    lines = tuple(Line(text, row.box) for text, row in zip(texts, rows, strict=True) if text)
    return Block(kind, lines, level=_level(rows[0], body) if kind == "heading" else 0)


def _level(row: Row, body: Body) -> int:
    if row.outline[0]:
        return row.outline[1]
    size = _rounded(row.size)
    if size in body.headings:
        return body.outline + body.headings.index(size) + 1
    return body.outline + (len(body.headings) + (1 if size < body.size * LARGER else 0) or 1)
