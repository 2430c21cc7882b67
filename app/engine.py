"""Which vLLM answers, and how it is: our own process, a running one at an address, or the one `beleg up` started.

`beleg up` leaves the address of its engine in `run/engine.json` (readable by its owner only), so that `beleg ask`
beside it uses the same one.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import httpx

from app.config import Settings
from models.types import EngineState, EngineStatus, Replica

CHECK_SECONDS = 2.0
ONLY = "engine"  # name of the replica where there is one


class EngineHandle(Protocol):
    """Where an engine is and how it is. `base_url` ends in `/v1`; `key` may be empty."""

    base_url: str
    key: str
    model: str

    def status(self) -> EngineStatus: ...

    def replicas(self) -> tuple[Replica, ...]: ...

    def stop(self) -> None: ...


@dataclass(frozen=True)
class EngineAddress:
    """What `run/engine.json` says."""

    base_url: str
    key: str
    model: str
    pid: int


class OwnEngine:
    """Our own vLLM: started at once, supervised until `stop`."""

    def __init__(self, settings: Settings, model_folder: Path | None) -> None:
        assert model_folder is not None, "without BELEG_ENGINE_URL there always is a folder"
        from models.engine.profiles import choose_profile
        from models.engine.server import EngineServer

        self._note = settings.run_dir / "engine.json"
        self._log, self._process = settings.logs_dir / "engine.log", settings.run_dir / "engine-process.json"
        self.model = settings.model
        profile = choose_profile(
            settings.context_tokens, settings.kv_cache_gib, settings.engine_threads, settings.engine_args
        )
        self._arguments = tuple(profile.arguments())
        self._server = EngineServer(
            profile,
            model_folder,
            self.model,
            settings.engine_port,
            settings.logs_dir,
            settings.run_dir,
        )
        self._server.start()
        self.base_url, self.key = self._server.base_url, self._server.key
        write_address(self._note, EngineAddress(self.base_url, self.key, self.model, os.getpid()))

    def status(self) -> EngineStatus:
        return self._server.status()

    def replicas(self) -> tuple[Replica, ...]:
        return (Replica(ONLY, self.base_url, self.key, self.status(), self._log, self._process, self._arguments),)

    def stop(self) -> None:
        self._note.unlink(missing_ok=True)
        self._server.stop()


class RunningEngine:
    """An engine somebody else started. A thread asks every two seconds whether it answers, and what it serves."""

    def __init__(self, base_url: str, key: str, model: str) -> None:
        self.base_url, self.key, self.model = base_url.rstrip("/"), key, model
        self.on_model: Callable[[str], None] = lambda _name: None
        self._status = EngineStatus("starting", time.time(), model, "looking for the engine")
        self._ended = threading.Event()
        threading.Thread(target=self._watch, name="engine-watch", daemon=True).start()

    def status(self) -> EngineStatus:
        return self._status

    def replicas(self) -> tuple[Replica, ...]:
        return (Replica(ONLY, self.base_url, self.key, self._status),)

    def stop(self) -> None:
        self._ended.set()

    def _watch(self) -> None:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        with httpx.Client(headers=headers, timeout=5, trust_env=False) as http:
            while not self._ended.is_set():
                self._look(http)
                self._ended.wait(CHECK_SECONDS)

    def _look(self, http: httpx.Client) -> None:
        try:
            served = [entry["id"] for entry in http.get(f"{self.base_url}/models").raise_for_status().json()["data"]]
        except httpx.HTTPStatusError as error:
            self._set("failed", f"the engine at {self.base_url} answers with status {error.response.status_code}")
        except (httpx.HTTPError, KeyError, ValueError, TypeError):
            was_ready = self._status.state in ("ready", "restarting")
            self._set("restarting" if was_ready else "starting", f"no answer from the engine at {self.base_url}")
        else:
            self._take(served)

    def _take(self, served: list[str]) -> None:
        if served and self.model not in served:
            self.model = served[0]
        self.on_model(self.model)
        self._set("ready", "")

    def _set(self, state: EngineState, detail: str) -> None:
        if (state, detail, self.model) != (self._status.state, self._status.detail, self._status.model):
            self._status = EngineStatus(state, time.time(), self.model, detail)


def find_running(settings: Settings) -> RunningEngine | None:
    """The engine at the address that was set, else the one a `beleg up` on this data folder has left a note of."""
    if settings.engine_url:
        return RunningEngine(settings.engine_url, settings.engine_key, settings.model)
    note = read_address(settings.run_dir / "engine.json")
    if note is None or not _answers(note):
        return None
    return RunningEngine(note.base_url, note.key, note.model)


def write_address(path: Path, address: EngineAddress) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(asdict(address), file)


def read_address(path: Path) -> EngineAddress | None:
    try:
        return EngineAddress(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def _answers(address: EngineAddress) -> bool:
    """Whether the process that wrote the note still lives (the engine itself may still be starting)."""
    try:
        os.kill(address.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
