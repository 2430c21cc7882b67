"""`beleg quantize` as a person types it: what is refused is a sentence, before anything is fetched or computed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.models.quantize.small_models import hollow_model

Beleg = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def quantize(tmp_path: Path) -> Beleg:
    """Runs `beleg quantize ...` with a data folder, a models folder and a model of its own."""
    model = hollow_model(tmp_path / "model", {"model.layers.0.mlp.up_proj.weight": (64, 576)})
    (tmp_path / "text.txt").write_text("Too little.\n")
    folders = {"BELEG_DATA_DIR": str(tmp_path / "data"), "BELEG_MODELS_DIR": str(tmp_path / "models")}

    def run(*words: str, model: str = str(model), calibrate: str = str(tmp_path / "text.txt")) -> object:
        command = [sys.executable, "-m", "app.cli", "quantize", model, "--calibrate", calibrate]
        return subprocess.run(
            [*command, "--out", str(tmp_path / "out"), *words],
            check=False,
            env={**os.environ, **folders, "COLUMNS": "200", "NO_COLOR": "1", "HF_HUB_OFFLINE": "1"},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run  # type: ignore[return-value]


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_an_unknown_model_is_named_with_those_there_are(quantize: Beleg) -> None:
    said = refused(quantize(model="nonsense"))
    assert "There is no model named 'nonsense'" in said
    assert "smollm2-135m" in said


def test_neither_collection_nor_file(quantize: Beleg) -> None:
    said = refused(quantize(calibrate="Contracts"))
    assert "There is no collection and no file Contracts" in said
    assert "There are: none yet" in said


def test_an_earlier_result_is_not_touched(quantize: Beleg, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert "exists already" in refused(quantize())
    assert list((tmp_path / "out").iterdir()) == []


def test_a_tool_that_cannot_do_it(quantize: Beleg) -> None:
    said = refused(quantize("--method", "gptq", "--tool", "autoawq"))
    assert "autoawq does not make gptq" in said


def test_a_model_without_a_tokenizer(quantize: Beleg) -> None:
    assert "tokenizer.json" in refused(quantize("--method", "rtn"))


def test_an_unknown_method_names_the_four(quantize: Beleg) -> None:
    done = quantize("--method", "magic")
    assert done.returncode == 2
    for name in ("awq", "gptq", "rtn", "bitsandbytes"):
        assert name in done.stderr
