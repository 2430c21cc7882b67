"""Pages that were scanned aslant."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ingestion.ocr.skew import as_scanned, levelled, skew_of
from ingestion.types import Box

WIDE, HIGH = 1240, 900


def page() -> Image.Image:
    """Bars for words, in lines."""
    image = Image.new("L", (WIDE, HIGH), 255)
    draw = ImageDraw.Draw(image)
    for line in range(14):
        for word in range(9):
            x = 150 + word * 100 + (line % 3) * 7
            draw.rectangle((x, 150 + line * 40, x + 70 + word % 4 * 5, 166 + line * 40), fill=0)
    return image


def aslant(image: Image.Image, degrees: float) -> np.ndarray:
    return np.asarray(image.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255))


def ink(pixels: np.ndarray) -> tuple[int, int, int, int]:
    """The box around what is dark."""
    found = Image.fromarray(255 - pixels).point(lambda value: value * (value > 128)).getbbox()
    assert found is not None
    return found


@pytest.mark.parametrize("degrees", [-7.0, -3.2, -1.0, 0.8, 2.0, 5.5])
def test_the_angle_is_found(degrees: float) -> None:
    assert skew_of(aslant(page(), degrees)) == pytest.approx(-degrees, abs=0.3)


def test_a_level_page_and_pictures_without_lines_are_left_as_they_are() -> None:
    assert skew_of(np.asarray(page())) == 0.0
    noise = np.random.default_rng(1).integers(0, 256, (600, 800), dtype=np.uint8)
    for pixels in (np.full((600, 800), 255, np.uint8), np.zeros((600, 800), np.uint8), noise):
        assert skew_of(pixels) == 0.0
        assert levelled(pixels, 0.0) is pixels


@pytest.mark.parametrize("degrees", [-4.0, 3.0])
def test_boxes_go_back_to_where_the_words_are(degrees: float) -> None:
    word = Image.new("L", (WIDE, HIGH), 255)
    ImageDraw.Draw(word).rectangle((900, 200, 980, 220), fill=0)
    before = word.rotate(-degrees, Image.Resampling.BICUBIC, fillcolor=255)
    level = Box(*ink(levelled(np.asarray(before), degrees)))
    box = as_scanned(level, degrees, (WIDE, HIGH))
    x0, y0, x1, y1 = ink(np.asarray(before))
    assert x0 - 10 < box.x0 <= x0 + 2
    assert x1 - 2 <= box.x1 < x1 + 10
    assert y0 - 15 < box.y0 <= y0 + 2
    assert y1 - 2 <= box.y1 < y1 + 15
