"""Pictures of the pages of a PDF: for people, and for text recognition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

from ingestion.parsers.pdfium import DAMAGED, PageDamaged, opened
from ingestion.types import Refused

SCANNED = 300 / 72  # pixels a point: what text recognition likes,
LONGER_SIDE = 3_000  # and as many pixels: a page smaller than A4 may be a large one made small
PAGE_MISSING = "The document has no page %(page)s."


def draw(path: Path, number: int, scale: float, pixels: int) -> Image.Image:
    """Page `number` on white, `scale` pixels a point but at most `pixels` in all. Raises `Refused`."""
    with opened(path) as document:
        if not 1 <= number <= document.pages:
            raise Refused("no_page", PAGE_MISSING, page=number)
        try:
            with document.page(number) as page:
                width, height, data = page.draw(scale, pixels)
        except PageDamaged:
            raise Refused("damaged", DAMAGED) from None
    return Image.frombytes("RGB", (width, height), data, "raw", "RGBX")


def grey(path: Path, numbers: Sequence[int], pixels: int) -> Iterator[tuple[int, int, bytes] | None]:
    """Width, height and grey pixels of each page in `numbers`, None for one that cannot be drawn. Raises `Refused`."""
    with opened(path) as document:
        for number in numbers:
            try:
                with document.page(number) as page:
                    yield page.draw_grey(_scale(page.frame().size), pixels)
            except PageDamaged:
                yield None


def _scale(size: tuple[float, float]) -> float:
    return max(SCANNED, min(LONGER_SIDE / max(*size, 1.0), 2 * SCANNED))
