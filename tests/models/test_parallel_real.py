"""Tensor and pipeline parallel, really run: the same greedy answers from one worker, from two that share each layer and
from two that divide the layers (a small random Llama, whose heads can be shared); and the planner's KV tokens against
what each engine reports."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from models.engine.checks import check_profile
from models.engine.profiles import GIB, EngineProfile
from models.engine.server import EngineServer
from models.planner.memory import Serving, kv_tokens, on_a_processor
from models.planner.shapes import read_shape
from models.planner.splits import Split
from tests.conftest import wait_ready

KV_GIB = 0.25
PROMPTS = ("The employee handbook says", "Wie viele Urlaubstage", "1, 2, 3, 4,")


@pytest.fixture(scope="module")
def small_llama(smollm_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four layers of random weights, four heads and two KV heads, with SmolLM2's tokenizer."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    folder = tmp_path_factory.mktemp("small-llama")
    for file in smollm_folder.iterdir():
        if "token" in file.name or "template" in file.name:
            shutil.copy(file, folder)
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=49152, hidden_size=128, intermediate_size=256, num_hidden_layers=4, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=2048, initializer_range=0.2, tie_word_embeddings=True,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def served(folder: Path, place: Path, profile: EngineProfile) -> tuple[list[str], int]:
    """The engine's greedy answers, and the KV tokens it reports."""
    check_profile(profile, read_shape(folder))
    server = EngineServer(profile, folder, "small", 0, place / "logs", place / "run")
    server.start()
    try:
        wait_ready(server)
        answers = [complete(server, prompt) for prompt in PROMPTS]
        reported = re.search(r"KV cache size: ([\d,]+) tokens", (place / "logs" / "engine.log").read_text())
        assert reported is not None
        return answers, int(reported[1].replace(",", ""))
    finally:
        server.stop()


def complete(server: EngineServer, prompt: str) -> str:
    asked = {"model": "small", "prompt": prompt, "max_tokens": 24, "temperature": 0}
    key = {"Authorization": f"Bearer {server.key}"}
    answer = httpx.post(f"{server.base_url}/completions", json=asked, headers=key, timeout=120, trust_env=False)
    return str(answer.raise_for_status().json()["choices"][0]["text"])


ONE = EngineProfile("one", "cpu", 1024, kv_cache_gib=KV_GIB, threads="0-1", dtype="float32", eager=True)
TENSOR = replace(ONE, name="tp2", threads="0|1", tensor_parallel=2)
PIPELINE = replace(ONE, name="pp2", threads="0|1", pipeline_parallel=2, eager=False)


@pytest.fixture(scope="module")
def alone(small_llama: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What one worker answers."""
    answers, reported = served(small_llama, tmp_path_factory.mktemp("one"), ONE)
    assert len(set(answers)) == len(PROMPTS), "a random model that always says the same would prove nothing"
    assert reported == predicted(small_llama, Split())
    return answers


@pytest.mark.timeout(900)
def test_two_workers_that_share_each_layer_answer_as_one(small_llama: Path, alone: list[str], tmp_path: Path) -> None:
    answers, reported = served(small_llama, tmp_path, TENSOR)
    assert answers == alone
    assert reported == predicted(small_llama, Split(tensor=2))


@pytest.mark.timeout(900)
def test_two_workers_that_divide_the_layers_answer_as_one(small_llama: Path, alone: list[str], tmp_path: Path) -> None:
    answers, reported = served(small_llama, tmp_path, PIPELINE)
    assert answers == alone
    assert reported == predicted(small_llama, Split(pipeline=2))


def predicted(folder: Path, split: Split) -> int:
    serving = on_a_processor(Serving(kv_entry_bytes=4), KV_GIB)
    return kv_tokens(read_shape(folder), KV_GIB * GIB, split, serving)
