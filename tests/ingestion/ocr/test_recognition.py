"""Scans and pictures, read by the real Tesseract in its confined process."""

from __future__ import annotations

import io
import os
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4

from ingestion.ocr import tesseract
from ingestion.sandbox import Limits, Recognition, draw_page, parse
from ingestion.types import Parsed, Refused
from tests.ingestion.ocr.pictures import drawn, picture, scanned
from tests.ingestion.pdf_samples import both, column, font, lines, make

pytestmark = pytest.mark.skipif(
    not tesseract.installed() and not os.environ.get("CI"),
    reason="Tesseract is not installed: sudo python3 install.py --system",
)

LIMITS = Limits(seconds=120, recognition=Recognition(languages=("deu", "eng"), page_seconds=300))
TRAVEL = ("Reisekosten werden binnen 30 Tagen erstattet.", "Hotels kosten höchstens 95 Euro je Nacht.")


def read(path: Path, limits: Limits = LIMITS) -> Parsed:
    return parse(path, path.name, limits)


def codes(parsed: Parsed) -> list[tuple[str, int | None]]:
    return [(warning.code, warning.page) for warning in parsed.warnings]


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "bmp", "gif"])
def test_a_picture_is_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scan.{suffix}"
    picture(tmp_path, *TRAVEL).save(path)
    parsed = read(path)
    assert (parsed.format, parsed.outcome) == ("image", "ocr")
    assert all(line in parsed.pages[0].text for line in TRAVEL)
    assert (parsed.pages[0].confidence or 0) > 80
    assert codes(parsed) == [("recognised", None)]


def test_boxes_lie_on_the_words_of_the_picture_that_people_see(tmp_path: Path) -> None:
    picture(tmp_path, *TRAVEL).save(tmp_path / "a.png", dpi=(200, 200))
    page = read(tmp_path / "a.png").pages[0]
    seen = Image.open(io.BytesIO(draw_page(tmp_path / "a.png", 1, LIMITS, 2.0))).convert("L")
    assert (seen.width, seen.height) == pytest.approx((page.width * 2, page.height * 2), abs=2)
    ink = np.asarray(seen) < 128
    inside = np.zeros_like(ink)
    for line in (line for block in page.blocks for line in block.lines):
        assert line.box is not None
        x0, y0, x1, y1 = (round(edge * 2) for edge in (line.box.x0, line.box.y0, line.box.x1, line.box.y1))
        assert ink[y0:y1, x0:x1].any()
        inside[y0 - 3 : y1 + 3, x0 - 3 : x1 + 3] = True
    assert not (ink & ~inside).any()


def test_every_page_of_a_tiff(tmp_path: Path) -> None:
    first, second = picture(tmp_path, "Erste Seite des Vertrags"), picture(tmp_path, "Zweite Seite des Vertrags")
    first.save(tmp_path / "a.tif", save_all=True, append_images=[second], dpi=(200, 200))
    parsed = read(tmp_path / "a.tif")
    assert [page.text for page in parsed.pages] == ["Erste Seite des Vertrags", "Zweite Seite des Vertrags"]
    assert parsed.pages[0].width == pytest.approx(420, abs=1)


def test_a_photograph_is_turned_as_its_camera_says(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned clockwise
    picture(tmp_path, *TRAVEL).rotate(90, expand=True).save(tmp_path / "a.jpg", exif=exif)
    page = read(tmp_path / "a.jpg").pages[0]
    assert TRAVEL[0] in page.text
    assert page.width > page.height


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_a_page_on_its_side_is_read_and_marked_where_it_is_seen(tmp_path: Path, turned: int) -> None:
    texts = [*TRAVEL, "Belege sind im Original bei der Buchhaltung einzureichen.", "Das gilt auch für Dienstreisen."]
    picture(tmp_path, *texts).rotate(turned, expand=True).save(tmp_path / "a.png", dpi=(200, 200))
    page = read(tmp_path / "a.png").pages[0]
    assert TRAVEL[0] in page.text
    boxes = [line.box for block in page.blocks for line in block.lines if line.box]
    assert all(0 <= box.x0 < box.x1 <= page.width and 0 <= box.y0 < box.y1 <= page.height for box in boxes)
    tall = boxes[0].y1 - boxes[0].y0 > boxes[0].x1 - boxes[0].x0
    assert tall == (turned != 180)


def test_scanned_pages_among_others(tmp_path: Path) -> None:
    image = picture(tmp_path, *TRAVEL, size=A4)
    stamped = both(scanned(picture(tmp_path, "Anlage zum Vertrag", size=A4)), lines("Seite 3"))
    parsed = read(make(tmp_path / "a.pdf", lines("Ein Satz."), scanned(image), stamped))
    assert parsed.outcome == "text"
    assert [page.confidence is None for page in parsed.pages] == [True, False, False]
    assert TRAVEL[1] in parsed.pages[1].text
    assert parsed.pages[2].text.count("Seite 3") == 1
    assert "Anlage zum Vertrag" in parsed.pages[2].text
    assert "pages: 2-3" in parsed.warnings[0].text


def test_a_useless_text_layer_is_noticed_and_the_page_recognised(tmp_path: Path) -> None:
    image = picture(tmp_path, *TRAVEL, size=A4)
    parsed = read(make(tmp_path / "a.pdf", both(scanned(image), lines('"7+%- &*#?!+ /(=)'))))
    assert TRAVEL[0] in parsed.pages[0].text
    assert parsed.outcome == "text"


def test_columns_in_order(tmp_path: Path) -> None:
    page = font("Helvetica", 9, both(column(0, 12, x=40, width=42), column(7, 12, x=320, width=42)))
    drawn(tmp_path, page, (595, 330)).save(tmp_path / "a.png")
    written = parse(tmp_path / "drawn.pdf", "drawn.pdf", LIMITS).pages[0].text.split()
    seen = read(tmp_path / "a.png").pages[0].text.split()
    assert seen[:5] == written[:5]
    assert seen[-5:] == written[-5:]


def test_a_picture_without_text_is_refused(tmp_path: Path) -> None:
    Image.new("RGB", (400, 300), "white").save(tmp_path / "a.png")
    with pytest.raises(Refused) as caught:
        read(tmp_path / "a.png")
    assert caught.value.code == "no_text"


def test_progress_is_told_and_what_it_raises_ends_the_programs(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", *[scanned(picture(tmp_path, *TRAVEL, size=A4))] * 4)
    told: list[tuple[int, int]] = []

    def stop_after_two(done: int, total: int) -> None:
        told.append((done, total))
        if (2, 4) in told and (4, 4) in told and told[-1] == (2, 4):
            raise KeyError("enough")

    with pytest.raises(KeyError):
        parse(path, "a.pdf", LIMITS, stop_after_two)
    assert not [child for child in psutil.Process().children(recursive=True) if "tesseract" in child.name()]


def test_a_page_that_takes_too_long_costs_that_page(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", lines("Ein Satz."), scanned(picture(tmp_path, *TRAVEL, size=A4)))
    parsed = read(path, replace(LIMITS, recognition=replace(LIMITS.recognition, page_seconds=0.01)))
    assert parsed.outcome == "partial"
    assert ("not_recognised", 2) in codes(parsed)
    assert "Ein Satz." in parsed.pages[0].text


def test_more_pages_than_are_recognised(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", *[scanned(picture(tmp_path, *TRAVEL, size=A4))] * 2)
    parsed = read(path, replace(LIMITS, recognition=replace(LIMITS.recognition, pages=1)))
    assert TRAVEL[0] in parsed.pages[0].text
    assert ("not_recognised", 2) in codes(parsed)


def test_a_language_that_is_not_installed_is_named(tmp_path: Path) -> None:
    picture(tmp_path, *TRAVEL).save(tmp_path / "a.png")
    recognition = replace(LIMITS.recognition, languages=("deu", "tlh"))
    parsed = read(tmp_path / "a.png", replace(LIMITS, recognition=recognition))
    assert TRAVEL[0] in parsed.pages[0].text
    assert any(warning.code == "languages_missing" and "tlh" in warning.text for warning in parsed.warnings)


def test_a_damaged_picture(tmp_path: Path) -> None:
    picture(tmp_path, *TRAVEL).save(tmp_path / "whole.png")
    (tmp_path / "a.png").write_bytes((tmp_path / "whole.png").read_bytes()[:2000])
    with pytest.raises(Refused) as caught:
        read(tmp_path / "a.png")
    assert caught.value.code in ("damaged", "no_text")


def test_a_picture_that_claims_to_be_giant(tmp_path: Path) -> None:
    data = io.BytesIO()
    Image.new("1", (1, 1)).save(data, "PNG")
    bomb = bytearray(data.getvalue())
    bomb[16:24] = (60_000).to_bytes(4, "big") * 2
    bomb[29:33] = zlib.crc32(bytes(bomb[12:29])).to_bytes(4, "big")
    (tmp_path / "a.png").write_bytes(bytes(bomb))
    with pytest.raises(Refused) as caught:
        read(tmp_path / "a.png")
    assert caught.value.code == "too_large"


def test_the_languages_that_are_installed() -> None:
    assert {"deu", "eng"} <= tesseract.languages()
