"""Looks at every ready replica of the engine each five seconds and keeps the last hour in memory.

One thread, started with the services. An engine that does not answer costs it two seconds and leaves a gap.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
import structlog

from app.engine_samples import EVERY, HOUR, Sample, rates
from models.engine.gauges import authorization, fetch
from models.engine.group_memory import group_memory
from models.types import Replica

ANSWER_SECONDS = 2.0
KEPT = int(HOUR / EVERY)

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Seen:
    """What is known of a replica: the samples of the last hour, oldest first, and the longest prompt and answer it
    takes together, in tokens (None: not told)."""

    samples: tuple[Sample, ...] = ()
    context_tokens: int | None = None


@dataclass
class _Kept:
    samples: deque[Sample] = field(default_factory=lambda: deque(maxlen=KEPT))
    context_tokens: int | None = None
    base_url: str = ""  # where it was looked at last
    since: float = 0.0  # of the ready state it had then


class EngineWatch:
    """`replicas` tells which there are just now; they may come and go. Methods may be called from any thread."""

    def __init__(self, replicas: Callable[[], tuple[Replica, ...]]) -> None:
        self._replicas = replicas
        self._kept: dict[str, _Kept] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="engine-figures", daemon=True).start()

    def stop(self) -> None:
        self._ended.set()

    def seen(self, name: str) -> Seen:
        """What is known of the replica of that name."""
        with self._lock:
            kept = self._kept.get(name)
            return Seen(tuple(kept.samples), kept.context_tokens) if kept else Seen()

    def look(self, http: httpx.Client, at: float) -> None:
        """One round, at epoch second `at`."""
        replicas = self._replicas()
        for replica in replicas:
            if replica.status.state == "ready":
                self._look_at(http, replica, at)
        self._forget({replica.name for replica in replicas}, at)

    def _run(self) -> None:
        with httpx.Client(timeout=ANSWER_SECONDS, trust_env=False) as http:
            while not self._ended.is_set():
                try:
                    self.look(http, time.time())
                except Exception:  # the next round may go better; the figures are not worth a thread
                    log.exception("engine.figures")
                self._ended.wait(EVERY)

    def _look_at(self, http: httpx.Client, replica: Replica, at: float) -> None:
        with self._lock:
            kept = self._kept.setdefault(replica.name, _Kept())
        try:
            gauges = fetch(http, replica)
            same = (kept.base_url, kept.since) == (replica.base_url, replica.status.since)
            if not same:
                kept.context_tokens = _context(http, replica)
                kept.base_url, kept.since = replica.base_url, replica.status.since
        except (httpx.HTTPError, ValueError) as error:
            log.debug("engine.no_figures", replica=replica.name, error=str(error))
            return
        memory = group_memory(replica.note) if replica.note else None
        with self._lock:
            before = kept.samples[-1] if same and kept.samples else None
            kept.samples.append(Sample(at, gauges, rates(before, at, gauges), memory))

    def _forget(self, names: set[str], at: float) -> None:
        """What is older than an hour, and replicas that are gone for as long."""
        with self._lock:
            for kept in self._kept.values():
                while kept.samples and kept.samples[0].at < at - HOUR:
                    kept.samples.popleft()
            for name in [name for name, kept in self._kept.items() if not kept.samples and name not in names]:
                del self._kept[name]


def _context(http: httpx.Client, replica: Replica) -> int | None:
    """What the engine itself says its context is. Errors: httpx.HTTPError, ValueError."""
    reply = http.get(f"{replica.base_url}/models", headers=authorization(replica.key)).raise_for_status()
    try:
        length = reply.json()["data"][0]["max_model_len"]
    except (KeyError, IndexError, TypeError):
        return None
    return length if isinstance(length, int) else None
