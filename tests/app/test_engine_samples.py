"""What an engine did between two looks, and the hour in half minutes."""

from __future__ import annotations

from app.engine_samples import EVERY, Rates, Sample, points, rates
from models.engine.gauges import Gauges, Total

BEFORE = Gauges(
    prompt_tokens=1000, generated_tokens=100, prefix_queries=1000, prefix_hits=400, preemptions=2,
    first_token=Total(10.0, 5), queue=Total(1.0, 5),
)  # fmt: skip
AFTER = Gauges(
    prompt_tokens=1500, generated_tokens=160, prefix_queries=1500, prefix_hits=850, preemptions=3,
    first_token=Total(12.0, 9), queue=Total(1.2, 9),
)  # fmt: skip


def sample(at: float, gauges: Gauges) -> Sample:
    return Sample(at, gauges, Rates())


def test_rates_between_two_looks() -> None:
    assert rates(sample(100, BEFORE), 105, AFTER) == Rates(
        generated=12.0, prompt=100.0, hits=0.9, preempted=12.0, first_token=0.5, queue=(1.2 - 1.0) / 4
    )


def test_where_nothing_happened_a_mean_is_unknown_and_a_rate_is_zero() -> None:
    assert rates(sample(100, BEFORE), 105, BEFORE) == Rates(generated=0.0, prompt=0.0, preempted=0.0)


def test_across_a_restart_or_a_gap_nothing_is_told() -> None:
    assert rates(None, 105, AFTER) == Rates()
    assert rates(sample(100, AFTER), 105, Gauges(prompt_tokens=7, generated_tokens=0)) == Rates()
    assert rates(sample(100, AFTER), 105, Gauges()) == Rates()
    assert rates(sample(100, BEFORE), 100 + 4 * EVERY, AFTER) == Rates()
    assert rates(sample(100, BEFORE), 90, AFTER) == Rates(), "the clock was set back"


def test_the_hour_in_half_minutes() -> None:
    looks = [
        Sample(60.0, Gauges(kv_used=0.2, running=1), Rates(generated=None)),
        Sample(65.0, Gauges(kv_used=0.4, running=2), Rates(generated=30.0)),
        Sample(89.9, Gauges(kv_used=0.6, running=None), Rates(generated=10.0)),
        Sample(150.0, Gauges(), Rates()),
    ]
    first, last = points(looks)
    assert (first.at, round(first.kv_used or 0, 6), first.running, first.generated) == (60.0, 0.4, 1.5, 20.0)
    assert (last.at, last.kv_used, last.generated) == (150.0, None, None)
    assert points(()) == ()
