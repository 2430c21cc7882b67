"""What is asked of a quantization, what it gives, and how it fails. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Method = Literal["awq", "gptq", "bitsandbytes", "rtn"]
Tool = Literal["llmcompressor", "autoawq", "bitsandbytes"]


class QuantizeError(Exception):
    """A model could not be quantized. `message` says what happened, `hint` what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Text:
    """Texts of the firm, and in words where they come from ("collection Contracts")."""

    texts: tuple[str, ...]
    origin: str


@dataclass(frozen=True)
class Job:
    """What is to be done. `source` is the model's prepared folder, `model` how the person named it, `out` the folder to
    make. `group_size` 0 takes the largest that fits the model on `gpus` cards. At most `samples` sequences of `length`
    tokens are calibrated with."""

    source: Path
    model: str
    method: Method
    tool: Tool
    out: Path
    group_size: int = 0
    gpus: int = 1
    samples: int = 128
    length: int = 512


@dataclass(frozen=True)
class Comparison:
    """Original and result on the same held-out text. Perplexity is e to the mean negative log-likelihood of the next
    token; `agreement` is the share of `positions` at which both find the same token likeliest."""

    original_perplexity: float
    perplexity: float
    agreement: float
    positions: int

    @property
    def ratio(self) -> float:
        return self.perplexity / self.original_perplexity


@dataclass(frozen=True)
class Report:
    """What stands in `quantization.json`. Sizes in bytes of the weights' files, durations in seconds; `group_size` 0
    where the method has none. `objections` is empty for a result that may be used."""

    model: str
    method: Method
    tool: str
    group_size: int
    bytes_before: int
    bytes_after: int
    comparison: Comparison
    calibration: str
    calibration_tokens: int
    held_out_tokens: int
    environment_seconds: float
    quantize_seconds: float
    compare_seconds: float
    made: str
    serving: str
    objections: tuple[str, ...] = ()


class Progress(Protocol):
    """Who wants to see how far it is."""

    def step(self, name: str, done: int, total: int, unit: str) -> None:
        """`done` of `total` of what `unit` names ("layer", "sequence"); total 0: unknown. `done == total` ends it."""
        ...


class Silent:
    """Progress nobody looks at."""

    def step(self, name: str, done: int, total: int, unit: str) -> None:
        pass
