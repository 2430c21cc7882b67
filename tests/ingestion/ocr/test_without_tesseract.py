"""What can be said and done on a machine that has no Tesseract."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from ingestion.ocr import recognise
from ingestion.ocr.words import words_of
from ingestion.sandbox import Limits, parse
from ingestion.types import Refused
from tests.ingestion.ocr.pictures import picture, scanned
from tests.ingestion.pdf_samples import lines, make


def test_without_tesseract_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognise.tesseract, "installed", lambda: False)
    picture(tmp_path, "Reisekosten").save(tmp_path / "a.png")
    with pytest.raises(Refused, match="not installed on this server"):
        parse(tmp_path / "a.png", "a.png", Limits())
    path = make(tmp_path / "a.pdf", lines("Ein Satz."), scanned(Image.open(tmp_path / "a.png")))
    parsed = parse(path, "a.pdf", Limits())
    assert [(warning.code, warning.page) for warning in parsed.warnings] == [("no_text_layer", 2)]


def test_lines_that_are_no_words_are_passed_over() -> None:
    good = "5\t1\t1\t1\t1\t1\t10\t10\t50\t20\t91.5\tWort"
    table = (
        f"level\tpage_num\n{good}\n4\t1\t1\t1\t1\t0\t1\t1\t1\t1\t-1\t\n5\t1\tx\t1\t1\t1\t1\t1\t1\t1\t1\tfalsch\n5\t1"
    )
    assert [(word.text, word.confidence) for word in words_of(table)] == [("Wort", 91.5)]
