"""Which vLLMs answer, and how they are: our own processes, running ones at an address, or those another command of ours
runs on this data folder (`run/engine.json` names them).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import httpx

from app.config import Settings
from app.engine_note import EngineAddress, is_alive, read_address, write_address
from app.engine_wish import WishKeeper
from app.errors import Invalid
from models.bundles import BundleError, Silent, prepare
from models.engine.checks import check_profile
from models.engine.flags import check_flags
from models.engine.fleet import EngineFleet, Places, ServedModel, together
from models.engine.profiles import EngineProfile, ProfileError, choose_profile, load_profile
from models.planner.cards import cards_here
from models.planner.named import known_shape
from models.types import EngineState, EngineStatus, Replica

CHECK_SECONDS = 2.0
ONLY = "engine"  # a replica's name, where there is one

OnModel = Callable[[str, Path | None], None]


class EngineHandle(Protocol):
    """Where an engine is and how it is. `base_url` ends in `/v1`; `key` may be empty. `on_model` is told, again and
    again, the name of what is served, and its folder where that is on this machine and new."""

    on_model: OnModel

    @property
    def base_url(self) -> str: ...

    @property
    def key(self) -> str: ...

    @property
    def model(self) -> str: ...

    def status(self) -> EngineStatus: ...

    def replicas(self) -> tuple[Replica, ...]: ...

    def stop(self) -> None: ...


def engine_profile(settings: Settings) -> EngineProfile:
    """The profile that is set, else this machine's. Explicit settings win over the profile's values. Raises Invalid."""
    try:
        if not settings.engine_profile:
            return choose_profile(
                settings.context_tokens, settings.kv_cache_gib, settings.engine_threads, settings.engine_args
            )
        profile = load_profile(settings.engine_profile)
        own = choose_profile(profile.context_tokens, arguments=settings.engine_args)
    except ValueError as error:
        raise Invalid(str(error), "See `beleg plan` and the profiles in models/profiles/.") from error
    given = settings.model_fields_set
    if "context_tokens" in given:
        profile = replace(profile, context_tokens=settings.context_tokens)
    if "kv_cache_gib" in given:
        profile = replace(profile, kv_cache_gib=settings.kv_cache_gib)
    threads = settings.engine_threads or profile.threads
    return replace(profile, threads=threads, more=(*profile.more, *own.more))


def with_profile(settings: Settings) -> Settings:
    """The settings with the context of the profile that is named, so that prompts fill what the engine takes."""
    if not settings.engine_profile or settings.engine_url:
        return settings
    return settings.model_copy(update={"context_tokens": engine_profile(settings).context_tokens})


def check_engine_profile(profile: EngineProfile, model: Path) -> None:
    """Everything that can be known before vLLM is started. Raises Invalid."""
    try:
        check_profile(profile, known_shape(model), cards_here() if profile.device == "gpu" else None)
        if profile.more:  # the others are ours, and tested against vLLM's parser
            check_flags([*profile.arguments(), f"--model={model}"])
    except ProfileError as error:
        raise Invalid(str(error), "Change the profile, or let `beleg plan` choose one.") from error


class OwnEngine:
    """Our own vLLMs: started at once, supervised until `stop`, changed to another model when that is wished for."""

    def __init__(self, settings: Settings, model_folder: Path | None, profile: EngineProfile | None = None) -> None:
        assert model_folder is not None, "without BELEG_ENGINE_URL there always is a folder"
        self.on_model: OnModel = lambda _name, _folder: None
        self._settings = settings
        self._note = settings.run_dir / "engine.json"
        profile = profile or engine_profile(settings)
        check_engine_profile(profile, model_folder)
        places = Places(settings.logs_dir, settings.run_dir, settings.engine_port)
        self.fleet = EngineFleet(profile, ServedModel(model_folder, settings.model), places)
        self.fleet.on_change = self._tell_others
        self.fleet.start()
        self._tell_others()
        self._wishes = WishKeeper(settings, self.change_model)

    @property
    def base_url(self) -> str:
        return self._first.base_url

    @property
    def key(self) -> str:
        return self._first.key

    @property
    def model(self) -> str:
        return self._first.status.model

    def status(self) -> EngineStatus:
        return self.fleet.status()

    def replicas(self) -> tuple[Replica, ...]:
        return self.fleet.replicas()

    def change_model(self, name: str) -> None:
        """Serve another model; returns when all engines do. Raises Invalid or FleetError with what went wrong."""
        try:
            folder = prepare(name, self._settings.models_dir, Silent())
        except BundleError as error:
            raise Invalid(str(error), error.hint) from error
        self.fleet.change(ServedModel(folder, name), lambda: check_engine_profile(self.fleet.profile, folder))
        self.on_model(name, folder)

    def stop(self) -> None:
        self._wishes.stop()
        self._note.unlink(missing_ok=True)
        self.fleet.stop()

    @property
    def _first(self) -> Replica:
        replicas = self.fleet.replicas()
        return next((replica for replica in replicas if replica.accepting), replicas[0])

    def _tell_others(self) -> None:
        replicas = self.fleet.replicas()
        addresses = ",".join(replica.base_url for replica in replicas)
        write_address(self._note, EngineAddress(addresses, replicas[0].key, self.model, os.getpid()))
        self.on_model(self.model, None)


class RunningEngine:
    """Engines somebody else runs. A thread asks every two seconds whether they answer, and what they serve; with `note`
    it looks there for their addresses, which change with the model."""

    def __init__(self, base_url: str, key: str, model: str, note: Path | None = None) -> None:
        self.on_model: OnModel = lambda _name, _folder: None
        self._wanted, self._note = model, note
        self._seen = tuple(_Seen(address, key, model) for address in _addresses(base_url))
        self._ended = threading.Event()
        threading.Thread(target=self._watch, name="engine-watch", daemon=True).start()

    @property
    def base_url(self) -> str:
        return self._seen[0].base_url

    @property
    def key(self) -> str:
        return self._seen[0].key

    @property
    def model(self) -> str:
        return self._seen[0].status.model

    def status(self) -> EngineStatus:
        return together([seen.status for seen in self._seen])

    def replicas(self) -> tuple[Replica, ...]:
        names = [ONLY] if len(self._seen) == 1 else [f"{ONLY}-{number}" for number in range(len(self._seen))]
        return tuple(
            Replica(name, seen.base_url, seen.key, seen.status) for name, seen in zip(names, self._seen, strict=True)
        )

    def stop(self) -> None:
        self._ended.set()

    def _watch(self) -> None:
        with httpx.Client(timeout=5, trust_env=False) as http:
            while not self._ended.is_set():
                self._read_note()
                self._seen = tuple(seen.looked_at(http, self._wanted) for seen in self._seen)
                if self.status().state == "ready":
                    self.on_model(self.model, None)
                self._ended.wait(CHECK_SECONDS)

    def _read_note(self) -> None:
        """Those that are new there are looked at, those that are gone are forgotten."""
        note = read_address(self._note) if self._note else None
        if note is None:
            return
        known = {seen.base_url: seen for seen in self._seen}
        addresses = _addresses(note.base_url)
        if list(known) != addresses:
            self._seen = tuple(known.get(one) or _Seen(one, note.key, note.model) for one in addresses)


@dataclass(frozen=True)
class _Seen:
    """One running engine, as it was when it was last looked at."""

    base_url: str
    key: str
    model: str
    state: EngineStatus | None = None

    @property
    def status(self) -> EngineStatus:
        return self.state or EngineStatus("starting", time.time(), self.model, "looking for the engine")

    def looked_at(self, http: httpx.Client, wanted: str) -> _Seen:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            answer = http.get(f"{self.base_url}/models", headers=headers).raise_for_status()
            served = [str(entry["id"]) for entry in answer.json()["data"]]
        except httpx.HTTPStatusError as error:
            return self._now(
                "failed", f"the engine at {self.base_url} answers with status {error.response.status_code}"
            )
        except (httpx.HTTPError, KeyError, ValueError, TypeError):
            was_ready = self.status.state in ("ready", "restarting")
            return self._now("restarting" if was_ready else "starting", f"no answer from the engine at {self.base_url}")
        model = wanted if wanted in served else served[0] if served else self.model
        return replace(self, model=model)._now("ready", "")

    def _now(self, state: EngineState, detail: str) -> _Seen:
        before = self.state
        if before is not None and (before.state, before.detail, before.model) == (state, detail, self.model):
            return self
        return replace(self, state=EngineStatus(state, time.time(), self.model, detail))


def find_running(settings: Settings) -> RunningEngine | None:
    """The engine at the address that was set, else the one another command on this data folder has left a note of."""
    if settings.engine_url:
        return RunningEngine(settings.engine_url, settings.engine_key, settings.model)
    path = settings.run_dir / "engine.json"
    note = read_address(path)
    if note is None or not is_alive(note):
        return None
    return RunningEngine(note.base_url, note.key, note.model, path)


def _addresses(base_url: str) -> list[str]:
    return [one.strip().rstrip("/") for one in base_url.split(",") if one.strip()]
