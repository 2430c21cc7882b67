"""The tools that quantize: which method is whose, and what each needs in its environment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.quantize.types import Method, QuantizeError, Tool

REQUIREMENTS = Path(__file__).parent / "requirements"
MB = 1_000_000


@dataclass(frozen=True)
class ToolKit:
    """A tool, pinned. `probe` are modules that must load before its environment counts as made; `disk` is what that
    takes besides what is linked, in bytes, pip's working folder included (measured)."""

    name: Tool
    script: str
    probe: tuple[str, ...]
    disk: int

    @property
    def requirements(self) -> Path:
        return REQUIREMENTS / f"{self.name}.txt"


KITS: dict[Tool, ToolKit] = {
    "llmcompressor": ToolKit("llmcompressor", "by_llmcompressor", ("llmcompressor", "torch"), 700 * MB),
    "autoawq": ToolKit("autoawq", "by_autoawq", ("awq", "torch"), 700 * MB),
    "bitsandbytes": ToolKit("bitsandbytes", "by_bitsandbytes", ("bitsandbytes", "transformers", "torch"), 900 * MB),
}
TOOLS: dict[Method, tuple[Tool, ...]] = {
    "awq": ("llmcompressor", "autoawq"),
    "gptq": ("llmcompressor",),
    "rtn": ("llmcompressor",),
    "bitsandbytes": ("bitsandbytes",),
}
"""The first is the default; decision 0044 says why."""

SERVING: dict[Method, str] = {
    "awq": "vLLM serves this folder as it is, on a GPU and on a CPU.",
    "gptq": "vLLM serves this folder as it is, on a GPU and on a CPU.",
    "rtn": "vLLM serves this folder as it is, on a GPU and on a CPU.",
    "bitsandbytes": "vLLM serves this folder only with `vllm-bnb-plugin` and `bitsandbytes` beside it.",
}


def tool_for(method: Method, tool: str) -> Tool:
    """The tool that was asked for, or the method's default. Raises QuantizeError where the tool cannot do it."""
    choices = TOOLS[method]
    if not tool:
        return choices[0]
    for choice in choices:
        if choice == tool:
            return choice
    raise QuantizeError(f"{tool} does not make {method} here.", f"Tools for {method}: {', '.join(choices)}.")
