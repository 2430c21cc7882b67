"""The planner's sums against what is known: published sizes, and what vLLM itself reports at start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from models.planner.cards import CARDS, parse_gpus
from models.planner.layouts import Layout, Wanted, layouts_of
from models.planner.memory import GIB, Serving, kv_tokens, memory_of, on_a_processor, weights_per_card
from models.planner.named import NAMED, find_shape
from models.planner.shapes import read_shape
from models.planner.speed import all_reduce_bytes, handover_bytes
from models.planner.splits import Split, split_problem

SMALL, LARGE = NAMED["llama-3.1-8b"], NAMED["llama-3.1-70b"]


def layouts(model: str, gpus: str, **serving: float) -> dict[str, Layout]:
    wanted = Wanted(NAMED[model], parse_gpus(gpus), Serving(**serving))  # type: ignore[arg-type]
    return {layout.name: layout for layout in layouts_of(wanted)}


def test_parameters_of_llama() -> None:
    assert SMALL.parameters == pytest.approx(8.03e9, rel=0.01)
    assert LARGE.parameters == pytest.approx(70.55e9, rel=0.01)


@pytest.mark.parametrize(
    ("name", "gib"),
    [
        ("llama-3.1-8b", 14.96),
        ("llama-3.1-70b", 131.4),
        ("llama-3.1-8b-awq", 5.33),
        ("llama-3.1-70b-awq", 37.03),
    ],
)
def test_bytes_of_weights(name: str, gib: float) -> None:
    assert NAMED[name].weight_bytes / GIB == pytest.approx(gib, rel=0.01)


def test_bits_of_an_awq_weight() -> None:
    assert NAMED["llama-3.1-8b-awq"].weights.bits == 4.15625


def test_bytes_of_keys_and_values() -> None:
    assert SMALL.kv_bytes() == 131_072
    assert LARGE.kv_bytes() == 327_680
    assert SMALL.kv_bytes() * 4096 == 0.5 * GIB
    assert LARGE.kv_bytes(1) == 327_680 / 2


def test_what_crosses_the_link() -> None:
    """Two all-reduces a layer against one hand-over, for 8,192 tokens of prompt."""
    assert all_reduce_bytes(LARGE, 8192, Split(tensor=2)) == pytest.approx(21.5e9, rel=0.01)
    assert handover_bytes(LARGE, 8192, Split(pipeline=2)) == pytest.approx(0.27e9, rel=0.01)


def test_kv_tokens_as_vllm_reports_them() -> None:
    """vLLM says 93,184 for SmolLM2-135M with 2 GiB in blocks of 128 tokens."""
    assert kv_tokens(NAMED["smollm2-135m"], 2 * GIB, Split(), Serving(block=128)) == 93_184


def test_the_large_llama_on_two_4090s() -> None:
    """18.5 GiB of weights each, about 11 to 18 thousand KV tokens in 16 bits, twice that in 8."""
    for utilization in (0.92, 0.935, 0.95):
        tp = layouts("llama-3.1-70b-awq", "2xrtx4090", utilization=utilization)["tp2"]
        assert tp.memory.weights_gib == pytest.approx(18.5, rel=0.01)
        assert 10_900 < tp.kv_tokens < 18_000
        halved = layouts("llama-3.1-70b-awq", "2xrtx4090", utilization=utilization, kv_entry_bytes=1)["tp2"]
        assert halved.kv_tokens == pytest.approx(2 * tp.kv_tokens, rel=0.01)


def test_ceilings_of_writing() -> None:
    """At 1,008 GB/s a card one asker gets at most about 52 tokens/s with TP=2 and 26 with PP=2."""
    found = layouts("llama-3.1-70b-awq", "2xrtx4090")
    assert found["tp2"].speed is not None
    assert found["pp2"].speed is not None
    assert found["tp2"].speed.ceiling == pytest.approx(52, rel=0.05)
    assert found["pp2"].speed.ceiling == pytest.approx(26, rel=0.05)
    assert found["tp2"].speed.one_tokens_per_s < found["tp2"].speed.ceiling


def test_layouts_of_a_model_that_fits_one_card() -> None:
    found = layouts("llama-3.1-8b-awq", "2xrtx4090")
    assert list(found) == ["single", "tp2", "pp2", "replicas2"]
    assert all(layout.fits for layout in found.values())
    assert found["replicas2"].kv_tokens == 2 * found["single"].kv_tokens
    tp, single, replicas = found["tp2"].speed, found["single"].speed, found["replicas2"].speed
    assert tp is not None
    assert single is not None
    assert replicas is not None
    assert tp.one_tokens_per_s > single.one_tokens_per_s, "two cards read the weights in half the time"
    assert found["tp2"].kv_tokens > 2 * found["single"].kv_tokens, "weights are there once, not twice"


def test_sharing_the_beginning_makes_room() -> None:
    for layout in layouts("llama-3.1-8b-awq", "2xrtx4090").values():
        assert layout.questions_shared > layout.questions
        assert layout.requests_shared >= layout.requests


def test_what_cannot_be_cut() -> None:
    smol, coder = NAMED["smollm2-135m"], NAMED["qwen2.5-coder-0.5b"]
    assert "9 attention heads" in split_problem(smol, Split(tensor=2))
    assert split_problem(coder, Split(tensor=2)) == ""
    assert "KV heads" in split_problem(NAMED["qwen2.5-14b"], Split(tensor=5))
    assert "layers" in split_problem(coder, Split(pipeline=25))
    assert split_problem(NAMED["qwen2.5-72b-awq"], Split(tensor=2)) == "", "Qwen pads it for that"


def test_a_folder_is_read_as_it_is(tmp_path: Path) -> None:
    config = {
        "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 14336, "vocab_size": 128256,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "max_position_embeddings": 131072,
        "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128},
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert read_shape(tmp_path).weight_bytes / GIB == pytest.approx(5.33, rel=0.01)
    (tmp_path / "config.json").write_text(json.dumps({**config, "architectures": ["MambaForCausalLM"]}))
    with pytest.raises(ValueError, match="MambaForCausalLM"):
        read_shape(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({**config, "hidden_size": None}))
    with pytest.raises(ValueError, match=r"config\.json"):
        read_shape(tmp_path)


def test_the_bundle_is_what_its_name_says(smollm_folder: Path) -> None:
    """Formula and files agree; the converted folder holds the model that can be planned by name."""
    here, named = read_shape(smollm_folder), NAMED["smollm2-135m"]
    assert (here.layers, here.hidden, here.kv_heads, here.vocab) == (
        named.layers,
        named.hidden,
        named.kv_heads,
        named.vocab,
    )
    assert here.file_bytes == pytest.approx(named.weight_bytes, rel=0.01)
    assert weights_per_card(here, Split()) == pytest.approx(here.file_bytes, rel=0.001)


def test_a_processor_has_the_kv_cache_it_is_given() -> None:
    memory = memory_of(NAMED["smollm2-135m"], 16.0, Split(), on_a_processor(Serving(), 2.0))
    assert memory.kv_tokens == 93_184
    small = memory_of(NAMED["llama-3.1-8b"], 16.0, Split(), on_a_processor(Serving(), 2.0))
    assert small.kv_tokens == 0


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4", "llama-3.1-70b-awq"),
        ("Qwen2.5-7B-Instruct-GPTQ-Int4", "qwen2.5-7b-gptq"),
    ],
)
def test_models_by_name(said: str, meant: str) -> None:
    shape = find_shape(said)
    assert shape is not None
    assert shape.name == meant
    assert find_shape("gpt-5") is None


def test_cards_by_name() -> None:
    assert [card.name for card in parse_gpus("2xRTX 4090")] == ["rtx4090"] * 2
    assert parse_gpus("NVIDIA GeForce RTX 4090") == (CARDS["rtx4090"],)
    assert CARDS["rtx4090"].memory_gib == pytest.approx(23.988, abs=0.001)
    with pytest.raises(ValueError, match="rtx4090"):
        parse_gpus("2xgtx970")
    with pytest.raises(ValueError, match="2xrtx4090"):
        parse_gpus("0xrtx4090")
