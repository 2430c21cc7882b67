"""Where columns end."""

from __future__ import annotations

from pathlib import Path

from ingestion.parsers.pdf import read
from tests.ingestion.pdf_samples import both, column, font, lines, make

ACROSS = "Ein Schluss unter beiden Spalten, der über die ganze Breite der Seite reicht, von links nach rechts"


def texts(path: Path) -> list[str]:
    page = read(path, lambda _done, _total: None).pages[0]
    return [line for line in page.text.splitlines() if line]


def test_the_heading_of_what_follows_below_the_columns_is_read_after_both(tmp_path: Path) -> None:
    heading = font("Helvetica-Bold", 11, lines("Weiteres zum Schluss", x=60, y=418))
    page = both(column(0, 20, x=60), column(7, 20, x=320), heading, lines(ACROSS, x=60, y=400))
    assert texts(make(tmp_path / "a.pdf", page))[-2:] == ["Weiteres zum Schluss", ACROSS]


def test_the_last_line_of_the_longer_column_stays_in_it(tmp_path: Path) -> None:
    page = both(column(0, 21, x=60), column(7, 20, x=320), lines(ACROSS, x=60, y=410))
    found = texts(make(tmp_path / "a.pdf", page))
    assert len(found) == 42
    assert found[:21] == lines_of(0, 21)


def lines_of(start: int, count: int) -> list[str]:
    written: list[str] = []

    class Recorder:
        def drawString(self, _x: float, _y: float, text: str) -> None:  # noqa: N802  reportlab's name
            written.append(text)

    column(start, count, x=60)(Recorder())  # type: ignore[arg-type]
    return written
