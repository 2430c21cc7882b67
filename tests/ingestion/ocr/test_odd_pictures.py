"""Pictures as people scan and save them: aslant, light on nothing, moving, and more pages than there is time for."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps
from reportlab.lib.pagesizes import A4

from ingestion.ocr import recognise, tesseract
from ingestion.sandbox import parse
from tests.ingestion.ocr.pictures import picture, scanned
from tests.ingestion.ocr.test_recognition import LIMITS, TRAVEL, codes, read
from tests.ingestion.pdf_samples import make

pytestmark = pytest.mark.skipif(
    not tesseract.installed() and not os.environ.get("CI"),
    reason="Tesseract is not installed: sudo python3 install.py --system",
)


def test_a_page_scanned_aslant_is_read_in_order_and_marked_where_it_is_seen(tmp_path: Path) -> None:
    texts = [*TRAVEL, "Belege sind im Original bei der Buchhaltung einzureichen."]
    image = picture(tmp_path, *texts, size=(595, 250)).rotate(4, Image.Resampling.BICUBIC, fillcolor=255)
    image.save(tmp_path / "a.png", dpi=(200, 200))
    page = read(tmp_path / "a.png").pages[0]
    assert page.text == "\n".join(texts)
    ink = np.asarray(image) < 128
    scale = image.width / page.width
    for line in (line for block in page.blocks for line in block.lines):
        assert line.box is not None
        x0, y0, x1, y1 = (round(edge * scale) for edge in (line.box.x0, line.box.y0, line.box.x1, line.box.y1))
        columns = np.flatnonzero(ink[y0:y1, x0:x1].any(axis=0))
        assert len(columns) > 0.7 * len(line.text) * 10  # the words are in it from end to end
        assert columns[0] < 40
        assert columns[-1] > x1 - x0 - 40


def test_light_print_on_nothing_is_seen(tmp_path: Path) -> None:
    print_ = picture(tmp_path, *TRAVEL)
    light = Image.new("RGBA", print_.size, (255, 255, 255, 0))
    light.putalpha(ImageOps.invert(print_))
    light.save(tmp_path / "a.png")
    assert TRAVEL[0] in read(tmp_path / "a.png").pages[0].text


def test_of_a_moving_picture_the_first_frame_is_read_and_that_is_said(tmp_path: Path) -> None:
    first, second = picture(tmp_path, *TRAVEL), picture(tmp_path, "Etwas anderes")
    first.save(tmp_path / "a.gif", save_all=True, append_images=[second], duration=200)
    parsed = read(tmp_path / "a.gif")
    assert TRAVEL[0] in parsed.pages[0].text
    assert codes(parsed) == [("frames_left", None), ("recognised", None)]
    assert parsed.outcome == "ocr"


def test_what_was_recognised_stays_when_the_time_for_the_file_is_used_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognise, "_seconds", lambda _job, _limits: 0.01)
    path = make(tmp_path / "a.pdf", *[scanned(picture(tmp_path, *TRAVEL, size=A4))] * 3)
    one_at_a_time = replace(LIMITS, recognition=replace(LIMITS.recognition, at_once=1))
    parsed = parse(path, "a.pdf", one_at_a_time)
    assert parsed.outcome == "partial"
    assert TRAVEL[0] in parsed.pages[0].text
    assert codes(parsed)[:2] == [("not_recognised", 2), ("not_recognised", 3)]
    assert "than all its pages may take together" in parsed.warnings[0].text
