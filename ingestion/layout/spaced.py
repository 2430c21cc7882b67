"""Letters set apart from each other ("J A H R E S B E R I C H T"): the words they make."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEWEST = 4  # letters by themselves
MOSTLY = 0.8  # of the pieces between spaces are single letters
WORD_GAP = 1.7  # times the usual gap between two letters


def is_spaced(text: str) -> bool:
    pieces = text.split(" ")
    if list(map(len, pieces)).count(1) < max(FEWEST, MOSTLY * len(pieces)):
        return False
    single = [piece for piece in pieces if len(piece) == 1]
    letters = sum(map(str.isalpha, single))
    return letters >= FEWEST and letters * 2 > len(single)


def words(text: str, boxes: NDArray[np.float32]) -> str:
    """`text`, a character a box, without the spaces between letters of one word: gaps between words are wider."""
    solid = [at for at, letter in enumerate(text) if letter > " "]
    gaps = np.maximum(boxes[solid[1:], 0] - boxes[solid[:-1], 2], boxes[solid[:-1], 0] - boxes[solid[1:], 2])
    usual = float(np.median(gaps))
    parted = gaps > max(WORD_GAP * usual, usual + 0.5)
    return text[solid[0]] + "".join(" " * bool(gap) + text[at] for at, gap in zip(solid[1:], parted, strict=True))
