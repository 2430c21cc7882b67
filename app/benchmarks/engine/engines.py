"""Engines of our own to measure on, started as `beleg up` starts them, stopped at the end of the block."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from app.benchmarks.engine.load import Target
from app.config import Settings
from app.errors import EngineFailed
from models.engine.profiles import EngineProfile, choose_profile
from models.engine.server import EngineServer

READY_SECONDS = 1800.0
_LOOK_SECONDS = 0.25


def profile_for(settings: Settings, sequences: int, policy: str = "fcfs") -> EngineProfile:
    """This machine's profile, with room for so many requests at once at least."""
    profile = choose_profile(
        settings.context_tokens, settings.kv_cache_gib, settings.engine_threads, settings.engine_args
    )
    more = (*profile.more, f"--scheduling-policy={policy}")
    return replace(profile, sequences=max(sequences, profile.sequences), more=more)


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


def _until_ready(server: EngineServer) -> None:
    end = time.monotonic() + READY_SECONDS
    while (status := server.status()).state != "ready":
        if status.state == "failed" or time.monotonic() > end:
            raise EngineFailed("The engine did not start: %(detail)s", "Run `beleg doctor`.", detail=status.detail)
        time.sleep(_LOOK_SECONDS)
