"""An hour of looks at a replica: what it did between two of them, and the hour in half minutes for plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from models.engine.gauges import Gauges, Total

EVERY = 5.0  # seconds between two looks
HOUR = 3600.0
GAP = 3 * EVERY  # longer between two looks, and no rate is told
STEP = 30.0  # seconds that one point of a plot stands for


@dataclass(frozen=True)
class Rates:
    """What happened between two looks; None where it cannot be known: no look before, a restart between them, or
    nothing to divide by (no request began, no prompt was looked up).

    `generated` and `prompt` are tokens a second, `hits` the share of prompt tokens found in the prefix cache,
    `preempted` requests a minute, `first_token` and `queue` mean seconds of the requests that got there.
    """

    generated: float | None = None
    prompt: float | None = None
    hits: float | None = None
    preempted: float | None = None
    first_token: float | None = None
    queue: float | None = None


@dataclass(frozen=True)
class Sample:
    """One look. `at` is epoch seconds, `memory` bytes of the engine's processes where it is our own."""

    at: float
    gauges: Gauges
    rates: Rates
    memory: int | None = None


@dataclass(frozen=True)
class Point:
    """Means over the looks in the `STEP` seconds from `at` on (epoch). Units as in `Gauges` and `Rates`."""

    at: float
    generated: float | None
    prompt: float | None
    hits: float | None
    first_token: float | None
    kv_used: float | None
    running: float | None
    waiting: float | None


def rates(before: Sample | None, at: float, now: Gauges) -> Rates:
    """From the look before to this one, at `at`."""
    if before is None or not 0 < at - before.at <= GAP or _restarted(before.gauges, now):
        return Rates()
    old, seconds = before.gauges, at - before.at
    return Rates(
        generated=_divided(_more(old.generated_tokens, now.generated_tokens), seconds),
        prompt=_divided(_more(old.prompt_tokens, now.prompt_tokens), seconds),
        hits=_divided(_more(old.prefix_hits, now.prefix_hits), _more(old.prefix_queries, now.prefix_queries)),
        preempted=_divided(_more(old.preemptions, now.preemptions), seconds / 60),
        first_token=_mean_between(old.first_token, now.first_token),
        queue=_mean_between(old.queue, now.queue),
    )


def points(samples: Iterable[Sample]) -> tuple[Point, ...]:
    """The hour in steps that begin at round times, so that a plot does not tremble while it moves on. Steps without a
    look are left out."""
    steps = groupby(samples, key=lambda sample: sample.at // STEP)
    return tuple(_point(number * STEP, list(inside)) for number, inside in steps)


def _point(at: float, samples: Sequence[Sample]) -> Point:
    def mean(value: Callable[[Sample], float | None]) -> float | None:
        known = [one for sample in samples if (one := value(sample)) is not None]
        return sum(known) / len(known) if known else None

    return Point(
        at=at,
        generated=mean(lambda sample: sample.rates.generated),
        prompt=mean(lambda sample: sample.rates.prompt),
        hits=mean(lambda sample: sample.rates.hits),
        first_token=mean(lambda sample: sample.rates.first_token),
        kv_used=mean(lambda sample: sample.gauges.kv_used),
        running=mean(lambda sample: sample.gauges.running),
        waiting=mean(lambda sample: sample.gauges.waiting),
    )


def _restarted(old: Gauges, now: Gauges) -> bool:
    """Counters only grow, except that a new process counts from zero."""
    pairs = (
        (old.prompt_tokens, now.prompt_tokens),
        (old.generated_tokens, now.generated_tokens),
        (old.prefix_queries, now.prefix_queries),
        (old.preemptions, now.preemptions),
    )
    return any(before is not None and (after is None or after < before) for before, after in pairs)


def _more(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _divided(amount: float | None, by: float | None) -> float | None:
    return amount / by if amount is not None and by else None


def _mean_between(before: Total | None, after: Total | None) -> float | None:
    if before is None or after is None or after.count <= before.count:
        return None
    return max(0.0, after.seconds - before.seconds) / (after.count - before.count)
