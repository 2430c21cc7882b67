"""PDFs made for tests, each a few lines of reportlab, and what is read of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from ingestion.parsers.pdf import read
from ingestion.types import Block, Parsed

Draw = Callable[[Canvas], None]

LOREM = (  # noqa: SIM905
    "Die Gesellschaft stellt jedem Mitarbeiter die Arbeitsmittel zur Verfügung die er für seine Aufgabe braucht und "
    "ersetzt Auslagen gegen Beleg innerhalb von vierzehn Tagen nach Vorlage der Rechnung bei der Buchhaltung im Haus"
).split()


def make(path: Path, *pages: Draw, **options: Any) -> Path:
    """A PDF of `pages`, A4."""
    canvas = Canvas(str(path), pagesize=A4, **options)
    for draw in pages:
        canvas.setFont("Helvetica", 11)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return path


def raw(path: Path, *objects: str) -> Path:
    """A PDF of hand-written objects, numbered from 1; the first is the catalog."""
    body = "%PDF-1.7\n" + "".join(f"{at} 0 obj\n{one}\nendobj\n" for at, one in enumerate(objects, 1))
    path.write_bytes((body + f"trailer\n<</Root 1 0 R/Size {len(objects) + 1}>>\n%%EOF\n").encode("latin-1"))
    return path


def stream(content: str, more: str = "") -> str:
    return f"<</Length {len(content)}{more}>>\nstream\n{content}\nendstream"


def lines(*texts: str, x: float = 72, y: float = 720, leading: float = 14) -> Draw:
    def draw(canvas: Canvas) -> None:
        for at, text in enumerate(texts):
            canvas.drawString(x, y - at * leading, text)

    return draw


def both(*draws: Draw) -> Draw:
    def draw(canvas: Canvas) -> None:
        for one in draws:
            one(canvas)

    return draw


def font(name: str, size: float, draw: Draw) -> Draw:
    def styled(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.setFont(name, size)
        draw(canvas)
        canvas.restoreState()

    return styled


def unicode_font() -> str:
    """A TrueType font that comes with reportlab, with a map to Unicode in the PDF."""
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
    return "Vera"


def column(start: int, count: int, x: float, width: int = 38) -> Draw:
    """Running text, `count` lines of about `width` letters."""
    words = (LOREM * (count + 1))[start:]
    texts = []
    for _ in range(count):
        line = ""
        while len(line) < width:
            line += words.pop(0) + " "
        texts.append(line.strip())
    return lines(*texts, x=x)


def scan(text: str = "Gescannt") -> Draw:
    """A page that is one picture."""
    picture = Image.new("L", (600, 800), 255)
    ImageDraw.Draw(picture).text((100, 100), text, fill=0)
    data = io.BytesIO()
    picture.save(data, "PNG")

    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(io.BytesIO(data.getvalue())), 0, 0, *A4)

    return draw


def quiet(done: int, total: int) -> None:
    pass


def text_of(parsed: Parsed, page: int = 1) -> str:
    return parsed.pages[page - 1].text


def blocks(path: Path, page: int = 1) -> list[Block]:
    return list(read(path, quiet).pages[page - 1].blocks)
