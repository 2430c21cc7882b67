"""What one card of a layout holds: weights, activations, CUDA's own, and what is left for the KV cache.

    card x utilization - weights - activations - CUDA, graphs, NCCL = KV bytes -> blocks -> KV tokens

vLLM measures the middle terms at start (`determine_available_memory`, v1/worker/gpu_worker.py); before a start they
can only be reckoned. The fixed ones were fitted to what 24 GB cards report with the 70B in AWQ on two of them: 11 to 18
thousand tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from models.planner.shapes import ModelShape
from models.planner.splits import Split

GIB = 1 << 30
CUDA_GIB = 0.55  # context, kernels, cuBLAS workspaces of one process
GRAPHS_GIB = 0.50  # CUDA graphs of the decode sizes
NCCL_GIB = 0.35  # buffers of a card that talks to others


@dataclass(frozen=True)
class Serving:
    """What an engine is told: longest request and batch in tokens, sequences at once, bytes of a KV entry, tokens of a
    block, share of the card's memory; `kv_gib` is the KV cache where it is fixed, as on a CPU."""

    context: int = 8192
    sequences: int = 32
    batched: int = 2048
    kv_entry_bytes: float = 2
    block: int = 16
    utilization: float = 0.92
    kv_gib: float | None = None


@dataclass(frozen=True)
class Memory:
    """GiB per card of the fullest card, and the tokens one replica's KV cache holds (0: it does not fit)."""

    weights_gib: float
    activations_gib: float
    cuda_gib: float
    kv_gib: float
    kv_tokens: int

    @property
    def short_gib(self) -> float:
        """What is missing on a card for even one block."""
        return max(0.0, -self.kv_gib)


def memory_of(model: ModelShape, memory_gib: float, split: Split, serving: Serving) -> Memory:
    """The sum for one card with `memory_gib`."""
    weights = weights_per_card(model, split) / GIB
    activations = activation_bytes(model, split, serving) / GIB
    cuda = CUDA_GIB + GRAPHS_GIB + (NCCL_GIB if split.cards > 1 else 0.0)
    left = memory_gib * serving.utilization - weights - activations - cuda
    if serving.kv_gib is not None and left > serving.kv_gib:
        left = serving.kv_gib
    return Memory(weights, activations, cuda, left, kv_tokens(model, left * GIB, split, serving))


def on_a_processor(serving: Serving, kv_gib: float) -> Serving:
    """On a CPU the KV cache is as large as it is told to be, and its blocks are twice as long."""
    return replace(serving, kv_gib=kv_gib, block=32, utilization=1.0)


def weights_per_card(model: ModelShape, split: Split) -> float:
    """Bytes on the fullest card. Tensor parallelism cuts matrices, embedding and head (Shoeybi et al. 2019, section 3);
    a pipeline cuts between layers, the embedding on its first and the head on its last stage."""
    linear = model.linear * model.weights.bits / 8
    head = model.embedding * 2 / split.tensor
    layers = ceil(model.layers / split.pipeline) / model.layers
    tables = head * (1 if split.pipeline > 1 or model.tied else 2)
    return (linear * layers / split.tensor + tables + model.small * 2 * layers) * _measured(model)


def activation_bytes(model: ModelShape, split: Split, serving: Serving) -> float:
    """The peak of vLLM's trial run: a full batch through the widest layer (gate, up and their product; four rows of the
    hidden state) and the logits of all sequences in 32 bits, as the sampler copies them (three times)."""
    row = 3 * model.intermediate / split.tensor + 4 * model.hidden
    return serving.batched * row * 2 + serving.sequences * model.vocab * 4 * 3


def kv_tokens(model: ModelShape, kv_bytes: float, split: Split, serving: Serving) -> int:
    """Whole blocks that `kv_bytes` on each card hold. KV heads are cut by tensor parallelism as far as there are any
    (then copied), layers by the pipeline; the stage with most layers decides."""
    share = max(model.kv_heads / split.tensor, 1) / model.kv_heads * ceil(model.layers / split.pipeline) / model.layers
    block = model.kv_bytes(serving.kv_entry_bytes) * share * serving.block
    return max(0, int(kv_bytes // block)) * serving.block


def _measured(model: ModelShape) -> float:
    """What the files really hold over what the formula says, where files are there."""
    by_formula = model.linear * model.weights.bits / 8 + (model.embedding * (1 if model.tied else 2) + model.small) * 2
    return model.weight_bytes / by_formula
