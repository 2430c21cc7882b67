"""Whether an engine is short of room, in plain words with what would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import psutil

from app.engine_samples import EVERY, Sample

MINUTES = 5  # that something has to last
FULL = 0.95  # of the KV cache
PREEMPTED = 3  # requests within MINUTES
FREE_SHARE = 0.05  # of the machine's memory
_ENOUGH = 0.8  # of the looks of MINUTES have to be there


@dataclass(frozen=True)
class Pressure:
    """A warning. `code` is stable ("kv_full", "preempted", "waiting", "memory"); `text` is an English template, filled
    from `values`."""

    code: str
    text: str
    values: dict[str, int] = field(default_factory=dict)


def pressures(samples: Sequence[Sample]) -> tuple[Pressure, ...]:
    """What the last `MINUTES` say of one replica, worst first; nothing where there are too few looks."""
    recent = [sample for sample in samples if sample.at > samples[-1].at - MINUTES * 60]
    if len(recent) < MINUTES * 60 / EVERY * _ENOUGH:
        return ()
    found = (_cache(recent), _waiting(recent))
    return tuple(one for one in found if one is not None)


def machine_pressure() -> Pressure | None:
    """Whether this machine's memory runs out: the kernel would then end the largest process, which is the engine."""
    memory = psutil.virtual_memory()
    if memory.available > memory.total * FREE_SHARE:
        return None
    return Pressure(
        "memory",
        "Only %(free)s MiB of this machine's memory are free: close other programs, lower BELEG_KV_CACHE_GIB or choose "
        "a smaller model, or the system may end the engine.",
        {"free": int(memory.available >> 20)},
    )


def _cache(recent: Sequence[Sample]) -> Pressure | None:
    full = all((sample.gauges.kv_used or 0) >= FULL for sample in recent)
    preempted = _preempted(recent)
    if full and preempted > 1:
        return Pressure(
            "kv_full",
            "The KV cache was over 95 %% full for %(minutes)s minutes and %(preempted)s requests were preempted: fewer "
            "people at once or a shorter context would help, or more memory for the cache.",
            {"minutes": MINUTES, "preempted": preempted},
        )
    if full:
        return Pressure(
            "kv_full",
            "The KV cache was over 95 %% full for %(minutes)s minutes: fewer people at once or a shorter context would "
            "help, or more memory for the cache.",
            {"minutes": MINUTES},
        )
    if preempted >= PREEMPTED:
        return Pressure(
            "preempted",
            "%(preempted)s requests were preempted within %(minutes)s minutes, and computed again: fewer people at "
            "once or a shorter context would help, or more memory for the cache.",
            {"minutes": MINUTES, "preempted": preempted},
        )
    return None


def _waiting(recent: Sequence[Sample]) -> Pressure | None:
    waiting = [sample.gauges.waiting or 0 for sample in recent]
    if min(waiting) < 1:
        return None
    return Pressure(
        "waiting",
        "Requests waited for the engine for %(minutes)s minutes, up to %(waiting)s at once: fewer answers at once "
        "(BELEG_ANSWERS_AT_ONCE) or another replica would help.",
        {"minutes": MINUTES, "waiting": int(max(waiting))},
    )


def _preempted(recent: Sequence[Sample]) -> int:
    """Requests preempted in these samples: each tells how many a minute since the one before."""
    return round(sum((now.rates.preempted or 0) * (now.at - before.at) / 60 for before, now in pairwise(recent)))
