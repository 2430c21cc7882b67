"""What the planner recommends, and what it says when nothing fits."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from models.planner.advice import Plan, make_plan
from models.planner.cards import cards_here, parse_gpus
from models.planner.command import serve_command
from models.planner.layouts import Wanted, Wishes
from models.planner.memory import Serving
from models.planner.named import NAMED


def plan(model: str, gpus: str, people: int = 8, **serving: float) -> Plan:
    return make_plan(Wanted(NAMED[model], parse_gpus(gpus), Serving(**serving), Wishes(people)))  # type: ignore[arg-type]


def test_many_people_and_a_model_that_fits_one_card() -> None:
    made = plan("llama-3.1-8b-awq", "2xrtx4090", 40)
    assert made.recommended == "replicas2"
    assert "side by side" in made.reason
    assert "enough for 40" in made.reason
    assert "--set replicas=2" in serve_command(made)


def test_one_person_and_a_model_that_fits_one_card() -> None:
    """The weights are read by both cards at once: the answer is there sooner, in spite of the slow link."""
    made = plan("llama-3.1-8b-awq", "2xrtx4090", 1)
    assert made.recommended == "tp2"
    assert "through the host" in made.reason
    assert "--set p2p=false" in serve_command(made)


def test_a_model_that_needs_both_cards() -> None:
    made = plan("llama-3.1-70b-awq", "2xrtx4090")
    assert made.recommended == "tp2"
    assert [layout.fits for layout in made.layouts] == [False, True, True, False]
    assert "hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4" in serve_command(made)
    assert "--set tensor_parallel=2" in serve_command(made)


def test_nothing_fits_and_what_would() -> None:
    made = plan("llama-3.1-70b", "2xrtx4090")
    assert made.recommended == ""
    assert serve_command(made) == ""
    assert "llama-3.1-70b-awq" in made.reason
    assert "8 such cards" in made.reason
    shorter = plan("llama-3.1-70b-awq", "2xrtx4090", context=32768)
    assert "--context 8192" in shorter.reason


def test_more_people_than_fit_wait() -> None:
    assert "wait their turn" in plan("llama-3.1-70b-awq", "2xrtx4090", 40).reason


def test_an_unknown_card_has_sums_but_no_speeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver(tmp_path, monkeypatch, "NVIDIA Titan of Tomorrow, 49140\nNVIDIA Titan of Tomorrow, 49140\n")
    made = make_plan(Wanted(NAMED["llama-3.1-8b"], cards_here()))
    assert made.recommended
    assert all(layout.speed is None for layout in made.layouts)


def test_the_machine_tells_its_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver(tmp_path, monkeypatch, "NVIDIA GeForce RTX 4090, 24564\nNVIDIA GeForce RTX 4090, 24564\n")
    assert cards_here() == parse_gpus("2xrtx4090")
    driver(tmp_path, monkeypatch, "NVIDIA GeForce RTX 4090, 24564\nNVIDIA L4, 23034\n")
    with pytest.raises(ValueError, match="differ"):
        make_plan(Wanted(NAMED["llama-3.1-8b"], cards_here()))


def driver(place: Path, monkeypatch: pytest.MonkeyPatch, says: str) -> None:
    """A stand-in for the tool of NVIDIA's driver."""
    tool = place / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\nprintf '{says}'\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(place), prepend=":")
