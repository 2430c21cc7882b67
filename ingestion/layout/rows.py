"""Segments of one region to printed rows, their cells apart."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ingestion.layout.segments import GAP
from ingestion.layout.types import Row, Segment
from ingestion.types import Box

TOUCHING = 0.12  # heights between two segments that belong to one word (a superscript, a change of font)
BAND = 8.0  # points
MOST_BANDS = 4_000
INITIAL, RUNNING = 3, 12  # letters: a drop cap with its quotation mark; a shorter segment may be a figure above another
WIDE = 2.5  # heights of white that part two cells whatever stands above and below
LABEL = re.compile(r"[•◦▪▸●○■□–—*·‣⁃✓➢-]|\(?(\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]|\d{1,2}(\.\d{1,2}){1,4}\.?")
OPENING, CLOSING = "([{", ")]}"
TURNED = str.maketrans(OPENING + CLOSING, CLOSING + OPENING)
CURRENCY = re.compile(r"(?:^|\s)([$€£¥]\s?\(?)$")


def to_rows(segments: Sequence[Segment]) -> list[Row]:
    """Rows from top to bottom, then text that runs up or down the page, each line of it a row."""
    lines = _lines([segment for segment in segments if segment.upright])
    rows = [_row(line) for line in lines]
    rows = [_joined(rows, at) for at in range(len(rows))]
    return [
        *_spanning_merged(rows),
        *(replace(_row([segment]), aside=True) for segment in segments if not segment.upright),
    ]


def _lines(segments: list[Segment]) -> list[list[Segment]]:
    """Segments that stand on one line. Each is compared with the tallest of its line, so that lines do not chain."""
    lines: list[list[Segment]] = []
    bands: dict[int, list[int]] = defaultdict(list)  # which lines reach into which stripe of the page
    for segment in sorted(segments, key=lambda s: -_height(s)):
        near = {at for at in bands[int(segment.middle // BAND)] if _belongs(lines[at], segment)}
        if near:
            lines[min(near, key=lambda at: (abs(lines[at][0].middle - segment.middle), at))].append(segment)
            continue
        lines.append([segment])
        first, last = int(segment.box.y0 // BAND), int(segment.box.y1 // BAND)
        for band in range(max(first, -MOST_BANDS), min(last, MOST_BANDS) + 1):
            bands[band].append(len(lines) - 1)
    return sorted(lines, key=lambda line: max(line, key=lambda s: len(s.text)).middle)


def _height(segment: Segment) -> float:
    return segment.box.y1 - segment.box.y0


def _belongs(line: list[Segment], segment: Segment) -> bool:
    """A letter that begins a paragraph and is as tall as several lines stands on the first of them only."""
    if not _on_one_line(line[0], segment):
        return False
    under = (one for one in line[1:] if len(line[0].text) <= INITIAL and _stacked(one, segment))
    return len(segment.text) <= RUNNING or all(segment.box.y0 < one.middle < segment.box.y1 for one in under)


def _on_one_line(tall: Segment, low: Segment) -> bool:
    if _height(low) > 0.8 * _height(tall):
        return abs(tall.middle - low.middle) < 0.4 * _height(tall)
    overlap = min(tall.box.y1, low.box.y1) - max(tall.box.y0, low.box.y0)
    return overlap > 0.8 * _height(low) or (overlap > 0.4 * _height(low) and not _stacked(tall, low))


def _stacked(a: Segment, b: Segment) -> bool:
    """One above the other (a small note under a large figure) and not side by side."""
    shared = min(a.box.x1, b.box.x1) - max(a.box.x0, b.box.x0)
    return shared > 0.3 * min(a.box.x1 - a.box.x0, b.box.x1 - b.box.x0)


def _row(line: list[Segment]) -> Row:
    if len(line) == 1:
        one = line[0]
        return Row((one.text,), ((one.box.x0, one.box.x1),), one.box, one.size, one.bold, one.hyphen)
    letters = sum(len(s.text) for s in line)
    backwards = sum(_right_to_left_letters(s.text) for s in line) * 2 > letters
    ordered = sorted(line, key=lambda s: -s.box.x1 if backwards else s.box.x0)
    cells, ranges = [ordered[0].text], [(ordered[0].box.x0, ordered[0].box.x1)]
    for before, segment in pairwise(ordered):
        gap = max(segment.box.x0 - before.box.x1, before.box.x0 - segment.box.x1)
        height = max(_height(before), _height(segment))
        if gap > GAP * height:
            cells.append(segment.text)
            ranges.append((segment.box.x0, segment.box.x1))
        else:
            touching = -0.3 * height < gap < TOUCHING * height
            cells[-1] += ("" if touching else " ") + segment.text
            ranges[-1] = (min(ranges[-1][0], segment.box.x0), max(ranges[-1][1], segment.box.x1))
    longest = max(line, key=lambda s: len(s.text))
    bold = sum(len(s.text) for s in line if s.bold) > 0.8 * letters
    if backwards:
        cells = [_with_brackets(cell) for cell in cells]
    cells, ranges = _currency_with_figures(cells, ranges)
    return Row(tuple(cells), tuple(ranges), _around(line), longest.size, bold, ordered[-1].hyphen)


def _right_to_left_letters(text: str) -> int:
    return 0 if text.isascii() else sum("\u0590" <= letter < "\u0900" for letter in text)


def _with_brackets(text: str) -> str:
    """Brackets of right-to-left text come turned round where the file says what they mean, not how they look."""
    found = [letter for letter in text if letter in OPENING or letter in CLOSING]
    turned = bool(found) and found[0] in CLOSING and found[-1] in OPENING
    return text.translate(TURNED) if turned else text


def _currency_with_figures(
    cells: list[str], ranges: list[tuple[float, float]]
) -> tuple[list[str], list[tuple[float, float]]]:
    """Accounts print the currency sign in a narrow column of its own: it goes with the figure it stands before."""
    for at in range(len(cells) - 2, -1, -1):
        sign = CURRENCY.search(cells[at])
        if sign and cells[at + 1][0] in "0123456789(-—–":
            cells[at + 1] = sign.group(1) + cells[at + 1]
            cells[at] = cells[at][: sign.start()]
            if not cells[at]:
                del cells[at], ranges[at]
    return cells, ranges


def _around(line: Sequence[Segment]) -> Box:
    boxes = [segment.box for segment in line]
    return Box(
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )


def _joined(rows: list[Row], at: int) -> Row:
    """Justified lines have wide gaps too: a gap that no neighbouring row shares parts no cells, nor does the one after
    a bullet or number."""
    row = rows[at]
    if len(row.cells) < 2:
        return row
    height = row.box.y1 - row.box.y0
    near = [other for other in rows[max(0, at - 1) : at + 2] if other is not row and _next_to(row, other)]
    cells, ranges = [row.cells[0]], [row.ranges[0]]
    for cell, (start, end) in zip(row.cells[1:], row.ranges[1:], strict=True):
        gap = (ranges[-1][1], start)
        label = len(cells) == 1 and LABEL.fullmatch(cells[0]) and gap[1] - gap[0] < 4 * height
        if label or (abs(gap[1] - gap[0]) < WIDE * height and near and all(_covers(other, gap) for other in near)):
            cells[-1] += " " + cell
            ranges[-1] = (min(ranges[-1][0], start), max(ranges[-1][1], end))
        else:
            cells.append(cell)
            ranges.append((start, end))
    return replace(row, cells=tuple(cells), ranges=tuple(ranges))


def _next_to(row: Row, other: Row) -> bool:
    height = row.box.y1 - row.box.y0
    return max(other.box.y0 - row.box.y1, row.box.y0 - other.box.y1) < 1.2 * height


def _covers(row: Row, gap: tuple[float, float]) -> bool:
    middle = (gap[0] + gap[1]) / 2
    return any(start < middle < end for start, end in row.ranges)


def _spanning_merged(rows: list[Row]) -> list[Row]:
    """A cell centred over two rows of a table stands between them: it goes with the upper one, on its free side."""
    merged: list[Row] = []
    for at, row in enumerate(rows):
        after = rows[at + 1] if at + 1 < len(rows) else None
        if merged and after and _between(row, merged[-1], after):
            merged[-1] = _side_by_side(merged[-1], row)
        else:
            merged.append(row)
    return merged


def _between(row: Row, above: Row, below: Row) -> bool:
    height = row.box.y1 - row.box.y0
    overlaps = above.box.y1 - row.box.y0 > 0.25 * height and row.box.y1 - below.box.y0 > 0.25 * height
    free = row.box.x1 <= above.box.x0 or row.box.x0 >= above.box.x1
    return overlaps and free and len(above.cells) > 1


def _side_by_side(row: Row, cell: Row) -> Row:
    first, second = sorted((row, cell), key=lambda r: r.box.x0)
    box = Box(first.box.x0, row.box.y0, second.box.x1, row.box.y1)
    return replace(row, cells=first.cells + second.cells, ranges=first.ranges + second.ranges, box=box, hyphen=False)
