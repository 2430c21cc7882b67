"""Looking at replicas that come, go, restart and fall silent."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest

from app.engine_samples import EVERY, HOUR
from app.engine_watch import KEPT, EngineWatch
from models.types import Replica
from tests.engine_stand_in import KEY, Numbers, StandIn, stand_in


@pytest.fixture
def teller() -> Iterator[StandIn]:
    with stand_in() as teller:
        yield teller


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=0.3, trust_env=False) as http:
        yield http


def test_two_looks_give_figures_and_rates(teller: StandIn, http: httpx.Client) -> None:
    watch = EngineWatch(lambda: (teller.replica(),))
    teller.numbers.generated = 100
    watch.look(http, 1000)
    teller.numbers.generated, teller.numbers.running = 150, 2
    watch.look(http, 1000 + EVERY)
    seen = watch.seen("engine")
    assert [sample.rates.generated for sample in seen.samples] == [None, 10.0]
    assert seen.samples[-1].gauges.running == 2
    assert seen.context_tokens == 8192
    assert teller.keys == {f"Bearer {KEY}"}
    assert teller.asked == 3, "the context is asked for once"


def test_a_restart_counts_from_zero_and_is_no_rate(teller: StandIn, http: httpx.Client) -> None:
    watch = EngineWatch(lambda: (teller.replica(),))
    teller.numbers.generated = 5000
    watch.look(http, 1000)
    teller.numbers = Numbers(generated=20)
    watch.look(http, 1005)
    teller.numbers = Numbers(generated=70)
    watch.look(http, 1010)
    assert [sample.rates.generated for sample in watch.seen("engine").samples] == [None, None, 10.0]


def test_one_that_is_silent_or_talks_nonsense_leaves_a_gap_and_the_other_is_seen(
    teller: StandIn, http: httpx.Client
) -> None:
    with stand_in() as other:
        watch = EngineWatch(lambda: (teller.replica("a"), other.replica("b")))
        teller.silent.set()
        watch.look(http, 1000)
        teller.silent.clear()
        teller.broken = True
        watch.look(http, 1005)
        teller.broken = False
        watch.look(http, 1010)
        assert [sample.at for sample in watch.seen("a").samples] == [1010]
        assert [sample.at for sample in watch.seen("b").samples] == [1000, 1005, 1010]


def test_only_ready_ones_are_asked(teller: StandIn, http: httpx.Client) -> None:
    watch = EngineWatch(lambda: (teller.replica("a", "starting"), teller.replica("b", "restarting")))
    watch.look(http, 1000)
    assert (teller.asked, watch.seen("a").samples) == (0, ())
    assert watch.seen("never heard of").samples == ()


def test_an_hour_is_kept_and_a_replica_that_is_gone_is_forgotten_after_it(teller: StandIn, http: httpx.Client) -> None:
    there: list[Replica] = [teller.replica("a")]
    watch = EngineWatch(lambda: tuple(there))
    watch.look(http, 1000)
    there.clear()
    watch.look(http, 1000 + HOUR)
    assert len(watch.seen("a").samples) == 1
    watch.look(http, 1001 + HOUR)
    assert watch.seen("a").samples == ()
    assert KEPT * EVERY == HOUR


def test_the_thread_goes_on_after_an_error_and_ends_when_told(teller: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[float] = []

    def replicas() -> tuple[Replica, ...]:
        rounds.append(time.monotonic())
        if len(rounds) == 1:
            raise OSError("for once")
        return (teller.replica(),)

    monkeypatch.setattr("app.engine_watch.EVERY", 0.02)
    watch = EngineWatch(replicas)
    watch.start()
    end = time.monotonic() + 20
    while len(watch.seen("engine").samples) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    watch.stop()
    assert len(watch.seen("engine").samples) >= 2
