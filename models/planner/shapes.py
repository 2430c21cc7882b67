"""What a model's `config.json` says about its size: parameters, bytes of weights, bytes of KV per token.

Parameters of a Llama-like decoder (Touvron et al. 2023, grouped queries: Ainslie et al. 2023): embedding and head of
vocab x hidden each (one, where tied); per layer q and o of hidden x heads x head size, k and v of hidden x KV heads x
head size, three matrices of hidden x intermediate, two norms; one last norm.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

BF16 = 16.0
ARCHITECTURES = ("LlamaForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM", "MistralForCausalLM", "Phi3ForCausalLM")


@dataclass(frozen=True)
class Weights:
    """How the linear layers are stored: `bits` a weight, scales and zero points included; embedding and head stay in 16
    bits. `scheme` is bf16, fp8, awq, gptq, w4a16 or bitsandbytes; `group` 0 means none."""

    scheme: str = "bf16"
    bits: float = BF16
    group: int = 0

    @property
    def four_bit(self) -> bool:
        return self.bits < 6


def four_bits(scheme: str, group: int, bits: int = 4) -> Weights:
    """A group shares a 16-bit scale and, but for symmetric compressed-tensors, a zero point of `bits` bits (AutoAWQ and
    GPTQ: `scales` and `qzeros`): 4 + 16/128 + 4/128 = 4.15625 bits at 128."""
    zero = 0 if scheme == "w4a16" else bits / group
    return Weights(scheme, bits + 16 / group + zero, group)


@dataclass(frozen=True)
class ModelShape:
    """A decoder. `hub` is where its weights come from, `file_bytes` what they take on disk where that is known."""

    name: str
    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_size: int
    vocab: int
    tied: bool = False
    bias: bool = False  # of q, k and v, as Qwen2 has
    context: int = 131072
    weights: Weights = Weights()
    hub: str = ""
    file_bytes: int | None = None

    @property
    def layer_linear(self) -> int:
        """Weights of one layer's matrices."""
        attention = self.hidden * self.head_size * (2 * self.heads + 2 * self.kv_heads)
        return attention + 3 * self.hidden * self.intermediate

    @property
    def linear(self) -> int:
        return self.layers * self.layer_linear

    @property
    def embedding(self) -> int:
        return self.vocab * self.hidden

    @property
    def small(self) -> int:
        """Norms and biases: replicated on every card, always 16 bits."""
        bias = self.head_size * (self.heads + 2 * self.kv_heads) if self.bias else 0
        return self.layers * (2 * self.hidden + bias) + self.hidden

    @property
    def parameters(self) -> int:
        return self.linear + self.embedding * (1 if self.tied else 2) + self.small

    @property
    def weight_bytes(self) -> float:
        """In memory: what the files hold where they are known, else by the formula."""
        embedded = self.embedding * (1 if self.tied else 2) + self.small
        return self.file_bytes or self.linear * self.weights.bits / 8 + embedded * 2

    def kv_bytes(self, bytes_each: float = 2) -> float:
        """Per token: keys and values of every layer (Kwon et al., SOSP 2023, section 2)."""
        return 2 * self.layers * self.kv_heads * self.head_size * bytes_each

    def stored_as(self, weights: Weights, name: str, hub: str = "") -> ModelShape:
        return replace(self, weights=weights, name=name, hub=hub)


def read_shape(folder: Path, name: str = "") -> ModelShape:
    """The shape of the model in `folder`. Raises ValueError in words for people."""
    config = _config(folder)
    architecture = str((config.get("architectures") or ["?"])[0])
    if architecture not in ARCHITECTURES:
        raise ValueError(
            f"The planner does not know models of the kind {architecture} (it knows {', '.join(ARCHITECTURES)})."
        )
    try:
        shape = _shape(config, name or folder.name)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{folder / 'config.json'} lacks or garbles {error}.") from error
    return replace(shape, file_bytes=_file_bytes(folder))


def _config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / "config.json").read_text())
    except FileNotFoundError:
        raise ValueError(f"{folder} has no config.json: it is no model folder.") from None
    except (OSError, ValueError) as error:
        raise ValueError(f"{folder / 'config.json'} cannot be read: {error}") from error
    return config if isinstance(config, dict) else {}


def _shape(config: dict[str, Any], name: str) -> ModelShape:
    heads, hidden = int(config["num_attention_heads"]), int(config["hidden_size"])
    return ModelShape(
        name,
        layers=int(config["num_hidden_layers"]),
        hidden=hidden,
        intermediate=int(config["intermediate_size"]),
        heads=heads,
        kv_heads=int(config.get("num_key_value_heads") or heads),
        head_size=int(config.get("head_dim") or hidden // heads),
        vocab=int(config["vocab_size"]),
        tied=bool(config.get("tie_word_embeddings", False)),
        bias=bool(config.get("attention_bias", config.get("model_type") == "qwen2")),
        context=int(config.get("max_position_embeddings", 131072)),
        weights=_weights(config),
    )


def _weights(config: dict[str, Any]) -> Weights:
    found = config.get("quantization_config")
    if not found:
        return Weights("bf16", 32.0) if config.get("dtype", config.get("torch_dtype")) == "float32" else Weights()
    method = str(found.get("quant_method", ""))
    if method in {"awq", "gptq"}:
        return four_bits(method, _group(found.get("group_size")), int(found.get("bits", 4)))
    if method == "fp8":
        return Weights("fp8", 8.0)
    if method == "bitsandbytes":  # a 32-bit maximum per 64 weights, itself in 8 bits (Dettmers et al. 2023, section 3)
        return Weights(method, 4.127 if found.get("load_in_4bit") else 8.0, 64)
    if method == "compressed-tensors":
        scheme = next(iter(found["config_groups"].values()))["weights"]
        if scheme.get("type") == "float":
            return Weights("fp8", 8.0)
        return four_bits("w4a16", _group(scheme.get("group_size")), int(scheme["num_bits"]))
    raise ValueError(f"the quantization {method}")


def _group(size: Any) -> int:
    return int(size) if size and int(size) > 0 else 1 << 20  # -1: one for a whole row


def _file_bytes(folder: Path) -> int | None:
    return sum(file.stat().st_size for file in folder.glob("*.safetensors")) or None
