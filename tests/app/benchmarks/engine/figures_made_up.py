"""Figures as `beleg bench engine` prints them, made up."""

from __future__ import annotations

from typing import Any


def spread(median: float) -> dict[str, float]:
    return {"median": median, "p99": median * 3, "most": median * 4}


def compared(alone: float, through: float) -> dict[str, Any]:
    added = {"median": through - alone, "p99": 3 * (through - alone)}
    return {"engine_alone": spread(alone), "through_beleg": spread(through), "added": added}


def way(rate: float, first_ms: float) -> dict[str, Any]:
    return {"tokens_per_s": rate, "times_sequential": round(rate / 10, 2), "first_token_ms": spread(first_ms)}


def figures() -> dict[str, Any]:
    rows = [
        {
            "people": people,
            "continuous": way(10 * people**0.6, 300 * people**0.5),
            "static": way(8 * people**0.6, 900 * people),
            "sequential": way(10, 4000 * people),
            "gain_percent_over_sequential": round(100 * (people**0.6 - 1)),
        }
        for people in (2, 4, 8, 16)
    ]
    return {
        "engine": {"model": "a & b <c>", "profile": "cpu-trial"},
        "machine": {"cores": 2, "load_before": [0.4, 0.3, 0.2]},
        "batching": {"people": rows, "gain_percent_over_sequential": {"claimed": [40, 60]}},
        "overhead": {"streams": 16, "to_reach_p99_ms": 5.0, "relay_ms": compared(0.4, 1.6)},
        "policies": {
            "long_prompts": 24,
            "starved": 0,
            "short_first_token_fcfs_over_priority": 8.5,
            "fcfs": {"short_first_token_ms": spread(85_000), "long_longest_s": 160.0},
            "priority": {"short_first_token_ms": spread(10_000), "long_longest_s": 175.0},
        },
    }
