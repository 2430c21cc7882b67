"""The order of the work, with a small tokenizer and a shell script in place of the tool's Python: what happens to a
result that is near, one that is far, and a tool that fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from models.quantize import quantize as module
from models.quantize.quantize import quantize
from models.quantize.types import Job, QuantizeError, Silent, Text
from tests.models.quantize.small_models import hollow_model

TEXT = Text((" ".join(str(n % 10) for n in range(64 * 40)),), "file x")
WRITES = """
case "$3" in
  *by_*) out=$(sed 's/.*"out": "\\([^"]*\\)".*/\\1/' "$4"); mkdir "$out"; printf 1234567890 > "$out/model.safetensors"
         echo 'noise of the tool' >&2; echo '{"result": {}}';;
  *compare) echo '{"result": {"original_perplexity": 10, "perplexity": %s, "agreement": %s, "positions": 512}}';;
esac
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({str(n): n for n in range(10)} | {"?": 10}, unk_token="?"))
    tokenizer.pre_tokenizer = Whitespace()
    folder = hollow_model(tmp_path / "model", {"model.layers.0.mlp.up_proj.weight": (64, 576)})
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def ask(model: Path, monkeypatch: pytest.MonkeyPatch, body: str, **more: object) -> Job:
    python = model.parent / "python"
    python.write_text(f"#!/bin/sh\n{body}\n")
    python.chmod(0o755)
    monkeypatch.setattr(module, "environment", lambda *_: python)
    return Job(model, "mine", "awq", "llmcompressor", model.parent / "out", length=64, **more)  # type: ignore[arg-type]


def test_a_near_result_is_put_in_place_with_its_report(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = ask(model, monkeypatch, WRITES % (10.5, 0.9))
    report = quantize(job, TEXT, model.parent / "tools", Silent())
    assert {path.name for path in job.out.iterdir()} == {
        "model.safetensors", "quantization.json", "QUANTIZATION.md", "quantize.log",
    }  # fmt: skip
    figures = json.loads((job.out / "quantization.json").read_text())
    assert (figures["group_size"], figures["bytes_after"], figures["usable"]) == (64, 10, True)
    assert (figures["calibration_tokens"], figures["held_out_tokens"]) == (32 * 64, 8 * 64)
    assert report.tool == "llmcompressor 0.14.0.1"
    assert "noise of the tool" in (job.out / "quantize.log").read_text()


def test_a_far_result_is_kept_aside_and_the_command_fails(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = ask(model, monkeypatch, WRITES % (99999, 0.02))
    with pytest.raises(QuantizeError, match=r"The result was rejected: it agrees with the original on 2\.0%") as failed:
        quantize(job, TEXT, model.parent / "tools", Silent())
    rejected = model.parent / "out.rejected"
    assert str(rejected) in failed.value.hint
    assert json.loads((rejected / "quantization.json").read_text())["usable"] is False
    assert not job.out.exists()


def test_a_tool_that_fails_leaves_its_words_and_no_folder(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = ask(model, monkeypatch, "echo 'RuntimeError: no kernel' >&2; exit 1")
    with pytest.raises(QuantizeError, match="The tool failed: RuntimeError: no kernel") as failed:
        quantize(job, TEXT, model.parent / "tools", Silent())
    assert "out.failed.log" in failed.value.hint
    assert sorted(path.name for path in model.parent.iterdir()) == ["model", "out.failed.log", "python"]


def test_a_tool_that_writes_nothing_is_no_success(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = ask(model, monkeypatch, "echo '{\"result\": {}}'")
    with pytest.raises(QuantizeError, match="wrote no weights"):
        quantize(job, TEXT, model.parent / "tools", Silent())


def test_what_can_be_refused_is_refused_before_an_environment_is_made(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = ask(model, monkeypatch, "exit 1", group_size=128)
    with pytest.raises(QuantizeError, match="A group of 128"):
        quantize(job, TEXT, model.parent / "tools", Silent())
    with pytest.raises(QuantizeError, match="too little text"):
        quantize(ask(model, monkeypatch, "exit 1"), Text(("1 2",), "file x"), model.parent / "tools", Silent())
    assert not (model.parent / "tools").exists()
