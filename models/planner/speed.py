"""How fast a layout can be: the roofline (Williams et al., CACM 2009) of reading a prompt and of writing tokens.

Reading n tokens costs 2 operations a weight and token, plus attention; writing reads all weights and the KV cache once
a step. Whichever of arithmetic, memory and the link between cards takes longest bounds it. What a real engine reaches
of a card's data sheet is assumed (`PREFILL_SHARE`, `DECODE_SHARE`); `beleg bench engine` measures it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from models.planner.cards import Card
from models.planner.shapes import ModelShape
from models.planner.splits import Split

Bound = Literal["arithmetic", "memory", "link"]
PREFILL_SHARE = (
    0.55  # of the dense peak: what Marlin and FlashAttention kernels reach at batches of thousands of tokens
)
DECODE_SHARE = 0.75  # of the memory bandwidth
STEP_MS = 1.0  # scheduling and sampling of one engine step


@dataclass(frozen=True)
class Speed:
    """`first_token_ms` of one question alone, nothing or the shared beginning cached; tokens/s of all askers together,
    of one alone, and of one at the full bandwidth (`ceiling`); what bounds reading and writing."""

    first_token_ms: float
    first_token_shared_ms: float
    tokens_per_s: float
    one_tokens_per_s: float
    ceiling: float
    reading: Bound
    writing: Bound


@dataclass(frozen=True)
class Load:
    """Tokens of a typical prompt, how many of them are cached, tokens in the KV cache a step reads per sequence,
    sequences on one replica at once, bytes of a KV entry."""

    prompt: int
    shared: int
    held: int
    at_once: int
    kv_entry_bytes: float = 2


def speed_of(model: ModelShape, card: Card, split: Split, load: Load) -> Speed | None:
    """None where the card's speeds are not known. For one replica."""
    if card.bandwidth is None or card.tflops is None:
        return None
    read, reading = _reading_ms(model, card, split, load.prompt, 0)
    shared, _ = _reading_ms(model, card, split, load.prompt - load.shared, load.shared)
    step, writing = _step_ms(model, card, split, load)
    alone, _ = _step_ms(model, card, split, replace(load, at_once=1))
    ceiling = card.bandwidth * 1e9 / (read_bytes(model) / split.tensor)
    return Speed(read + STEP_MS, shared + STEP_MS, load.at_once / step * 1e3, 1e3 / alone, ceiling, reading, writing)


def reading_operations(model: ModelShape, tokens: int, before: int) -> float:
    """Floating-point operations for `tokens` that follow `before` cached ones; half of the square, since a token sees
    only those before it."""
    pairs = tokens * before + tokens * tokens / 2
    return 2.0 * model.linear * tokens + 4.0 * model.layers * model.heads * model.head_size * pairs


def all_reduce_bytes(model: ModelShape, tokens: int, split: Split) -> float:
    """Two all-reduces a layer, of one 16-bit hidden state a token; a ring moves 2(t-1)/t of it over each link
    (Patarasuk and Yuan 2009)."""
    t = split.tensor
    return 2 * model.layers * tokens * model.hidden * 2 * 2 * (t - 1) / t


def handover_bytes(model: ModelShape, tokens: int, split: Split) -> float:
    """Hidden state and residual from stage to stage (vLLM's `IntermediateTensors`)."""
    return (split.pipeline - 1) * tokens * model.hidden * 2 * 2


def read_bytes(model: ModelShape) -> float:
    """What one step reads of the weights: all but the embedding, of which it looks up a row."""
    return model.weight_bytes - (0 if model.tied else model.embedding * 2)


def _reading_ms(model: ModelShape, card: Card, split: Split, tokens: int, before: int) -> tuple[float, Bound]:
    """One prompt alone: a pipeline's stages follow each other, so only tensor parallelism shortens it."""
    assert card.tflops is not None
    assert card.bandwidth is not None
    arithmetic = reading_operations(model, tokens, before) / (card.tflops * 1e12 * PREFILL_SHARE) / split.tensor
    memory = read_bytes(model) / (card.bandwidth * 1e9 * DECODE_SHARE) / split.tensor
    link = _link_s(model, card, split, tokens)
    longest: Bound = "link" if link > max(arithmetic, memory) else "arithmetic" if arithmetic > memory else "memory"
    return (max(arithmetic, memory) + link) * 1e3, longest


def _step_ms(model: ModelShape, card: Card, split: Split, load: Load) -> tuple[float, Bound]:
    """Until each sequence has one token more. A pipeline works on as many groups of them as it has stages."""
    assert card.tflops is not None
    assert card.bandwidth is not None
    each = load.at_once / min(split.pipeline, load.at_once)
    shards = split.tensor * split.pipeline
    memory = (
        (read_bytes(model) + each * load.held * model.kv_bytes(load.kv_entry_bytes))
        / shards
        / (card.bandwidth * 1e9 * DECODE_SHARE)
    )
    arithmetic = 2.0 * model.linear * each / shards / (card.tflops * 1e12 * PREFILL_SHARE)
    link = _link_s(model, card, split, each)
    stage = max(memory, arithmetic) + link / split.pipeline
    bound: Bound = "memory" if memory > arithmetic else "arithmetic"
    return stage * split.pipeline * 1e3 + STEP_MS, "link" if link > stage * split.pipeline / 2 else bound


def _link_s(model: ModelShape, card: Card, split: Split, tokens: float) -> float:
    moved = all_reduce_bytes(model, 1, split) * tokens + handover_bytes(model, 1, split) * tokens
    messages = (2 * model.layers if split.tensor > 1 else 0) + (split.pipeline - 1)
    return moved / (card.link * 1e9) + messages * card.link_us / 1e6
