"""What the machine must have: each lack is named, with what to do about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from installer import machine
from installer.machine import GB, Machine, check, check_disk, choose_profile
from installer.steps import SetupError
from tests.setup.stand_ins import Paper, Script

GOOD = Machine("Linux", "x86_64", ("glibc", "2.36"), frozenset({"avx2"}), 16 * GB, True, False, True)


def test_a_good_machine_passes_in_silence(screen: Paper) -> None:
    check(GOOD, "cpu", screen)
    assert screen.text == ""


@pytest.mark.parametrize(
    ("lack", "what", "todo"),
    [
        ({"system": "Darwin", "processor": "arm64"}, "Darwin on arm64", "Linux"),
        ({"processor": "i686"}, "i686", "Linux"),
        ({"libc": ("", "")}, "another C library", "Debian"),
        ({"libc": ("glibc", "2.28")}, "2.28", "Debian"),
        ({"flags": frozenset({"sse4_2"})}, "AVX2", "host"),
        ({"has_venv": False}, "venv", "sudo apt-get install python3."),
    ],
)
def test_a_lack_is_named_with_what_to_do(lack: dict[str, object], what: str, todo: str, screen: Paper) -> None:
    with pytest.raises(SetupError) as error:
        check(replace(GOOD, **lack), "cpu", screen)
    assert what in error.value.what
    assert todo in error.value.todo


def test_an_nvidia_card_needs_no_avx2(screen: Paper) -> None:
    check(replace(GOOD, flags=frozenset()), "gpu", screen)


def test_little_memory_is_only_noted(screen: Paper) -> None:
    check(replace(GOOD, memory=4 * GB), "cpu", screen)
    assert "4.0 GB of memory is little" in screen.text


def test_without_a_card_nobody_is_asked(script: Script) -> None:
    assert choose_profile(GOOD, {}, script) == "cpu"
    assert script.asked == []


@pytest.mark.parametrize(
    ("code", "says", "profile"),
    [(0, "GPU 0: NVIDIA RTX 4090", "gpu"), (9, "couldn't communicate with the driver", "cpu"), (0, "", "cpu")],
)
def test_profile_follows_the_card(
    code: int, says: str, profile: str, script: Script, screen: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine.shutil, "which", lambda name: f"/usr/bin/{name}")
    script.when("nvidia-smi -L", code=code, says=says)
    with_card = replace(GOOD, has_card=True)
    assert choose_profile(with_card, {}, script) == profile
    check(with_card, choose_profile(with_card, {}, script), screen)
    assert ("set up for the CPU" in screen.text) == (profile == "cpu")


def test_a_driver_that_hangs_is_no_card(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: object, **__: object) -> None:
        raise SetupError("said nothing", "")

    monkeypatch.setattr(machine.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(script, "run", hang)
    assert choose_profile(replace(GOOD, has_card=True), {}, script) == "cpu"


def test_a_card_wants_a_compiler(screen: Paper) -> None:
    check(replace(GOOD, has_card=True, has_compiler=False), "gpu", screen)
    assert "sudo apt-get install gcc python3." in screen.text


def test_profile_can_be_set(script: Script) -> None:
    assert choose_profile(replace(GOOD, has_card=True), {"BELEG_PROFILE": "CPU"}, script) == "cpu"
    with pytest.raises(SetupError, match="BELEG_PROFILE is `tpu`"):
        choose_profile(GOOD, {"BELEG_PROFILE": "tpu"}, script)


def test_a_full_disk_is_named_with_both_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda _: SimpleNamespace(free=2 * GB))
    with pytest.raises(SetupError) as error:
        check_disk(tmp_path, tmp_path / "not" / "there" / "models", "cpu", present=0)
    assert "2.0 GB free" in error.value.what
    assert "12.5 GB are wanted" in error.value.what
    assert "BELEG_MODELS_DIR" in error.value.todo


def test_what_is_there_already_is_not_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = tmp_path / "models"
    (models / "qwen2.5-coder-1.5b").mkdir(parents=True)
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda _: SimpleNamespace(free=3 * GB))
    check_disk(tmp_path, models, "cpu", present=5 * GB)
