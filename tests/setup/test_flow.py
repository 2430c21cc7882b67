"""The whole set-up, with programs that answer from a script: its order, its record, and how it fails."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import pytest

from installer import flow, machine
from installer.environment import Environment
from installer.steps import SetupError
from tests.setup.stand_ins import Paper, Script

GOOD = machine.Machine("Linux", "x86_64", ("glibc", "2.36"), frozenset({"avx2"}), 16 * machine.GB, True, False, True)


@pytest.fixture(autouse=True)
def _a_good_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "look", lambda: GOOD)
    monkeypatch.setattr(machine, "check_disk", lambda *_: None)


def set_up(project: Environment, script: Script, screen: Paper, *, dev: bool = False) -> None:
    flow.set_up(project.root, {"BELEG_PROFILE": "cpu"}, script, screen, dev=dev)


def test_the_order_of_the_steps(project: Environment, script: Script, screen: Paper) -> None:
    set_up(project, script, screen)
    signs = ["-m venv", "--upgrade pip", "--editable", "import torchvision", "import vllm"]
    assert [sign for command in script.asked for sign in signs if sign in command] == signs


def test_seconds_and_bytes_are_recorded_for_the_benchmark(project: Environment, script: Script, screen: Paper) -> None:
    script.when("--editable", says="  Downloading a-1.whl (3 MB)")
    set_up(project, script, screen)
    record = json.loads(project.record.read_text())
    steps = {step["name"]: step for step in record["steps"]}
    assert list(steps) == ["environment", "pip", "packages", "trying them out"]
    assert steps["packages"]["fetched_bytes"] == 3_000_000
    assert record["fresh"] is True
    assert record["total_seconds"] >= 0


def test_the_second_run_asks_nobody(made: Environment, script: Script, screen: Paper) -> None:
    set_up(made, script, screen)
    script.asked.clear()
    set_up(made, script, screen)
    assert script.asked == []


def test_after_a_failure_the_next_run_goes_on(made: Environment, script: Script, screen: Paper) -> None:
    script.when("--editable", code=1, says="NewConnectionError", times=1)
    with pytest.raises(SetupError, match="cannot be reached"):
        set_up(made, script, screen)
    assert Path(made.python).exists()
    set_up(made, script, screen)
    assert Path(made.python).exists()
    assert "interrupted" not in screen.text


def test_after_a_kill_the_next_run_starts_over(made: Environment, script: Script, screen: Paper) -> None:
    script.when("--editable", code=-9, times=1)
    with pytest.raises(SetupError):
        set_up(made, script, screen)
    set_up(made, script, screen)
    assert "interrupted" in screen.text


def test_two_at_once_in_one_folder(project: Environment) -> None:
    with (project.root / "install.py").open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(SetupError, match="Another set-up"), flow._alone(project.root):
            pass
