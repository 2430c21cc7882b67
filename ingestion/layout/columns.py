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
PROSE_LETTERS = 15  # a shorter line is no running text
FULL = 0.72  # share of its column's width that a line of running text fills


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
    if _right_to_left(segments):
        left, right = right, left
    return [region for part in (above, left, right, below) for region in _split(part, depth - 1)]


def _right_to_left(segments: list[Segment]) -> bool:
    text = "".join(segment.text for segment in segments[:50])
    return sum("\u0590" <= letter < "\u0900" for letter in text) * 2 > len(text)


def _best_gutter(segments: list[Segment]) -> _Gutter | None:
    boxes = np.array([(s.box.x0, s.box.y0, s.box.x1, s.box.y1) for s in segments])
    letters = np.array([sum(map(str.isalpha, s.text)) for s in segments])
    if (letters >= PROSE_LETTERS).sum() < FEWEST:
        return None
    width = max(5.0, 0.6 * float(np.median(boxes[:, 3] - boxes[:, 1])))
    best: _Gutter | None = None
    for x in _candidates(boxes, letters >= PROSE_LETTERS):
        for found in _bands(boxes, letters, x, width):
            if best is None or found.lines > best.lines:
                best = found
    return best


def _candidates(boxes: NDArray[np.float64], prose: NDArray[np.bool_]) -> list[float]:
    """Left edges that at least a few lines of running text share, but for the leftmost of all."""
    edges = np.sort(boxes[prose, 0])
    groups = np.split(edges, np.flatnonzero(np.diff(edges) > 3.0) + 1)
    shared = [group for group in groups if len(group) >= FEWEST and group[0] > boxes[:, 0].min() + 20]
    return [float(group[0]) for group in sorted(shared, key=len, reverse=True)[:8]]


def _bands(boxes: NDArray[np.float64], letters: NDArray[np.int64], x: float, width: float) -> list[_Gutter]:
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
        if _are_columns(boxes, letters, left & (band == at), right & (band == at)):
            found.append(_Gutter(x - 0.5, float(edges[at]), float(edges[at + 1]), int(lines[at])))
    return found


def _are_columns(
    boxes: NDArray[np.float64], letters: NDArray[np.int64], left: NDArray[np.bool_], right: NDArray[np.bool_]
) -> bool:
    running = _runs(boxes[left], letters[left]), _runs(boxes[right], letters[right])
    if all(running):
        return True
    return any(running) and _aligned(boxes[left], boxes[right]) < 0.4


def _runs(boxes: NDArray[np.float64], letters: NDArray[np.int64]) -> bool:
    """Is this side running text: do most of its letters stand in lines that fill its width?"""
    width = boxes[:, 2].max() - boxes[:, 0].min()
    full = (letters >= PROSE_LETTERS) & (boxes[:, 2] - boxes[:, 0] >= FULL * width)
    return bool(full.sum() >= FEWEST and letters[full].sum() >= 0.6 * letters.sum())


def _aligned(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Share of the shorter side's segments that stand on a line with one of the other side."""
    few, many = sorted((left, right), key=len)
    bases, others = few[:, 3], many[:, 3]
    height = float(np.median(few[:, 3] - few[:, 1]))
    near = np.abs(bases[:, None] - others[None, :]).min(axis=1) < 0.25 * height
    return float(near.mean())
