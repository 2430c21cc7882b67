"""Recognised pages that outlive an interruption: what is used again, and what is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4

from ingestion.ocr import kept, tesseract
from ingestion.ocr.kept import KeptPages
from ingestion.ocr.recognise import PageRecognition
from ingestion.ocr.results import Read
from ingestion.sandbox import Limits, Recognition, parse
from tests.ingestion.ocr.pictures import picture, scanned
from tests.ingestion.pdf_samples import make

needs_tesseract = pytest.mark.skipif(
    not tesseract.installed() and not os.environ.get("CI"),
    reason="Tesseract is not installed: sudo python3 install.py --system",
)
PAGE = Read("5\t1\t1\t1\t1\t1\t10\t10\t50\t20\t91.5\tWort", 1, 600, 400, -2.5, "")


def test_what_was_kept_comes_back_to_the_same_recogniser_only(tmp_path: Path) -> None:
    told: list[int] = []
    pages = KeptPages(tmp_path / "kept", lambda: told.append(1))
    assert not pages.any
    pages.keep("one", 7, PAGE)
    pages.keep("one", 8, PAGE)
    again = KeptPages(tmp_path / "kept")
    assert again.any
    assert sorted(again.pages("one")) == [(7, PAGE), (8, PAGE)]
    assert list(again.pages("another")) == []
    assert len(told) == 2


@pytest.mark.parametrize("damage", [b"", b"\x00" * 400, b"{}"])
def test_damaged_pages_are_passed_over(tmp_path: Path, damage: bytes) -> None:
    pages = KeptPages(tmp_path)
    for number in (1, 2, 3):
        pages.keep("one", number, PAGE)
    whole = (tmp_path / "3.page").read_bytes()
    (tmp_path / "1.page").write_bytes(damage)
    (tmp_path / "2.page").write_bytes(whole)  # of another page
    (tmp_path / "4.page").write_bytes(whole[:-1])
    (tmp_path / "page.page").write_bytes(whole)
    (tmp_path / "5.123").write_bytes(whole)  # was being written
    assert list(pages.pages("one")) == [(3, PAGE)]


def test_no_more_is_kept_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    KeptPages(tmp_path).keep("one", 1, PAGE)
    size = (tmp_path / "1.page").stat().st_size
    monkeypatch.setattr(kept, "MOST", 3 * size + size // 2)
    pages = KeptPages(tmp_path)
    for number in range(2, 9):
        pages.keep("one", number, PAGE)
    assert [number for number, _ in sorted(pages.pages("one"))] == [1, 2, 3]


def test_a_folder_that_cannot_be_written_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    KeptPages(tmp_path / "file" / "kept").keep("one", 1, PAGE)


@needs_tesseract
def test_reading_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    texts = [f"Kassenbuch vom {month}" for month in ("Januar", "Februar", "April", "Oktober")]
    path = make(tmp_path / "a.pdf", *[scanned(picture(tmp_path, text, size=A4)) for text in texts])
    limits = Limits(seconds=600, recognition=Recognition(("deu",), at_once=1, page_seconds=300))
    pages = KeptPages(tmp_path / "kept")

    def interrupt(done: int, _total: int) -> None:
        if done == 2 and pages.any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parse(path, "a.pdf", limits, interrupt, kept=pages)
    before = {number for number, _ in KeptPages(tmp_path / "kept").pages(_recogniser(tmp_path))}
    assert 2 <= len(before) < 4
    read_again: list[None] = []
    parsed = parse(path, "a.pdf", limits, kept=KeptPages(tmp_path / "kept", lambda: read_again.append(None)))
    assert [page.text for page in parsed.pages] == texts
    assert len(read_again) == 4 - len(before)


def _recogniser(folder: Path) -> str:
    with PageRecognition(folder, "a.pdf", Limits(recognition=Recognition(("deu",)))) as recognition:
        return recognition._recogniser.name
