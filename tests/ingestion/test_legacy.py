"""Old office files: with LibreOffice they are read like new ones, without it the refusal says what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion import legacy, tool
from ingestion.sandbox import Limits, parse
from ingestion.types import Refused

SAMPLES = Path(__file__).resolve().parents[1] / "samples"


def read(name: str) -> tuple[str, str]:
    """The format and text of a sample; of a refusal "" and its code."""
    try:
        parsed = parse(SAMPLES / name, name, Limits(seconds=120))
    except Refused as refused:
        return "", refused.code
    return parsed.format, " ".join(" ".join(page.text for page in parsed.pages).split())


def without_office(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy, "office", lambda: None)


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("legacy_sample.doc", "doc", "To get started with swimming, first lay down in a water and try not to drown:"),
        ("legacy_sample.ppt", "ppt", "Let’s introduce a list"),
        ("legacy_sample.xls", "xls", "Year Freshwater Ducks 2019 120"),
    ],
)
def test_an_old_file_is_read_where_libreoffice_is_and_refused_with_that_reason_where_it_is_not(
    name: str, kind: str, expected: str
) -> None:
    found, text = read(name)
    if legacy.office() is None and kind not in legacy.WITHOUT:
        assert (found, text) == ("", "no_converter")
    else:
        assert found == kind
        assert expected in text


def test_nothing_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = set(legacy.SOCKETS.glob("OSL_PIPE_*"))
    read("legacy_sample.doc")
    assert list(tmp_path.iterdir()) == []
    assert set(legacy.SOCKETS.glob("OSL_PIPE_*")) <= before


def test_the_refusal_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    without_office(monkeypatch)
    with pytest.raises(Refused, match=r"LibreOffice.*not installed.*\.docx") as refused:
        parse(SAMPLES / "legacy_sample.doc", "Brief.doc", Limits(seconds=30))
    assert refused.value.code == "no_converter"


def test_a_workbook_is_read_without_libreoffice_and_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    without_office(monkeypatch)
    parsed = parse(SAMPLES / "legacy_sample.xls", "Enten.xls", Limits(seconds=30))
    assert "2022\t170" in parsed.pages[0].text
    assert [warning.code for warning in parsed.warnings] == ["number_formats"]


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.doc"
    path.write_bytes((SAMPLES / "legacy_sample.doc").read_bytes()[:3000])
    with pytest.raises(Refused) as refused:
        parse(path, "broken.doc", Limits(seconds=120))
    assert refused.value.code in ("damaged", "no_converter", "unsupported_type")


@pytest.mark.parametrize("office", ["as it is here", "none"])
def test_a_damaged_workbook_is_not_read_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, office: str) -> None:
    """LibreOffice opens what it does not know as a table of text, and made letters of the bytes."""
    if office == "none":
        without_office(monkeypatch)
    data = (SAMPLES / "legacy_sample.xls").read_bytes()
    (tmp_path / "a.xls").write_bytes(data[:8677] + data[8741:])
    with pytest.raises(Refused) as refused:
        parse(tmp_path / "a.xls", "a.xls", Limits(seconds=120))
    assert refused.value.code == "damaged"


def test_a_program_that_hangs_is_stopped_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy, "office", lambda: Path(str(tool.find("sh"))))
    monkeypatch.setattr(legacy, "_command", lambda program, *_: [str(program), "-c", "sleep 4242"])
    monkeypatch.setattr(legacy, "SECONDS", 1)
    with pytest.raises(Refused, match="longer than 1 seconds"):
        parse(SAMPLES / "legacy_sample.doc", "Brief.doc", Limits(seconds=30))


def test_it_is_started_anew_when_it_has_set_up_its_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "test -e begun && mkdir out && echo x > out/file.docx || { touch begun; exit 81; }"
    monkeypatch.setattr(legacy, "office", lambda: Path(str(tool.find("sh"))))
    monkeypatch.setattr(legacy, "_command", lambda program, *_: [str(program), "-c", script])
    with legacy.converted(SAMPLES / "legacy_sample.doc", "doc", Limits()) as made:
        assert made.read_text() == "x\n"
