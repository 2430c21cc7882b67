"""Several vLLMs that serve the same model, each supervised by itself, and a change of model without a failed answer.

change: for each replica: [a new one beside it, where there is room] or [it gets nothing new, ends what it has, stops]
        -> the new model starts and generates -> it takes the place
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import httpx
import psutil

from models.engine.profiles import GIB, EngineProfile
from models.engine.server import START_SECONDS, EngineServer
from models.types import EngineStatus, Replica

DRAIN_SECONDS = 600.0  # the longest an answer may still take before its engine is stopped all the same
READY_SECONDS = START_SECONDS + 60
LOOK_EVERY = 0.25
SPARE_GIB = 2.0  # memory that stays free when a second engine is started beside the first
_BUSY = re.compile(r"^vllm:num_requests_(?:running|waiting)\{.*?\} (\S+)$", re.MULTILINE)


class FleetError(Exception):
    """A change of model was not carried out. The text says why and what is served now."""


@dataclass(frozen=True)
class ServedModel:
    """What the engines serve: a folder under a name."""

    folder: Path
    name: str


@dataclass(frozen=True)
class Places:
    """Where logs and notes go. `port` is the first one's, the others follow; 0 takes free ones."""

    logs_dir: Path
    run_dir: Path
    port: int = 0
    key: str = ""


class EngineFleet:
    """`profile.replicas` engines on 127.0.0.1. `start` returns at once; all methods may be called from any thread.
    `on_change` is called whenever the set of engines is another one."""

    def __init__(self, profile: EngineProfile, model: ServedModel, places: Places) -> None:
        self.profile, self.model = profile, model
        self.on_change: Callable[[], None] = lambda: None
        self._places = places
        self._key = places.key or secrets.token_urlsafe(24)  # one for all: whoever asks is told one
        self._servers = [self._make(number, model, "") for number in range(profile.replicas)]
        self._closed: set[str] = set()  # names of those that get nothing new
        self._rolling = threading.Lock()
        self._stopping = threading.Event()

    def start(self) -> None:
        for server in self._servers:
            server.start()

    def stop(self) -> None:
        """End all engines; at most some twenty seconds, since they end beside each other."""
        self._stopping.set()
        ends = [threading.Thread(target=server.stop) for server in self._servers]
        for end in ends:
            end.start()
        for end in ends:
            end.join()

    def replicas(self) -> tuple[Replica, ...]:
        return tuple(server.replica(accepting=server.name not in self._closed) for server in self._servers)

    def status(self) -> EngineStatus:
        """Of all together: ready as soon as one is."""
        return together([replica.status for replica in self.replicas() if replica.accepting] or [self._changing()])

    def change(self, model: ServedModel, check: Callable[[], None] = lambda: None) -> None:
        """Serve another model, one engine after the other; returns when all do.

        Raises FleetError where that did not work; what was replaced until then is put back.
        """
        if not self._rolling.acquire(blocking=False):
            raise FleetError("The engines are being changed already. Wait until that is done.")
        before = self.model
        try:
            check()
            for number in range(len(self._servers)):
                self._replace(number, model, before)
            self.model = model
        finally:
            self._rolling.release()

    # -- one engine after the other -----------------------------------------------------------------------------------

    def _replace(self, number: int, model: ServedModel, before: ServedModel) -> None:
        old = self._servers[number]
        new = self._make(number, model, "" if old.name.endswith("-b") else "-b")
        if self._room_beside(model):
            self._start_beside(new)
            self._put(number, new)
            self._drain(old)
            old.stop()
        else:
            self._start_in_place(number, new, before)

    def _start_beside(self, new: EngineServer) -> None:
        new.start()
        problem = self._until_ready(new)
        if problem:
            new.stop()
            raise FleetError(f"The new engine does not start: {problem} The model is as it was.")

    def _start_in_place(self, number: int, new: EngineServer, before: ServedModel) -> None:
        old = self._servers[number]
        self._closed.add(old.name)
        self._drain(old)
        old.stop()
        self._put(number, new)
        new.start()
        problem = self._until_ready(new)
        self._closed.discard(old.name)
        if problem:
            new.stop()
            back = self._make(number, before, "")
            self._put(number, back)
            back.start()
            raise FleetError(f"The new engine does not start: {problem} The model it had is started again.")

    def _put(self, number: int, server: EngineServer) -> None:
        servers = list(self._servers)
        servers[number] = server
        self._servers = servers
        self.on_change()

    def _drain(self, server: EngineServer) -> None:
        """Until it has nothing to do, seen twice: a request may be on its way to it."""
        end, quiet = time.monotonic() + DRAIN_SECONDS, 0
        with httpx.Client(headers={"Authorization": f"Bearer {server.key}"}, timeout=5, trust_env=False) as http:
            while quiet < 2 and time.monotonic() < end and not self._stopping.wait(LOOK_EVERY):
                quiet = quiet + 1 if not _busy(http, server.base_url.removesuffix("/v1")) else 0

    def _until_ready(self, server: EngineServer) -> str:
        end = time.monotonic() + READY_SECONDS
        while (state := server.status()).state != "ready":
            if state.state == "failed" or time.monotonic() > end:
                return state.detail or "It was not ready in time."
            if self._stopping.wait(LOOK_EVERY):
                return "Beleg is stopping."
        return ""

    def _room_beside(self, model: ServedModel) -> bool:
        """Whether a second engine fits beside the first: on a CPU where there is memory. Cards are full by design."""
        if self.profile.device != "cpu":
            return False
        weights = sum(file.stat().st_size for file in model.folder.glob("*.safetensors"))
        needed = weights + (self.profile.kv_cache_gib + SPARE_GIB) * GIB
        return psutil.virtual_memory().available > needed

    def _changing(self) -> EngineStatus:
        return EngineStatus("restarting", time.time(), self.model.name, "changing the model")

    def _make(self, number: int, model: ServedModel, mark: Literal["", "-b"]) -> EngineServer:
        alone = self.profile.replicas == 1
        places = self._places
        return EngineServer(
            self.profile.replica(number),
            model.folder,
            model.name,
            places.port + number if places.port and not mark else 0,
            places.logs_dir,
            places.run_dir,
            self._key,
            name=("engine" if alone else f"engine-{number}") + mark,
        )


def together(states: list[EngineStatus]) -> EngineStatus:
    """One state for several engines: the best of them, the restarts of all."""
    for wanted in ("ready", "restarting", "starting", "failed", "off"):
        chosen = [state for state in states if state.state == wanted]
        if not chosen:
            continue
        detail = chosen[0].detail
        if len(states) > 1 and len(chosen) < len(states):
            detail = f"{len(chosen)} of {len(states)} engines. {detail}".strip()
        return replace(chosen[0], detail=detail, restarts=sum(state.restarts for state in states))
    return EngineStatus("off", time.time(), "")


def _busy(http: httpx.Client, address: str) -> bool:
    """Whether it computes or has somebody waiting; one that does not answer has nobody to lose."""
    try:
        text = http.get(f"{address}/metrics").text
    except httpx.HTTPError:
        return False
    return sum(float(count) for count in _BUSY.findall(text)) > 0
