"""How the space in which a page is described maps to the page as it is shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Boxes = NDArray[np.float32]


@dataclass(frozen=True)
class Frame:
    """How page space (PDF user space, origin at the lower left) maps to the page as shown: `left`, `bottom`, `right`,
    `top` are the visible box (CropBox within MediaBox), `turns` quarter turns clockwise (/Rotate)."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as shown, in points."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.turns % 2 else (width, height)


def shown(boxes: Boxes, frame: Frame) -> Boxes:
    """Left, bottom, right, top in page space -> x0, y0, x1, y1 on the page as shown."""
    x0, y0, x1, y1 = boxes.T
    if frame.turns == 0:
        edges = (x0 - frame.left, frame.top - y1, x1 - frame.left, frame.top - y0)
    elif frame.turns == 1:
        edges = (y0 - frame.bottom, x0 - frame.left, y1 - frame.bottom, x1 - frame.left)
    elif frame.turns == 2:
        edges = (frame.right - x1, y0 - frame.bottom, frame.right - x0, y1 - frame.bottom)
    else:
        edges = (frame.top - y1, frame.right - x1, frame.top - y0, frame.right - x0)
    return np.stack(edges, axis=1)


def in_page_space(boxes: Boxes, frame: Frame) -> Boxes:
    """The inverse of `shown`."""
    x0, y0, x1, y1 = boxes.T
    if frame.turns == 0:
        edges = (x0 + frame.left, frame.top - y1, x1 + frame.left, frame.top - y0)
    elif frame.turns == 1:
        edges = (y0 + frame.left, x0 + frame.bottom, y1 + frame.left, x1 + frame.bottom)
    elif frame.turns == 2:
        edges = (frame.right - x1, y0 + frame.bottom, frame.right - x0, y1 + frame.bottom)
    else:
        edges = (frame.right - y1, frame.top - x1, frame.right - y0, frame.top - x0)
    return np.stack(edges, axis=1)
