"""How vLLM is started."""

from __future__ import annotations

import pytest

from models.engine import profiles
from models.engine.profiles import EngineProfile, choose_profile


def test_a_cpu_profile_bounds_its_memory_and_is_quiet() -> None:
    profile = EngineProfile("x", "cpu", 4096, kv_cache_gib=1.5, threads="0-1", more=("--seed=7",))
    arguments = profile.arguments()
    assert f"--kv-cache-memory-bytes={3 * (1 << 29)}" in arguments
    assert "--block-size=32" in arguments
    assert "--max-model-len=4096" in arguments
    assert arguments[-1] == "--seed=7", "what is added last wins"
    environment = profile.environment()
    assert environment["VLLM_CPU_OMP_THREADS_BIND"] == "0-1"
    assert environment["VLLM_NO_USAGE_STATS"] == environment["DO_NOT_TRACK"] == environment["HF_HUB_OFFLINE"] == "1"


def test_a_gpu_profile_leaves_the_block_size_to_vllm() -> None:
    arguments = EngineProfile("x", "gpu", 4096, gpus=2).arguments()
    assert "--tensor-parallel-size=2" in arguments
    assert not [argument for argument in arguments if argument.startswith(("--block-size", "--kv-cache-memory"))]
    assert "VLLM_CPU_OMP_THREADS_BIND" not in EngineProfile("x", "gpu", 4096).environment()


def test_the_machine_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "has_gpu", lambda: True)
    assert choose_profile(8192).device == "gpu"
    monkeypatch.setattr(profiles, "has_gpu", lambda: False)
    profile = choose_profile(8192, 2.0, "", "--seed 7 --chat-template 'a b'")
    assert profile.device == "cpu"
    assert profile.threads == profiles.all_cores()
    assert profile.more == ("--seed", "7", "--chat-template", "a b")
    assert choose_profile(8192, threads="1").threads == "1"


@pytest.mark.parametrize(("cores", "text"), [({0, 1}, "0-1"), ({3}, "3"), ({0, 2, 5}, "0,2,5"), ({4, 5, 6}, "4-6")])
def test_cores_are_named_as_vllm_wants(monkeypatch: pytest.MonkeyPatch, cores: set[int], text: str) -> None:
    monkeypatch.setattr(profiles.os, "sched_getaffinity", lambda _: cores)
    assert profiles.all_cores() == text
