"""Scripts that no language was set for: left out and said, never read as something else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import Image

from ingestion.health import examine
from ingestion.ocr import tesseract
from ingestion.ocr.scripts import LANGUAGES, Script, foreign, readable, suggested, told, well_read
from ingestion.ocr.words import Word
from ingestion.sandbox import Limits, Recognition, parse
from ingestion.types import Refused
from tests.ingestion.ocr.pictures import scanned
from tests.ingestion.pdf_samples import lines, make

SAMPLES = Path(__file__).parent.parent.parent / "samples"
LIMITS = Limits(seconds=600, recognition=Recognition(languages=("eng",), page_seconds=300))
needs_tesseract = pytest.mark.skipif(
    not tesseract.installed() and not os.environ.get("CI"),
    reason="Tesseract is not installed: sudo python3 install.py --system",
)


def words(confidence: float, line: int, *texts: str) -> list[Word]:
    return [Word(text, 10.0 * at, 0, 10.0 * at + 8, 10, confidence, (1, 1, line)) for at, text in enumerate(texts)]


def test_what_detection_prints() -> None:
    printed = "Page number: 0\nRotate: 0\nScript: Cyrillic\nScript confidence: 6.11\n"
    assert told(printed) == Script("Cyrillic", 6.11)
    assert told("Too few characters") is None


def test_scripts_that_languages_are_written_in() -> None:
    assert "Cyrillic" not in readable(("deu", "eng"))
    assert "Latin" in readable(("ukr",))
    assert "Cyrillic" in readable(("ukr",))
    assert {"Han", "Korean"} <= readable(("jpn_vert",))
    assert "Greek" in readable(("script/Greek",))
    assert all(script in readable((suggested(script),)) for script in LANGUAGES)


def test_a_script_is_believed_if_it_is_surely_told_or_nothing_was_read() -> None:
    doubtful, nonsense = words(70, 1, "Dr", "Meier"), words(20, 1, "AAP", "SAlat")
    assert foreign(Script("Greek", 3.0), doubtful, ("eng",)) == "Greek"
    assert foreign(Script("Greek", 0.3), doubtful, ("eng",)) == ""
    assert foreign(Script("Korean", 0.3), nonsense, ("eng",)) == "Korean"
    assert foreign(Script("Korean", 9.0), nonsense, ("eng", "kor")) == ""
    assert foreign(None, nonsense, ("eng",)) == ""


def test_what_was_read_well_goes_by_lines() -> None:
    good, bad = words(95, 1, "Travel", "expenses"), words(60, 2, "EvtÖG", "TPLÄVTA")
    assert well_read([*good, *bad]) == good


@needs_tesseract
def test_a_page_in_a_foreign_script_is_refused_with_what_to_do() -> None:
    with pytest.raises(Refused) as caught:
        parse(SAMPLES / "scan-greek.png", "scan-greek.png", LIMITS)
    assert caught.value.code == "no_text"
    assert "Greek script" in str(caught.value)
    assert "add ell to BELEG_OCR_LANGUAGES" in str(caught.value)


@needs_tesseract
def test_a_page_that_is_lost_among_others_makes_the_file_partial(tmp_path: Path) -> None:
    sheet = Image.new("L", (1240, 1754), 255)
    sheet.paste(Image.open(SAMPLES / "scan-greek.png").convert("L"), (0, 100))
    path = make(tmp_path / "a.pdf", lines("A sentence."), scanned(sheet))
    parsed = parse(path, "a.pdf", LIMITS)
    assert (parsed.outcome, [page.text for page in parsed.pages]) == ("partial", ["A sentence.", ""])
    assert [(warning.code, warning.page) for warning in parsed.warnings] == [("script_not_read", 2)]


@needs_tesseract
def test_a_page_that_is_partly_in_a_foreign_script_is_read_as_far_as_can_be() -> None:
    parsed = parse(SAMPLES / "scan-english-korean.png", "a.png", LIMITS)
    assert parsed.outcome == "ocr"
    assert parsed.pages[0].text.startswith("Travel expenses are paid back within thirty days of the")
    assert parsed.pages[0].text.endswith("Flights are booked by the office, never by the traveller.")
    [note] = [warning for warning in parsed.warnings if warning.code == "script_not_read"]
    assert note.page == 1
    assert "kor to BELEG_OCR_LANGUAGES" in note.text
    health = examine(parsed, parsed.warnings, "en")
    assert [one.code for one in health.skipped] == ["script_not_read"]
    assert health.reasons == ("partial",)
