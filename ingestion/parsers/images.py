"""Pictures (PNG, JPEG, TIFF, WEBP, BMP, GIF): each frame of a TIFF a page, of everything else the first. Their text is
what text recognition finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from PIL import Image

from ingestion.layout.blocks import to_pages
from ingestion.layout.furniture import without_furniture
from ingestion.ocr.notes import failure, recognition_notes
from ingestion.ocr.results import Results, Wanted
from ingestion.parsers.frame import Frame
from ingestion.parsers.image_frames import animated, frames, opened, scaled, size, upright
from ingestion.parsers.page_read import PageRead, lost, recognised
from ingestion.types import Outcome, Parsed, Refused, Warning

SMALL, ENLARGED, MOST_ENLARGED = 1_800, 2_600, 3.0  # pixels of the longer side that text recognition likes

NOT_INSTALLED = (
    "The file is a picture, and text recognition (Tesseract) is not installed on this server. "
    "Ask the administrator to install it, or upload the text as PDF or Word."
)
ONE_FRAME = "The picture moves; only what it shows first was read."
NO_TEXT = "No text was found in the picture. If there is some, photograph or scan it again, sharper and larger."
NOT_READ = "The text in the picture could not be recognised. Save it again as PNG, not larger than A4 at 300 dpi."


def read(path: Path, on_page: Callable[[int, int], None], results: Results | None = None) -> Parsed:
    """Raises `Refused` ("damaged", "too_large", "no_text"), and `Wanted` with the pages that `results` lacks."""
    sizes, moves = _sizes(path)
    if results is None:
        raise Refused("no_text", NOT_INSTALLED)
    total = len(sizes)
    on_page(0, total)
    pages = [_page(number, extent, results) for number, extent in enumerate(sizes, 1)]
    wanted = [number for number, page in enumerate(pages, 1) if page is None]
    if wanted:
        raise Wanted(wanted)
    found = [page for page in pages if page is not None]
    notes = [page.warning for page in found if page.warning is not None]
    if not any(page.rows.regions for page in found):
        if notes:
            raise Refused("no_text", NOT_READ)
        raise Refused("no_text", NO_TEXT)
    laid_out = to_pages(without_furniture([page.rows for page in found]))
    shown = tuple(page.as_shown(laid) for page, laid in zip(found, laid_out, strict=True))
    on_page(total, total)
    outcome: Outcome = "partial" if notes else "ocr"
    if moves:
        notes.append(Warning("frames_left", ONE_FRAME))
    return Parsed("image", outcome, shown, has_pages=True, warnings=(*notes, *recognition_notes(shown)))


def draw(path: Path, number: int, scale: float, pixels: int) -> Image.Image:
    """Page `number` as it is looked at, `scale` pixels a point but at most `pixels` in all. Raises `Refused`."""
    with opened(path) as picture:
        width, _ = size(picture, number)
        drawn = upright(picture, number, "RGB", pixels)
        return scaled(drawn, min(width * scale / drawn.width, 1.0))


def grey(path: Path, numbers: Sequence[int], pixels: int) -> Iterator[tuple[int, int, bytes] | None]:
    """Width, height and grey pixels of each page in `numbers`, None for one that cannot be drawn. Small pictures are
    enlarged. Raises `Refused`."""
    with opened(path) as picture:
        for number in numbers:
            try:
                drawn = upright(picture, number, "L", pixels)
            except Refused:
                yield None
                continue
            longer = max(drawn.size)
            by = min(ENLARGED / longer, MOST_ENLARGED) if longer < SMALL else 1.0
            drawn = scaled(drawn, min(by, (pixels / (drawn.width * drawn.height)) ** 0.5))
            yield drawn.width, drawn.height, drawn.tobytes()


def _sizes(path: Path) -> tuple[list[tuple[float, float] | None], bool]:
    """Of each page; None for a frame that is damaged or too large. A picture of one page is refused then. And whether
    it is one that moves."""
    with opened(path) as picture:
        count = frames(picture)
        sizes = [_size(picture, number, alone=count == 1) for number in range(1, count + 1)]
        return sizes, animated(picture)


def _size(picture: Image.Image, number: int, *, alone: bool) -> tuple[float, float] | None:
    try:
        return size(picture, number)
    except Refused:
        if alone:
            raise
        return None


def _page(number: int, extent: tuple[float, float] | None, results: Results) -> PageRead | None:
    if extent is None:
        return lost(number, failure("failed", number))
    found = results.page(number)
    if found is None:
        return None
    frame = Frame(0, 0, *extent, 0)
    if found.failed:
        return lost(number, failure(found.failed, number))
    return recognised(number, frame, found, results.line_share)
