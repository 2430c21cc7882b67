"""A picture of one page of a PDF."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageChops

from ingestion.parsers.pdfium import DAMAGED, PageDamaged, opened
from ingestion.types import Refused

PAGE_MISSING = "The document has no page %(page)s."


def draw(path: Path, number: int, scale: float, pixels: int) -> bytes:
    """Page `number` as PNG, `scale` pixels a point but at most `pixels` in all. Raises `Refused`."""
    with opened(path) as document:
        if not 1 <= number <= document.pages:
            raise Refused("no_page", PAGE_MISSING, page=number)
        try:
            with document.page(number) as page:
                width, height, data = page.draw(scale, pixels)
        except PageDamaged:
            raise Refused("damaged", DAMAGED) from None
    return _png(Image.frombytes("RGB", (width, height), data, "raw", "RGBX"))


def _png(picture: Image.Image) -> bytes:
    """Pages in black and white take half the bytes and time as grey."""
    red, green, blue = picture.split()
    if ImageChops.difference(red, green).getbbox() is None and ImageChops.difference(red, blue).getbbox() is None:
        picture = red
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=3)
    return out.getvalue()
