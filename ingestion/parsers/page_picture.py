"""Pictures of the pages of a file, where it has pages that can be drawn: for people, and for text recognition."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image, ImageChops

from ingestion.parsers import images, pdf_picture
from ingestion.sniff import sniff
from ingestion.types import Refused

NO_PICTURES = "Pages of this kind of file cannot be drawn."


def png(path: Path, number: int, scale: float, pixels: int) -> bytes:
    """Page `number` as PNG, `scale` pixels a point but at most `pixels` in all. Raises `Refused`."""
    found = sniff(path, "")
    if found == "pdf":
        return _png(pdf_picture.draw(path, number, scale, pixels))
    if found == "image":
        return _png(images.draw(path, number, scale, pixels))
    raise Refused("no_page", NO_PICTURES)


def grey(path: Path, name: str, numbers: Sequence[int], pixels: int) -> Iterator[tuple[int, int, bytes] | None]:
    """Width, height and grey pixels of each page in `numbers`, None for one that cannot be drawn. Raises `Refused`."""
    draw = images.grey if sniff(path, name) == "image" else pdf_picture.grey
    return draw(path, numbers, pixels)


def _png(picture: Image.Image) -> bytes:
    """Pages in black and white take half the bytes and time as grey."""
    red, green, blue = picture.split()
    if ImageChops.difference(red, green).getbbox() is None and ImageChops.difference(red, blue).getbbox() is None:
        picture = red
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=3)
    return out.getvalue()
