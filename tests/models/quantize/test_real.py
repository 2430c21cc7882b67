"""SmolLM2, whole or three layers of it, really quantized by the command and really served.

One method runs with every `make test`, the others with `make test-quantize`: each wants an environment of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from models.engine.profiles import choose_profile
from models.engine.server import EngineServer
from tests.conftest import wait_ready
from tests.models.quantize.small_models import few_layers, prose

LAYERS, LENGTH = 3, 128
AGREE = 0.80  # of the served result's likeliest tokens with the unquantized model's


@pytest.fixture(scope="module")
def original(smollm_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return few_layers(smollm_folder, tmp_path_factory.mktemp("models") / "three-layers", LAYERS)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("text") / "records.txt"
    file.write_text(prose(), "utf-8")
    return file


def run(original: Path, text: Path, out: Path, *words: str) -> dict[str, Any]:
    """`beleg quantize` to its end; the report it wrote. Environments are kept beside the models, as for people."""
    command = [sys.executable, "-m", "app.cli", "quantize", str(original), "--calibrate", str(text), "--out", str(out)]
    done = subprocess.run(
        [*command, "--length", str(LENGTH), "--samples", "16", *words],
        check=False,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    log = out.with_name(f"{out.name}.failed.log")
    assert done.returncode == 0, done.stdout + done.stderr + (log.read_text()[-3000:] if log.exists() else "")
    report: dict[str, Any] = json.loads((out / "quantization.json").read_text())
    print(json.dumps(report))
    return report


@pytest.mark.timeout(1500)
def test_a_model_rounded_to_4_bits_is_served_and_answers_like_the_original(
    original: Path, text: Path, tmp_path: Path
) -> None:
    """Three layers: the whole of so small a model loses more by plain rounding than is let pass (decision 0044)."""
    report = run(original, text, tmp_path / "rtn", "--method", "rtn")
    assert report["usable"] is True
    assert report["group_size"] == 64, "128 does not divide 576"
    assert report["calibration_tokens"] == 0
    assert served_like(original, tmp_path / "rtn", text, tmp_path) > AGREE - 0.1


@pytest.mark.quantize
@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    "words",
    [
        ("--method", "awq"),
        ("--method", "awq", "--tool", "autoawq"),
        ("--method", "gptq"),
        ("--method", "bitsandbytes"),
    ],
    ids=lambda words: "-".join(words[1::2]),
)
def test_the_other_methods(original: Path, text: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    report = run(original, text, tmp_path / "out", *words)
    assert report["usable"] is True
    layers = report["bytes_before"] - EMBEDDING_BYTES
    assert report["bytes_after"] - EMBEDDING_BYTES < layers * 0.35
    if "bitsandbytes" not in words:
        assert served_like(original, tmp_path / "out", text, tmp_path) > AGREE


EMBEDDING_BYTES = 49152 * 576 * 2


def served_like(original: Path, result: Path, text: Path, place: Path) -> float:
    """The share of positions at which vLLM, serving `result`, finds the token likeliest that `original` does."""
    sequences = some_sequences(original, text)
    profile = replace(choose_profile(1024, kv_cache_gib=0.5), name="quantized")
    server = EngineServer(profile, result, "quantized", 0, place / "logs", place / "run")
    server.start()
    try:
        wait_ready(server)
        found = [likeliest_served(server, sequence) for sequence in sequences]
    finally:
        server.stop()
    pairs = [
        pair
        for ours, theirs in zip(likeliest(original, sequences), found, strict=True)
        for pair in zip(ours, theirs, strict=True)
    ]
    return sum(one == other for one, other in pairs) / len(pairs)


def some_sequences(original: Path, text: Path) -> list[list[int]]:
    from models.tokens import FolderTokenizer

    tokens = FolderTokenizer(original).encode(text.read_text("utf-8"))
    return [tokens[start : start + 256] for start in range(0, 4096, 1024)]


def likeliest(folder: Path, sequences: list[list[int]]) -> list[list[int]]:
    """After each token but the last, the token that the unquantized model finds likeliest."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval()
    with torch.inference_mode():
        return [model(torch.tensor([one])).logits[0, :-1].argmax(-1).tolist() for one in sequences]


def likeliest_served(server: EngineServer, tokens: list[int]) -> list[int]:
    """The same from vLLM: it gives for every token of a prompt the likeliest one at its place."""
    asked = {"model": "quantized", "prompt": tokens, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 1}
    headers = {"Authorization": f"Bearer {server.key}"}
    answer = httpx.post(f"{server.base_url}/completions", json=asked, headers=headers, timeout=300, trust_env=False)
    places = answer.json()["choices"][0]["prompt_logprobs"]
    return [next(int(token) for token, one in place.items() if one["rank"] == 1) for place in places if place]
