"""What cannot work is refused before vLLM is started, with the reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.engine.checks import check_profile
from models.engine.profiles import EngineProfile, ProfileError, load_profile, shipped
from models.planner.cards import parse_gpus
from models.planner.named import NAMED, find_shape

CPU = EngineProfile("mine", "cpu", 4096, threads="0-1")
GPU = EngineProfile("mine", "gpu", 4096)
CODER = NAMED["qwen2.5-coder-0.5b"]


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (replace(CPU, tensor_parallel=2), "9 attention heads"),
        (replace(CPU, tensor_parallel=2, threads="0"), "2 workers need 2 cores"),
        (replace(CPU, pipeline_parallel=2, eager=True), "eager"),
        (replace(CPU, block_size=48), "multiple of 32"),
        (replace(CPU, context_tokens=16384), "at most 8,192"),
        (replace(CPU, sequences=0), "sequences must be 1"),
        (replace(CPU, batched_tokens=4), "batched_tokens (4)"),
        (replace(CPU, kv_cache_gib=0), "kv_cache_gib"),
        (replace(GPU, block_size=24), "16, 32, 64, 128"),
        (replace(GPU, replicas=3), "takes 3 cards, and this machine has 2"),
        (replace(GPU, gpu_memory=1.2), "between 0 and 1"),
    ],
)
def test_it_says_what_cannot_work(profile: EngineProfile, said: str) -> None:
    with pytest.raises(ProfileError) as caught:
        check_profile(profile, NAMED["smollm2-135m"], parse_gpus("2xrtx4090"))
    assert said in str(caught.value)


def test_older_cards_keep_keys_and_values_in_16_bits() -> None:
    with pytest.raises(ProfileError, match="kv_cache_dtype to auto"):
        check_profile(replace(GPU, kv_cache_dtype="fp8"), CODER, parse_gpus("rtx3090"))


def test_what_a_processor_does_not_compute() -> None:
    with pytest.raises(ProfileError, match="fp8"):
        check_profile(CPU, NAMED["llama-3.1-8b-fp8"])


def test_what_can_work_passes() -> None:
    check_profile(replace(CPU, tensor_parallel=2), CODER)
    check_profile(replace(CPU, pipeline_parallel=2, eager=False), CODER)
    check_profile(CPU, None)


@pytest.mark.parametrize("name", shipped())
def test_shipped_profiles_can_work(name: str) -> None:
    profile = load_profile(name)
    check_profile(profile, find_shape(profile.model) if profile.model else CODER, parse_gpus("2xrtx4090"))
