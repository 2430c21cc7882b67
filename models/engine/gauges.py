"""What vLLM tells of itself at `/metrics`: how much it does, what its KV cache holds, how long requests waited.

Names are those of vLLM 0.32 (`vllm/v1/metrics/loggers.py`). What an engine does not tell is None, never 0.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import httpx
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from models.types import Replica

PREFIX = "vllm:"
Samples = Mapping[str, list[Sample]]


@dataclass(frozen=True)
class Total:
    """Of a histogram: seconds in all, and how many there were."""

    seconds: float
    count: float


@dataclass(frozen=True)
class Gauges:
    """One look at an engine. With data parallelism inside one engine, sums over its parts.

    `running` and `waiting` are requests, `kv_used` a share (0 to 1) and `kv_tokens` the room for tokens in all. The
    rest counts from the engine's start: prompt tokens asked of the prefix cache and found in it, prompt tokens, those
    of them not computed anew, generated tokens, preempted requests, requests that ended by reason ("stop", "length",
    "abort", "error"), time to the first token, time in the engine's queue.
    """

    running: float | None = None
    waiting: float | None = None
    kv_used: float | None = None
    kv_tokens: int | None = None
    prefix_queries: float | None = None
    prefix_hits: float | None = None
    prompt_tokens: float | None = None
    cached_tokens: float | None = None
    generated_tokens: float | None = None
    preemptions: float | None = None
    finished: Mapping[str, float] | None = None
    first_token: Total | None = None
    queue: Total | None = None

    @property
    def hit_rate(self) -> float | None:
        """Share of prompt tokens found in the prefix cache since the start; None before the first prompt."""
        if not self.prefix_queries or self.prefix_hits is None:
            return None
        return self.prefix_hits / self.prefix_queries


def metrics_url(base_url: str) -> str:
    """Where an engine whose API ends in `/v1` tells its metrics."""
    return base_url.removesuffix("/v1") + "/metrics"


def fetch(http: httpx.Client, replica: Replica) -> Gauges:
    """Asks a replica. Errors: httpx.HTTPError where it does not answer, ValueError where that is not understood, or
    tells nothing (vLLM with --disable-log-stats)."""
    reply = http.get(metrics_url(replica.base_url), headers=authorization(replica.key))
    gauges = read_gauges(reply.raise_for_status().text)
    if gauges == Gauges():
        raise ValueError("this engine tells no figures")
    return gauges


def authorization(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def read_gauges(text: str) -> Gauges:
    """From Prometheus' text format. Errors: ValueError."""
    samples = _samples(text)
    return Gauges(
        running=_sum(samples, "vllm:num_requests_running"),
        waiting=_sum(samples, "vllm:num_requests_waiting"),
        kv_used=_mean(samples, "vllm:kv_cache_usage_perc"),
        kv_tokens=_kv_tokens(samples),
        prefix_queries=_sum(samples, "vllm:prefix_cache_queries_total"),
        prefix_hits=_sum(samples, "vllm:prefix_cache_hits_total"),
        prompt_tokens=_sum(samples, "vllm:prompt_tokens_total"),
        cached_tokens=_sum(samples, "vllm:prompt_tokens_cached_total"),
        generated_tokens=_sum(samples, "vllm:generation_tokens_total"),
        preemptions=_sum(samples, "vllm:num_preemptions_total"),
        finished=_by_reason(samples),
        first_token=_total(samples, "vllm:time_to_first_token_seconds"),
        queue=_total(samples, "vllm:request_queue_time_seconds"),
    )


def _samples(text: str) -> Samples:
    """By name. Buckets are four fifths of the text and not needed: they are not even parsed."""
    lines = (line for line in text.splitlines() if line.startswith(PREFIX) and "_bucket{" not in line)
    found: dict[str, list[Sample]] = defaultdict(list)
    for family in text_string_to_metric_families("\n".join(lines) + "\n"):
        for sample in family.samples:
            if math.isfinite(sample.value):
                found[sample.name].append(sample)
    return found


def _sum(samples: Samples, name: str) -> float | None:
    return sum(sample.value for sample in samples[name]) if name in samples else None


def _mean(samples: Samples, name: str) -> float | None:
    whole = _sum(samples, name)
    return whole / len(samples[name]) if whole is not None else None


def _total(samples: Samples, name: str) -> Total | None:
    seconds, count = _sum(samples, f"{name}_sum"), _sum(samples, f"{name}_count")
    return Total(seconds, count) if seconds is not None and count is not None else None


def _by_reason(samples: Samples) -> Mapping[str, float] | None:
    found: dict[str, float] = defaultdict(float)
    for sample in samples.get("vllm:request_success_total", ()):
        found[sample.labels.get("finished_reason", "")] += sample.value
    return dict(found) or None


def _kv_tokens(samples: Samples) -> int | None:
    """Room for tokens: vLLM's own count where it tells one (it knows layers that share blocks), else blocks times
    their size."""
    rooms = [_room(sample.labels) for sample in samples.get("vllm:cache_config_info", ())]
    known = [room for room in rooms if room is not None]
    return sum(known) if known else None


def _room(labels: Mapping[str, str]) -> int | None:
    counted, blocks, size = (labels.get(name, "") for name in ("kv_cache_size_tokens", "num_gpu_blocks", "block_size"))
    if counted.isdigit():
        return int(counted)
    return int(blocks) * int(size) if blocks.isdigit() and size.isdigit() else None
