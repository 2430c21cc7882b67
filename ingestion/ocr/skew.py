"""Pages that were scanned aslant: by how much, the picture made level, and boxes taken back to where they were."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ingestion.types import Box

Pixels = NDArray[np.uint8]

STEEPEST, STEP, FINE = 8.0, 0.5, 0.1  # degrees
ENOUGH = 0.4  # degrees; Tesseract reads what is less aslant, and its lines stay apart
CLEARER = 1.3  # times as clear as the page as it is
SIZE = 1_200  # pixels of the longer side that it is measured at
POINTS = 100_000  # dark ones that are looked at
MOST_INK = 0.25  # share of the page; more is a photograph, or white on black


def skew_of(pixels: Pixels) -> float:
    """Degrees that the page has to be turned, counterclockwise, for its lines to be level; 0 where it is, or where no
    lines are to be seen."""
    rows, columns, high = _ink(pixels)
    if not len(rows):
        return 0.0
    as_it_is = _clearness(rows, columns, high, 0.0)
    coarse = max(np.arange(-STEEPEST, STEEPEST + STEP, STEP).tolist(), key=lambda a: _clearness(rows, columns, high, a))
    fine = np.arange(coarse - STEP, coarse + STEP, FINE).tolist()
    best = max(fine, key=lambda angle: _clearness(rows, columns, high, angle))
    clearer = _clearness(rows, columns, high, best) > CLEARER * as_it_is
    return round(best, 1) if clearer and ENOUGH <= abs(best) <= STEEPEST else 0.0


def levelled(pixels: Pixels, degrees: float) -> Pixels:
    """Of the same size; what is turned in from outside is of the colour of the paper."""
    if not degrees:
        return pixels
    paper = int(np.median(pixels[:: max(1, len(pixels) // 200)]))
    turned = Image.fromarray(pixels).rotate(degrees, Image.Resampling.BICUBIC, fillcolor=paper)
    return np.asarray(turned)


def as_scanned(box: Box, degrees: float, size: tuple[float, float]) -> Box:
    """The box on the levelled page of `size`, around the same words on the page as it was."""
    if not degrees:
        return box
    turn, middle = radians(degrees), (size[0] / 2, size[1] / 2)
    corners = [(x - middle[0], y - middle[1]) for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
    xs = [middle[0] + x * cos(turn) - y * sin(turn) for x, y in corners]
    ys = [middle[1] + x * sin(turn) + y * cos(turn) for x, y in corners]
    return Box(max(min(xs), 0.0), max(min(ys), 0.0), min(max(xs), size[0]), min(max(ys), size[1]))


def _ink(pixels: Pixels) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Where the page is dark, on a smaller picture of it."""
    by = max(1, max(pixels.shape) // SIZE)
    high, wide = (side // by * by for side in pixels.shape)
    small = pixels[:high, :wide].reshape(high // by, by, wide // by, by).min(axis=(1, 3))
    dark = small < 128
    if dark.mean() > MOST_INK * by:
        return np.array([]), np.array([]), 0
    rows, columns = (found[:: len(found) // POINTS + 1].astype(float) for found in np.nonzero(dark))
    return rows, columns, len(small)


def _clearness(rows: NDArray[np.float64], columns: NDArray[np.float64], high: int, degrees: float) -> float:
    """How much lines and the white between them stand out when the page is turned."""
    moved = (rows - columns * np.tan(radians(degrees))).astype(int)
    counts = np.bincount(moved - moved.min(), minlength=high).astype(float)
    return float(np.square(np.diff(counts)).sum())
