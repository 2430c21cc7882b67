"""Engines of our own to measure on, started as `beleg up` starts them, stopped at the end of the block."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import httpx

from app.benchmarks.engine.load import Target
from app.config import Settings
from app.engine import engine_profile
from app.errors import EngineFailed
from models.engine.profiles import EngineProfile
from models.engine.server import EngineServer

Policy = Literal["fcfs", "priority"]
READY_SECONDS = 1800.0
_LOOK_SECONDS = 0.25


def profile_for(settings: Settings, sequences: int, policy: Policy = "fcfs") -> EngineProfile:
    """The profile that is set, else this machine's, with room for so many requests at once at least. Raises Invalid."""
    profile = engine_profile(settings)
    return replace(profile, sequences=max(sequences, profile.sequences), scheduling=policy)


@contextmanager
def started(settings: Settings, folder: Path, profile: EngineProfile) -> Iterator[Target]:
    """A ready engine that serves `folder`. Its log is kept in `logs/bench/`. Raises EngineFailed."""
    with TemporaryDirectory(prefix="beleg-bench-") as run:
        server = EngineServer(profile, folder, settings.model, 0, settings.logs_dir / "bench", Path(run))
        server.start()
        try:
            _until_ready(server)
            yield Target(server.base_url, server.key, settings.model)
        finally:
            server.stop()


def at_address(settings: Settings) -> Target:
    """The engine somebody else runs; the first of several. Raises EngineFailed when it does not say what it serves."""
    address = settings.engine_url.split(",", maxsplit=1)[0].strip().rstrip("/")
    headers = {"Authorization": f"Bearer {settings.engine_key}"} if settings.engine_key else {}
    try:
        served = httpx.get(f"{address}/models", headers=headers, timeout=30, trust_env=False).raise_for_status().json()
        names = [str(entry["id"]) for entry in served["data"]]
    except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
        raise EngineFailed(
            "The engine at %(address)s does not say what it serves.", "Check BELEG_ENGINE_URL.", address=address
        ) from error
    return Target(address, settings.engine_key, settings.model if settings.model in names else names[0])


def _until_ready(server: EngineServer) -> None:
    end = time.monotonic() + READY_SECONDS
    while (status := server.status()).state != "ready":
        if status.state == "failed" or time.monotonic() > end:
            raise EngineFailed("The engine did not start: %(detail)s", "Run `beleg doctor`.", detail=status.detail)
        time.sleep(_LOOK_SECONDS)
