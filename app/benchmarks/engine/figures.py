"""Numbers as they are reported: medians and 99th percentiles."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, 99th percentile (the nearest value measured) and largest. Needs at least one value."""
    ordered = sorted(values)
    return {
        "median": round(statistics.median(ordered), 2),
        "p99": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], 2),
        "most": round(ordered[-1], 2),
    }


def milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    """`spread`, of seconds, in milliseconds."""
    return spread([value * 1000 for value in seconds])
