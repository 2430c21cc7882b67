"""Where does a page fall into columns? A recursive XY cut (Nagy and Seth, 1984) that leaves tables whole.

A gutter is a strip of white with running text on both sides. A table has white strips too, but its cells are short or
uneven and stand in line with each other, so its rows stay together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingestion.layout.types import Segment

DEPTH = 12
FEWEST = 3  # lines of running text that make a column
NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
PROSE_LETTERS = 15  # a shorter line is no running text
FULL = 0.72  # share of its column's width that a line of running text fills
NEARER = 1.5  # times
ONWARD = 0.2  # of the lines go on with a sentence where several columns stand side by side


@dataclass(frozen=True)
class _Gutter:
    x: float
    top: float
    bottom: float
    lines: int


def in_columns(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Regions of the page in reading order; together they hold every segment once."""
    return _split(list(segments), DEPTH)


def _split(segments: list[Segment], depth: int) -> list[list[Segment]]:
    gutter = _best_gutter(segments) if depth and len(segments) >= 2 * FEWEST else None
    if gutter is None:
        return [segments] if segments else []
    parts: tuple[list[Segment], ...] = ([], [], [], [])
    for segment in segments:
        if segment.middle <= gutter.top:
            parts[0].append(segment)
        elif segment.middle >= gutter.bottom:
            parts[3].append(segment)
        else:
            parts[1 if segment.box.x1 <= gutter.x else 2].append(segment)
    above, left, right, below = parts
    for heading in _heading_below(left, right, below):
        (left if heading in left else right).remove(heading)
        below.append(heading)
    if _right_to_left(segments):
        left, right = right, left
    return [region for part in (above, left, right, below) for region in _split(part, depth - 1)]


def _heading_below(left: list[Segment], right: list[Segment], below: list[Segment]) -> list[Segment]:
    """A line that stands below both columns, and nearer to what follows across the page, is the heading of that."""
    columns = [*left, *right]
    last = max(columns, key=lambda segment: segment.box.y1)
    line = [segment for segment in columns if segment.box.y1 > last.middle]
    rest = [segment for segment in columns if segment.box.y1 <= last.middle]
    if not below or not rest or (any(s in left for s in line) and any(s in right for s in line)):
        return []
    before = min(segment.box.y0 for segment in line) - max(segment.box.y1 for segment in rest)
    after = min(segment.box.y0 for segment in below) - last.box.y1
    height = last.box.y1 - last.box.y0
    return line if before > 0.5 * height and before > NEARER * after and after < height else []


def _right_to_left(segments: list[Segment]) -> bool:
    text = "".join(segment.text for segment in segments[:50])
    return sum("\u0590" <= letter < "\u0900" for letter in text) * 2 > len(text)


def _best_gutter(segments: list[Segment]) -> _Gutter | None:
    boxes = np.array([(s.box.x0, s.box.y0, s.box.x1, s.box.y1) for s in segments])
    letters = np.array([_letters(s.text) for s in segments])
    if (letters >= PROSE_LETTERS).sum() < FEWEST:
        return None
    onward = np.array([s.text[0].isalpha() and not s.text[0].isupper() for s in segments])
    width = max(5.0, 0.6 * float(np.median(boxes[:, 3] - boxes[:, 1])))
    best: _Gutter | None = None
    for x in _candidates(boxes, letters >= PROSE_LETTERS):
        for found in _bands(boxes, letters, onward, x, width):
            if best is None or found.lines > best.lines:
                best = found
    return best


def _letters(text: str) -> int:
    if text.isascii():  # a tenth of the time
        return len(text.encode().translate(None, NO_LETTERS))
    return sum(map(str.isalpha, text))


def _candidates(boxes: NDArray[np.float64], prose: NDArray[np.bool_]) -> list[float]:
    """Left edges that at least a few lines of running text share, but for the leftmost of all."""
    edges = np.sort(boxes[prose, 0])
    groups = np.split(edges, np.flatnonzero(np.diff(edges) > 3.0) + 1)
    shared = [group for group in groups if len(group) >= FEWEST and group[0] > boxes[:, 0].min() + 20]
    return [float(group[0]) for group in sorted(shared, key=len, reverse=True)[:8]]


def _bands(
    boxes: NDArray[np.float64], letters: NDArray[np.int64], onward: NDArray[np.bool_], x: float, width: float
) -> list[_Gutter]:
    """Stretches of the page in which nothing crosses the strip left of `x` and both sides hold columns."""
    middle = (boxes[:, 1] + boxes[:, 3]) / 2
    crossing = (boxes[:, 0] < x - 0.5) & (boxes[:, 2] > x - width)
    stops = np.sort(middle[crossing])
    band = np.searchsorted(stops, middle, side="right")
    left, right = ~crossing & (boxes[:, 0] < x - 0.5), ~crossing & (boxes[:, 0] >= x - 0.5)
    lines = np.minimum(
        np.bincount(band[left], minlength=len(stops) + 1), np.bincount(band[right], minlength=len(stops) + 1)
    )
    edges = np.concatenate(([-np.inf], stops, [np.inf]))
    found = []
    for at in np.flatnonzero(lines >= FEWEST).tolist():
        if _are_columns(boxes, letters, onward, left & (band == at), right & (band == at)):
            found.append(_Gutter(x - 0.5, float(edges[at]), float(edges[at + 1]), int(lines[at])))
    return found


def _are_columns(
    boxes: NDArray[np.float64],
    letters: NDArray[np.int64],
    onward: NDArray[np.bool_],
    left: NDArray[np.bool_],
    right: NDArray[np.bool_],
) -> bool:
    running = [_runs(boxes[side], letters[side], onward[side]) for side in (left, right)]
    if all(running):
        return True
    return any(running) and _aligned(boxes[left], boxes[right]) < 0.4


def _runs(boxes: NDArray[np.float64], letters: NDArray[np.int64], onward: NDArray[np.bool_]) -> bool:
    """Is this side running text: do most of its letters stand in lines that fill its width, or that of one of several
    columns in it? Cells of a table may fill theirs, but do not go on with the sentence of the line above."""
    full = _full(boxes, letters, np.full(len(boxes), boxes[:, 2].max() - boxes[:, 0].min()))
    if full.any():
        return True
    full = _full(boxes, letters, _own_widths(boxes, letters >= PROSE_LETTERS))
    return bool(full.any() and onward[full].mean() > ONWARD)


def _full(boxes: NDArray[np.float64], letters: NDArray[np.int64], widths: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which lines fill their widths; none if too few do."""
    full: NDArray[np.bool_] = (letters >= PROSE_LETTERS) & (boxes[:, 2] - boxes[:, 0] >= FULL * widths)
    enough = full.sum() >= FEWEST and letters[full].sum() >= 0.6 * letters.sum()
    return full if enough else np.zeros_like(full)


def _own_widths(boxes: NDArray[np.float64], prose: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How wide the stripe of running text is that each line stands in: lines above each other share one."""
    order = np.argsort(boxes[:, 0], kind="stable")
    reach = np.maximum.accumulate(np.where(prose, boxes[:, 2], -np.inf)[order])
    starts = np.concatenate(([True], boxes[order[1:], 0] >= reach[:-1]))
    stripe = np.cumsum(starts) - 1
    first = boxes[order, 0][starts]
    last = np.concatenate((reach[:-1][starts[1:]], reach[-1:]))
    widths = np.empty(len(boxes))
    widths[order] = (last - first)[stripe]
    return widths


def _aligned(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Share of the shorter side's segments that stand on a line with one of the other side."""
    few, many = sorted((left, right), key=len)
    bases, others = few[:, 3], many[:, 3]
    height = float(np.median(few[:, 3] - few[:, 1]))
    near = np.abs(bases[:, None] - others[None, :]).min(axis=1) < 0.25 * height
    return float(near.mean())
