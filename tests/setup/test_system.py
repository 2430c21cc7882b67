"""Programs of the system: installed where that is allowed, else advised; missing under CI is an error."""

from __future__ import annotations

import pytest

from installer import system
from installer.steps import SetupError
from tests.setup.stand_ins import Paper, Script

CHROMIUM, TESSERACT = system.NEEDS[:2]


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    found = {"apt-get", *(need.programs[-1] for need in system.NEEDS)}
    monkeypatch.setattr(system.shutil, "which", lambda name: f"/usr/bin/{name}" if name in found else None)
    monkeypatch.setattr(system.os, "geteuid", lambda: 0)
    return found


@pytest.mark.parametrize("browser", CHROMIUM.programs)
def test_nothing_to_do_where_all_is_there(browser: str, programs: set[str], script: Script, screen: Paper) -> None:
    programs -= set(CHROMIUM.programs)
    programs.add(browser)
    system.install_packages(script, screen, {"CI": "true"})
    assert script.asked == []


def test_root_on_debian_installs_what_is_missing(programs: set[str], script: Script, screen: Paper) -> None:
    programs -= {*CHROMIUM.programs, *TESSERACT.programs}
    script.when("update", code=100, times=2)
    system.install_packages(script, screen, {})
    assert [" update" in command for command in script.asked] == [True, True, True, False]
    assert "install --yes --no-install-recommends chromium" in script.asked[-1]
    assert "tesseract-ocr tesseract-ocr-osd tesseract-ocr-deu" in script.asked[-1]


def test_only_what_is_missing(programs: set[str], script: Script, screen: Paper) -> None:
    programs -= set(TESSERACT.programs)
    system.install_packages(script, screen, {})
    assert "tesseract-ocr" in script.asked[-1]
    assert "chromium" not in script.asked[-1]


def test_others_read_how(programs: set[str], script: Script, screen: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
    programs -= {*CHROMIUM.programs, *TESSERACT.programs}
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000)
    system.install_packages(script, screen, {})
    assert "they are skipped" in screen.text
    assert "Tesseract, which is not installed" in screen.text
    with pytest.raises(SetupError, match="need Chromium"):
        system.install_packages(script, screen, {"CI": "true"})
