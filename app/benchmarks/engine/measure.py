"""Measures an engine: batching, what Beleg adds in front of it, scheduling policies. Ratios within one run count; the
times are this machine's.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.benchmarks.engine import batching, overhead, policies
from app.benchmarks.engine.engines import Policy, at_address, profile_for, started
from app.benchmarks.engine.load import Target
from app.benchmarks.engine.size import Size
from app.config import Settings

_AS_IT_IS = "An engine at an address is measured as it is: unset BELEG_ENGINE_URL to compare policies."


@dataclass(frozen=True)
class Folders:
    """`model` is None when an engine elsewhere serves it."""

    embedder: Path
    model: Path | None


def measure(
    settings: Settings, folders: Folders, size: Size, parts: Sequence[str], say: Callable[[str], None]
) -> dict[str, Any]:
    """The parts that were asked for ("overhead", "batching", "policies"); `say` is told what goes on. Errors:
    EngineFailed, NotReady, Invalid."""
    found: dict[str, Any] = {"engine": _about(settings, size), "machine": _machine()}
    if "overhead" in parts:
        found["overhead"] = overhead.measure(settings, folders.embedder, folders.model, size, say)
    if "batching" in parts:
        say("starting an engine")
        with _engine(settings, folders, size) as target:
            found["batching"] = asyncio.run(batching.measure(target, size, say))
    if "policies" in parts:
        found["policies"] = _policies(settings, folders, size, say)
    return found


def _about(settings: Settings, size: Size) -> dict[str, Any]:
    if settings.engine_url:
        return {"address": settings.engine_url, "model": settings.model}
    profile = profile_for(settings, size.sequences)
    return {"model": settings.model, "profile": profile.name, "arguments": profile.arguments()}


def _machine() -> dict[str, Any]:
    """What tells whether two runs can be compared at all."""
    return {"cores": os.cpu_count(), "load_before": [round(load, 1) for load in os.getloadavg()]}


@contextmanager
def _engine(settings: Settings, folders: Folders, size: Size, policy: Policy = "fcfs") -> Iterator[Target]:
    if folders.model is None:
        yield at_address(settings)
        return
    with started(settings, folders.model, profile_for(settings, size.sequences, policy)) as target:
        yield target


def _policies(settings: Settings, folders: Folders, size: Size, say: Callable[[str], None]) -> dict[str, Any]:
    if folders.model is None:
        return {"left_out": _AS_IT_IS}
    return policies.measure(lambda policy: _engine(settings, folders, size, policy), size, say)
