"""The frames of a picture file, by Pillow: their size on paper, and their pixels upright, on white.

Sizes are looked at before anything is decoded: a few bytes may claim to be billions of pixels.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image, ImageOps, TiffImagePlugin, UnidentifiedImageError, WebPImagePlugin  # noqa: F401  plug-ins

from ingestion.types import Refused

FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "DIB", "GIF")
MOST_PIXELS = 150_000_000  # of a frame as stored; an A0 sheet at 300 dpi has 140 million
MOST_FRAMES = 2_000
SCREEN = 96  # pixels an inch where the picture does not say
LONGEST = 842.0  # points, the longer side of A4; what claims to be far larger is shown at this size
FAR_LARGER = 2 * LONGEST
SOLID, LIGHT = 64, 200  # of 255: what is seen of a transparent picture, and what is not seen on white
ORIENTATION = 0x0112  # EXIF
ON_THEIR_SIDE = (5, 6, 7, 8)
BROKEN = (OSError, ValueError, SyntaxError, EOFError, KeyError, TypeError, IndexError, OverflowError)  # Pillow's ways

DAMAGED = "The picture is damaged and cannot be opened. Save it again in the program it was made with and upload that."
TOO_LARGE = "The picture has more than %(millions)s million pixels. Save it smaller and upload that."
NO_PAGE = "The document has no page %(page)s."


@contextmanager
def opened(path: Path) -> Iterator[Image.Image]:
    """The picture file at `path`. Raises `Refused`."""
    warnings.simplefilter("ignore")  # of Pillow: large pictures, odd tags
    Image.MAX_IMAGE_PIXELS = None  # we count ourselves
    try:
        picture = Image.open(path, formats=FORMATS)
    except (UnidentifiedImageError, *BROKEN) as error:
        raise Refused("damaged", DAMAGED) from error
    with picture:
        yield picture


def frames(picture: Image.Image) -> int:
    """How many pages the picture has: every frame of a TIFF, one of everything else. Raises `Refused`."""
    if picture.format != "TIFF":
        return 1
    try:
        return min(int(getattr(picture, "n_frames", 1)), MOST_FRAMES)
    except BROKEN as error:
        raise Refused("damaged", DAMAGED) from error


def animated(picture: Image.Image) -> bool:
    """Does it show more than its one page, one after the other?"""
    return picture.format != "TIFF" and bool(getattr(picture, "is_animated", False))


def size(picture: Image.Image, number: int) -> tuple[float, float]:
    """Width and height of page `number` as shown, in points, by its own word where that can be. Raises `Refused`."""
    _seek(picture, number)
    if picture.width * picture.height > MOST_PIXELS:
        raise Refused("too_large", TOO_LARGE, millions=MOST_PIXELS // 1_000_000)
    across, down = _resolution(picture)
    width, height = picture.width * 72 / across, picture.height * 72 / down
    if _orientation(picture) in ON_THEIR_SIDE:
        width, height = height, width
    longer = max(width, height)
    if longer > FAR_LARGER:
        width, height = width * LONGEST / longer, height * LONGEST / longer
    return round(max(width, 1.0), 2), round(max(height, 1.0), 2)


def upright(picture: Image.Image, number: int, mode: Literal["L", "RGB"], pixels: int) -> Image.Image:
    """Page `number` as it is looked at, on white, of about its own size but at most `pixels`. Raises `Refused`."""
    size(picture, number)
    area = picture.width * picture.height
    if area > pixels:  # a JPEG can be decoded smaller at once
        by = (pixels / area) ** 0.5
        picture.draft(None, (round(picture.width * by), round(picture.height * by)))
    try:
        picture.load()
        turned = ImageOps.exif_transpose(_plain(picture, mode))
    except BROKEN as error:
        raise Refused("damaged", DAMAGED) from error
    return scaled(turned, min(1.0, (pixels / (turned.width * turned.height)) ** 0.5))


def scaled(picture: Image.Image, by: float) -> Image.Image:
    if by == 1.0:
        return picture
    wide, high = max(1, int(picture.width * by)), max(1, int(picture.height * by))
    return picture.resize((wide, high), Image.Resampling.LANCZOS if by > 1 else Image.Resampling.BOX)


def _seek(picture: Image.Image, number: int) -> None:
    if not 1 <= number <= frames(picture):
        raise Refused("no_page", NO_PAGE, page=number)
    try:
        picture.seek(number - 1)
    except BROKEN as error:
        raise Refused("damaged", DAMAGED) from error


def _resolution(picture: Image.Image) -> tuple[float, float]:
    try:
        across, down = (float(value) for value in picture.info.get("dpi", (SCREEN, SCREEN)))
    except (TypeError, ValueError, ZeroDivisionError):
        return SCREEN, SCREEN
    sane = 50 <= across <= 2400 and 50 <= down <= 2400
    return (across, down) if sane else (SCREEN, SCREEN)


def _orientation(picture: Image.Image) -> int:
    try:
        return int(picture.getexif().get(ORIENTATION, 1))
    except BROKEN:
        return 1


def _plain(picture: Image.Image, mode: Literal["L", "RGB"]) -> Image.Image:
    """In eight bits a channel. What shows through is white, as on paper, or black behind light print."""
    if picture.mode.startswith(("I", "F")):
        return _eight_bits(picture).convert(mode)
    if "A" in picture.getbands() or "transparency" in picture.info:
        seen = picture.convert("RGBA")
        behind = Image.new("RGBA", seen.size, "black" if _is_light(seen) else "white")
        return Image.alpha_composite(behind, seen).convert(mode)
    return picture.convert(mode)


def _is_light(seen: Image.Image) -> bool:
    """Would next to nothing of it be seen on white?"""
    solid = np.asarray(seen.getchannel("A")) > SOLID
    grey = np.asarray(seen.convert("L"))[solid]
    return not solid.all() and grey.size > 0 and float(np.percentile(grey, 5)) > LIGHT


def _eight_bits(picture: Image.Image) -> Image.Image:
    values = np.asarray(picture).astype(np.float32)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    grey = np.nan_to_num((values - low) * (255 / max(high - low, 1e-6)))
    return Image.fromarray(grey.astype(np.uint8))
