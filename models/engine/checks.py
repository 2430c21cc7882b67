"""What of a profile cannot work with a model on this machine, found before vLLM is started.

Each rule names what to change. vLLM would find most of them too, half a minute later and in its own words.
"""

from __future__ import annotations

from collections.abc import Iterator

from models.engine.profiles import CPU_BLOCK, EngineProfile, ProfileError, cores_of
from models.planner.cards import Card
from models.planner.shapes import ModelShape
from models.planner.splits import Split, split_problem

GPU_BLOCKS = (16, 32, 64, 128)  # FlashAttention and FlashInfer take these
LEAST_CONTEXT = 256


def check_profile(profile: EngineProfile, model: ModelShape | None, cards: tuple[Card, ...] | None = None) -> None:
    """Raises ProfileError with everything that is wrong. `model` None: one that the planner does not
    know; `cards` None leaves them out."""
    problems = [*_values(profile), *_device(profile)]
    if cards is not None and profile.device == "gpu":
        problems += _cards(profile, cards)
    if model is not None:
        problems += _model(profile, model)
    if problems:
        raise ProfileError(f"The profile {profile.name} cannot work: {' '.join(problems)}")


def _values(profile: EngineProfile) -> Iterator[str]:
    at_least_one = ("sequences", "tensor_parallel", "pipeline_parallel", "replicas")
    for name in at_least_one:
        if getattr(profile, name) < 1:
            yield f"{name} must be 1 or more."
    if profile.context_tokens < LEAST_CONTEXT:
        yield f"context_tokens must be {LEAST_CONTEXT} or more."
    if not 0 < profile.gpu_memory <= 1:
        yield "gpu_memory is a share of the card's memory: between 0 and 1."
    if profile.kv_cache_gib <= 0:
        yield "kv_cache_gib must be more than 0."
    if profile.batched_tokens is not None and profile.batched_tokens < profile.sequences:
        yield f"batched_tokens ({profile.batched_tokens}) must not be less than sequences ({profile.sequences})."


def _device(profile: EngineProfile) -> Iterator[str]:
    if profile.device == "gpu":
        if profile.block_size is not None and profile.block_size not in GPU_BLOCKS:
            allowed = ", ".join(map(str, GPU_BLOCKS))
            yield f"block_size {profile.block_size} is not allowed on a GPU; use one of {allowed}."
        return
    if profile.block_size is not None and profile.block_size % CPU_BLOCK:
        yield f"block_size {profile.block_size} is not allowed on a CPU; use a multiple of {CPU_BLOCK}."
    if profile.pipeline_parallel > 1 and profile.eager:
        yield "eager and pipeline_parallel do not go together on a CPU (the second stage dies): set eager = false."
    workers = profile.tensor_parallel * profile.pipeline_parallel
    if workers > 1 and "|" not in profile.threads and len(cores_of(profile.threads)) < workers:
        yield f"{workers} workers need {workers} cores at least; threads names {profile.threads}."


def _cards(profile: EngineProfile, cards: tuple[Card, ...]) -> Iterator[str]:
    if profile.devices > len(cards):
        yield f"It takes {profile.devices} cards, and this machine has {len(cards)}."
    elif profile.kv_cache_dtype.startswith("fp8") and not all(card.fp8 for card in cards[: profile.devices]):
        yield "These cards cannot keep keys and values in 8 bits (8.9 and later can): set kv_cache_dtype to auto."


def _model(profile: EngineProfile, model: ModelShape) -> Iterator[str]:
    problem = split_problem(model, Split(profile.tensor_parallel, profile.pipeline_parallel))
    if problem:
        yield problem
    if profile.context_tokens > model.context:
        yield f"context_tokens is {profile.context_tokens:,}; {model.name} reads at most {model.context:,}."
    yield from _on_a_cpu(profile, model)


def _on_a_cpu(profile: EngineProfile, model: ModelShape) -> Iterator[str]:
    """A CPU reads 4-bit AWQ and GPTQ whose sides are multiples of 32; no fp8 and no bitsandbytes."""
    if profile.device != "cpu":
        return
    if model.weights.scheme in {"fp8", "bitsandbytes"}:
        yield f"{model.name} is stored as {model.weights.scheme}, which vLLM does not compute on a CPU."
    elif model.weights.four_bit and any(side % 32 for side in (model.hidden, model.intermediate)):
        yield f"{model.name} is stored in 4 bits with sides that are no multiples of 32, which a CPU does not compute."
