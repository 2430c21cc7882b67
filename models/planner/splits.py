"""How a model is laid over cards, and what cannot be cut: vLLM finds that out half a minute into its start."""

from __future__ import annotations

from dataclasses import dataclass

from models.planner.shapes import ModelShape


@dataclass(frozen=True)
class Split:
    """One replica of a model over cards: `tensor` of them share each layer, `pipeline` groups share the layers."""

    tensor: int = 1
    pipeline: int = 1

    @property
    def cards(self) -> int:
        return self.tensor * self.pipeline


def split_problem(model: ModelShape, split: Split) -> str:
    """Why vLLM could not cut `model` like this, in words for people; empty when it can."""
    t = split.tensor
    if model.heads % t:
        return f"{model.name} has {model.heads} attention heads, which {t} cards cannot share evenly."
    if model.kv_heads % t and t % model.kv_heads:
        return f"{model.name} has {model.kv_heads} KV heads, which {t} cards cannot share evenly."
    if model.intermediate % t or (model.weights.group > 1 and t > 1 and _cuts_a_group(model, t)):
        return (
            f"The rows of {model.name} ({model.intermediate}, in groups of {model.weights.group}) cannot be cut in {t}."
        )
    if split.pipeline > model.layers:
        return f"{model.name} has {model.layers} layers, too few for {split.pipeline} stages."
    return ""


def _cuts_a_group(model: ModelShape, tensor: int) -> bool:
    group = model.weights.group
    if group > model.intermediate:  # one scale for a whole row: nothing to cut
        return False
    return any(rows // tensor % group for rows in (model.intermediate, model.heads * model.head_size))
