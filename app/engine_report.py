"""How the engine is, for administrators: each replica's state, what it serves, its figures and its last errors."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass

from app.engine_pressure import Pressure, machine_pressure, pressures
from app.engine_samples import GAP, Point, Sample, points
from app.engine_watch import EngineWatch, Seen
from app.logs import REMOVED, is_secret, without_secrets
from models.engine.diagnosis import last_errors
from models.engine.log import EngineLog
from models.types import EngineStatus, Replica


@dataclass(frozen=True)
class ReplicaReport:
    """`now` is the last look where that is fresh; None while the replica is not ready or tells no figures (`uptime` in
    seconds is then None or known, which tells the two apart). `history` are the looks of the last hour in half
    minutes. `accepting` false: it ends what it has and gets nothing new. Nothing in it is secret."""

    name: str
    status: EngineStatus
    uptime: float | None
    arguments: tuple[str, ...]
    context_tokens: int | None
    now: Sample | None
    history: tuple[Point, ...]
    pressures: tuple[Pressure, ...]
    accepting: bool
    errors: tuple[str, ...]


@dataclass(frozen=True)
class EngineReport:
    """`at` is epoch seconds; `pressure` is the machine's own, where engines of ours run on it."""

    at: float
    replicas: tuple[ReplicaReport, ...]
    pressure: Pressure | None


def report(replicas: Sequence[Replica], watch: EngineWatch) -> EngineReport:
    """As it is just now. Reads the ends of log files: not for the event loop."""
    at = time.time()
    ours = any(replica.note for replica in replicas)
    told = tuple(_replica(replica, watch.seen(replica.name), at) for replica in replicas)
    return EngineReport(at, told, machine_pressure() if ours else None)


def _replica(replica: Replica, seen: Seen, at: float) -> ReplicaReport:
    status, last = replica.status, seen.samples[-1] if seen.samples else None
    ready = status.state == "ready"
    fresh = last if last and ready and at - last.at <= GAP else None
    return ReplicaReport(
        name=replica.name,
        status=_told(replica),
        uptime=at - status.since if ready else None,
        arguments=tuple(_shown(replica.arguments)),
        context_tokens=seen.context_tokens,
        now=fresh,
        history=points(seen.samples),
        pressures=pressures(seen.samples) if fresh else (),
        accepting=replica.accepting,
        errors=_errors(replica),
    )


def _told(replica: Replica) -> EngineStatus:
    return dataclasses.replace(replica.status, detail=_clean(replica.status.detail, replica.key))


def _shown(arguments: Sequence[str]) -> list[str]:
    """Arguments without the values of those that are secret, written `--name=value` or `--name value`."""
    shown: list[str] = []
    hide = False
    for argument in arguments:
        name, given, _ = argument.partition("=")
        secret = argument.startswith("-") and is_secret(name)
        hidden = f"{name}={REMOVED}" if secret and given else REMOVED if hide else without_secrets(argument)
        shown.append(hidden)
        hide = secret and not given
    return shown


def _errors(replica: Replica) -> tuple[str, ...]:
    """From its log, and from the one before where that ended in a restart."""
    if replica.log is None:
        return ()
    before = replica.log.with_suffix(f".1{replica.log.suffix}")
    tail = EngineLog(before).tail() if replica.status.restarts else ""
    lines = last_errors(f"{tail}\n{EngineLog(replica.log).tail()}")
    return tuple(_clean(line, replica.key) for line in lines)


def _clean(text: str, key: str) -> str:
    return without_secrets(text.replace(key, REMOVED) if key else text)
