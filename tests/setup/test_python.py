"""Which Python is taken, and what a person reads when none fits."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import install


def put_on_path(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_this_python_fits() -> None:
    assert install.fits(sys.version_info[:2])


@pytest.mark.parametrize("version", [(2, 7), (3, 10), (3, 15), ()])
def test_too_old_too_new_or_unknown_does_not_fit(version: tuple[int, ...]) -> None:
    assert not install.fits(version)


def test_a_name_on_path_that_does_not_start_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_on_path(tmp_path, "python3.13", "echo 'command not found' >&2; exit 127")
    put_on_path(tmp_path, "python3.12", "echo 3 12")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert install.find_python(("python3.13", "python3.12")) == str(tmp_path / "python3.12")


def test_an_old_python_hands_over_to_a_newer_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_on_path(tmp_path, "python3.12", 'if [ "$1" = -c ]; then echo 3 12; else echo "$@" > "$0.asked"; exit 7; fi')
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(install, "NAMES", ("python3.12",))
    assert install.hand_over(["--dev"]) == 7
    assert (tmp_path / "python3.12.asked").read_text().endswith("install.py --dev\n")


def test_without_any_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))
    assert install.main() == 1
    said = capsys.readouterr().out
    assert "needs Python 3.11" in said
    assert "this is 3.9" in said
    assert "apt-get install python3" in said


def test_old_pythons_can_read_the_script() -> None:
    """Everything before the hand-over is written so that Python 3.6 gets a message and no syntax error."""
    import ast

    source = Path(install.__file__).read_text("utf-8")
    ast.parse(source, feature_version=(3, 6))
    assert "from __future__" not in source
