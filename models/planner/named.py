"""Models that can be planned by name, before a byte of them is fetched: shapes from their published `config.json`."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from models.planner.shapes import ModelShape, Weights, four_bits, read_shape

_LLAMA_8B = ModelShape("llama-3.1-8b", 32, 4096, 14336, 32, 8, 128, 128256)
_LLAMA_70B = ModelShape("llama-3.1-70b", 80, 8192, 28672, 64, 8, 128, 128256)
_QWEN = {
    "qwen2.5-0.5b": ModelShape("", 24, 896, 4864, 14, 2, 64, 151936, tied=True, bias=True, context=32768),
    "qwen2.5-1.5b": ModelShape("", 28, 1536, 8960, 12, 2, 128, 151936, tied=True, bias=True, context=32768),
    "qwen2.5-3b": ModelShape("", 36, 2048, 11008, 16, 2, 128, 151936, tied=True, bias=True, context=32768),
    "qwen2.5-7b": ModelShape("", 28, 3584, 18944, 28, 4, 128, 152064, bias=True, context=32768),
    "qwen2.5-14b": ModelShape("", 48, 5120, 13824, 40, 8, 128, 152064, bias=True, context=32768),
    "qwen2.5-32b": ModelShape("", 64, 5120, 27648, 40, 8, 128, 152064, bias=True, context=32768),
    "qwen2.5-72b": ModelShape("", 80, 8192, 29568, 64, 8, 128, 152064, bias=True, context=32768),
}
_AWQ, _GPTQ, _FP8 = four_bits("awq", 128), four_bits("gptq", 128), Weights("fp8", 8.0)


def _llama(shape: ModelShape, size: str) -> list[ModelShape]:
    meta = f"Meta-Llama-3.1-{size}-Instruct"
    return [
        shape.stored_as(Weights(), shape.name, f"meta-llama/Llama-3.1-{size}-Instruct"),
        shape.stored_as(_FP8, f"{shape.name}-fp8", f"RedHatAI/{meta}-FP8"),
        shape.stored_as(_AWQ, f"{shape.name}-awq", f"hugging-quants/{meta}-AWQ-INT4"),
        shape.stored_as(_GPTQ, f"{shape.name}-gptq", f"hugging-quants/{meta}-GPTQ-INT4"),
    ]


def _qwen(name: str, shape: ModelShape) -> list[ModelShape]:
    hub = f"Qwen/Qwen{name.removeprefix('qwen').upper()}-Instruct"
    small = (
        replace(shape, intermediate=29696) if shape.intermediate == 29568 else shape
    )  # Qwen pads it so that two cards can share
    return [
        shape.stored_as(Weights(), name, hub),
        small.stored_as(_AWQ, f"{name}-awq", f"{hub}-AWQ"),
        small.stored_as(_GPTQ, f"{name}-gptq", f"{hub}-GPTQ-Int4"),
    ]


def _trial() -> list[ModelShape]:
    """The bundles Beleg ships; converted to bf16."""
    smol = ModelShape("smollm2-135m", 30, 576, 1536, 9, 3, 64, 49152, tied=True, context=8192)
    coder = _QWEN["qwen2.5-1.5b"].stored_as(Weights(), "qwen2.5-coder-1.5b")
    return [smol, coder, _QWEN["qwen2.5-0.5b"].stored_as(Weights(), "qwen2.5-coder-0.5b")]


NAMED = {
    shape.name: shape
    for shape in (
        *_llama(_LLAMA_8B, "8B"),
        *_llama(_LLAMA_70B, "70B"),
        *(one for name, shape in _QWEN.items() for one in _qwen(name, shape)),
        *_trial(),
    )
}


def find_shape(name: str) -> ModelShape | None:
    """By our name, or the hub's ("hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4")."""
    if "/" in name:
        return next((shape for shape in NAMED.values() if shape.hub.lower() == name.lower()), None)
    wanted = _plain(name)
    return next((shape for shape in NAMED.values() if wanted == _plain(shape.name)), None)


def known_shape(folder: Path) -> ModelShape | None:
    """Of the model in `folder`; None for a kind that the planner does not know, which vLLM may serve all the same."""
    try:
        return read_shape(folder)
    except ValueError:
        return None


def _plain(name: str) -> str:
    return re.sub(r"meta-|instruct|bf16|int4|[^a-z0-9]", "", name.lower())
