"""When an engine is short of room, it is said in plain words with what would help."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.engine_pressure import machine_pressure, pressures
from app.engine_samples import EVERY, Rates, Sample
from models.engine.gauges import Gauges
from web.messages import words


def five_minutes(kv_used: float = 0.3, waiting: float = 0, preempted: float = 0.0) -> list[Sample]:
    """Looks of five minutes and a bit; `preempted` a minute."""
    gauges, rates = Gauges(kv_used=kv_used, waiting=waiting), Rates(preempted=preempted)
    return [Sample(1000 + EVERY * number, gauges, rates) for number in range(62)]


def said(samples: list[Sample], language: str = "en") -> list[str]:
    return [words(language).text(one.text, **one.values) for one in pressures(samples)]


def test_all_is_well() -> None:
    assert said(five_minutes()) == []
    assert said([]) == []


def test_a_full_cache_that_preempts() -> None:
    (text,) = said(five_minutes(kv_used=0.99, preempted=2.4))
    assert text.startswith("The KV cache was over 95 % full for 5 minutes and 12 requests were preempted: fewer people")
    (german,) = said(five_minutes(kv_used=0.99, preempted=2.4), "de")
    assert german.startswith("Der KV-Cache war 5 Minuten lang zu über 95 % voll, und 12 Anfragen wurden verdrängt:")


def test_a_full_cache_a_busy_one_and_a_queue() -> None:
    assert [one.code for one in pressures(five_minutes(kv_used=0.96))] == ["kv_full"]
    assert [one.code for one in pressures(five_minutes(kv_used=0.8, preempted=1.0))] == ["preempted"]
    assert [one.code for one in pressures(five_minutes(waiting=3))] == ["waiting"]
    assert [one.code for one in pressures(five_minutes(kv_used=1.0, waiting=3))] == ["kv_full", "waiting"]


def test_a_moment_is_no_pressure_and_neither_is_a_short_history() -> None:
    samples = five_minutes(kv_used=0.99)
    relieved = [*samples[:-1], Sample(samples[-1].at, Gauges(kv_used=0.2), Rates())]
    assert said(relieved) == []
    assert said(samples[:20]) == []


def test_the_machines_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_free(mib: int) -> None:
        memory = SimpleNamespace(total=24 << 30, available=mib << 20)
        monkeypatch.setattr("app.engine_pressure.psutil.virtual_memory", lambda: memory)

    with_free(8000)
    assert machine_pressure() is None
    with_free(700)
    found = machine_pressure()
    assert found is not None
    assert "Only 700 MiB of this machine's memory are free" in words("en").text(found.text, **found.values)
