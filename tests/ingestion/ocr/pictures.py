"""Pictures of text made for tests: pages of a PDF, drawn. No font of the machine is needed."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from ingestion.parsers.pdf_picture import draw
from tests.ingestion.pdf_samples import Draw, font, lines, make

A5 = (420, 298)  # points, on its side


def picture(folder: Path, *texts: str, size: tuple[float, float] = A5) -> Image.Image:
    """Lines of text, black on white, at 200 dpi."""
    return drawn(folder, font("Helvetica", 14, lines(*texts, x=40, y=800, leading=22)), size)


def drawn(folder: Path, page: Draw, size: tuple[float, float]) -> Image.Image:
    """The upper left `size` points of an A4 page."""
    scale = 200 / 72
    whole = draw(make(folder / "drawn.pdf", page), 1, scale, 10_000_000)
    return whole.crop((0, 0, int(size[0] * scale), int(size[1] * scale))).convert("L")


def scanned(image: Image.Image) -> Draw:
    """A page that is nothing but `image`."""
    data = io.BytesIO()
    image.save(data, "PNG")

    def page(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(io.BytesIO(data.getvalue())), 0, 0, *A4)

    return page
