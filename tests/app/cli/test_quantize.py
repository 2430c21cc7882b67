"""`beleg quantize` as a person types it: what is refused is a sentence, before anything is fetched or computed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.quantize import quantize
from app.errors import BelegError
from tests.models.quantize.small_models import hollow_model

Refused = Callable[..., BelegError]


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refused:
    """The error `beleg quantize` ends with, on a data folder, a models folder and a model of its own."""
    model = hollow_model(tmp_path / "model", {"model.layers.0.mlp.up_proj.weight": (64, 576)})
    (tmp_path / "text.txt").write_text("Too little.\n")
    monkeypatch.setenv("BELEG_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("BELEG_MODELS_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    def ask(model: str = str(model), method: str = "awq", calibrate: str = "text.txt", tool: str = "") -> BelegError:
        with pytest.raises(BelegError) as error:
            quantize(
                model,
                method=method,  # type: ignore[arg-type]
                calibrate=str(tmp_path / calibrate) if calibrate.endswith(".txt") else calibrate,
                out=tmp_path / "out",
                tool=tool,
                samples=128,
                length=512,
                group_size=0,
                gpus=1,
                person="",
            )
        return error.value

    return ask


def test_an_unknown_model_is_named_with_those_there_are(refused: Refused) -> None:
    error = refused(model="nonsense")
    assert "There is no model named 'nonsense'" in str(error)
    assert "smollm2-135m" in error.hint


def test_neither_collection_nor_file(refused: Refused) -> None:
    error = refused(calibrate="Contracts")
    assert "There is no collection and no file Contracts" in str(error)
    assert "There are: none yet" in error.hint


def test_an_earlier_result_is_not_touched(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert "exists already" in str(refused())
    assert list((tmp_path / "out").iterdir()) == []


def test_a_tool_that_cannot_do_it(refused: Refused) -> None:
    assert "autoawq does not make gptq" in str(refused(method="gptq", tool="autoawq"))


def test_a_model_without_a_tokenizer(refused: Refused) -> None:
    assert "tokenizer.json" in str(refused(method="rtn"))


def test_an_unknown_method_names_the_four() -> None:
    command = [sys.executable, "-m", "app.cli", "quantize", "m", "--calibrate", "x", "--out", "y", "--method", "magic"]
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    for name in ("awq", "gptq", "rtn", "bitsandbytes"):
        assert name in done.stderr
