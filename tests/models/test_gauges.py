"""vLLM's metrics, read: what is told, what is not, and several engines in one."""

from __future__ import annotations

import pytest

from models.engine.gauges import Gauges, Total, metrics_url, read_gauges
from tests.engine_stand_in import Numbers


def test_what_an_engine_tells() -> None:
    numbers = Numbers(running=3, waiting=1, kv_used=0.25, queries=2000, hits=1500, prompt=2100, cached=1500)
    numbers.generated, numbers.preempted = 420, 2
    numbers.first_tokens, numbers.queued = (12.5, 5), (0.5, 5)
    assert read_gauges(numbers.text()) == Gauges(
        running=3,
        waiting=1,
        kv_used=0.25,
        kv_tokens=32_000,
        prefix_queries=2000,
        prefix_hits=1500,
        prompt_tokens=2100,
        cached_tokens=1500,
        generated_tokens=420,
        preemptions=2,
        finished={"stop": 3, "abort": 3},
        first_token=Total(12.5, 5),
        queue=Total(0.5, 5),
    )
    assert read_gauges(numbers.text()).hit_rate == 0.75


def test_what_it_does_not_tell_is_unknown_and_not_zero() -> None:
    assert read_gauges("") == Gauges()
    told = read_gauges('vllm:num_requests_running{engine="0"} 0.0\nvllm:kv_cache_usage_perc{engine="0"} NaN\n')
    assert told == Gauges(running=0)
    assert told.hit_rate is None


def test_the_parts_of_an_engine_are_summed() -> None:
    told = read_gauges(
        'vllm:num_requests_running{engine="0"} 2\nvllm:num_requests_running{engine="1"} 3\n'
        'vllm:kv_cache_usage_perc{engine="0"} 0.2\nvllm:kv_cache_usage_perc{engine="1"} 0.4\n'
        'vllm:request_success_total{engine="0",finished_reason="stop"} 2\n'
        'vllm:request_success_total{engine="1",finished_reason="stop"} 5\n'
    )
    assert (told.running, told.finished) == (5, {"stop": 7})
    assert told.kv_used == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("labels", "room"),
    [
        ('block_size="32",num_gpu_blocks="100"', 3200),
        ('block_size="32",num_gpu_blocks="100",kv_cache_size_tokens="2912"', 2912),
        ('block_size="32",num_gpu_blocks="None",kv_cache_size_tokens="None"', None),
    ],
)
def test_the_room_for_tokens(labels: str, room: int | None) -> None:
    assert read_gauges(f"vllm:cache_config_info{{{labels}}} 1.0\n").kv_tokens == room


def test_nonsense_is_an_error() -> None:
    with pytest.raises(ValueError):
        read_gauges("vllm:num_requests_running{ what\n")


def test_where_the_metrics_are() -> None:
    assert metrics_url("http://127.0.0.1:8000/v1") == "http://127.0.0.1:8000/metrics"
    assert metrics_url("https://host/small/v1") == "https://host/small/metrics"
