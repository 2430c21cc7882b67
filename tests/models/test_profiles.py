"""How vLLM is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.engine import profiles
from models.engine.profiles import EngineProfile, ProfileError, choose_profile, load_profile, shipped


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
    arguments = EngineProfile("x", "gpu", 4096, tensor_parallel=2).arguments()
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


def test_every_line_of_the_shipped_profiles_is_explained() -> None:
    for file in profiles.FOLDER.glob("*.toml"):
        explained = False
        for line in file.read_text().splitlines():
            if line.startswith("#"):
                explained = True
            elif "=" in line and not line.startswith(("title", "device", "model")):
                assert explained, f"{file.name}: {line} has no comment above it"
                explained = False


def test_shipped_profiles_say_what_they_are_for() -> None:
    assert {"cpu-trial", "nvidia", "one-24gb-8b-awq", "2x4090-70b-awq-tp2", "2x4090-70b-awq-pp2"} <= set(shipped())
    for name in shipped():
        assert load_profile(name).title


def test_two_cards_without_a_way_to_each_other() -> None:
    profile = load_profile("2x4090-70b-awq-tp2")
    assert "--tensor-parallel-size=2" in profile.arguments()
    assert "--disable-custom-all-reduce" in profile.arguments()
    assert "--kv-cache-dtype=fp8" in profile.arguments()
    assert profile.environment()["NCCL_P2P_DISABLE"] == "1"


def test_replicas_divide_cards_and_cores() -> None:
    cards = load_profile("2x4090-8b-awq-replicas")
    assert [cards.replica(number).environment()["CUDA_VISIBLE_DEVICES"] for number in (0, 1)] == ["0", "1"]
    cores = EngineProfile("x", "cpu", 4096, replicas=2, threads="0-3")
    assert [cores.replica(number).threads for number in (0, 1)] == ["0-1", "2-3"]
    assert EngineProfile("x", "cpu", 4096, replicas=2, threads="0").replica(1).threads == "0", "one core is shared"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('device = "cpu"\ncontxt_tokens = 1', "unknown key “contxt_tokens”. Is “context_tokens” meant?"),
        ('device = "tpu"', "device: Input should be 'cpu' or 'gpu'"),
        ('device = "gpu"\nsequences = "many"', "sequences: Input should be a valid integer"),
        ("device = ", "cannot be read"),
    ],
)
def test_a_profile_that_cannot_be_read_says_why(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(ProfileError, match="mine") as caught:
        load_profile(str(tmp_path / "mine.toml"))
    assert said in str(caught.value)


def test_a_profile_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(ProfileError, match="2x4090-70b-awq-tp2"):
        load_profile("two-gpus")
