"""The ways of asking, on the run's one real vLLM; what a line of people would have waited, by hand."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from app.benchmarks.engine import batching
from app.benchmarks.engine.engines import at_address
from app.benchmarks.engine.load import Served, Target, ask, ask_all
from app.benchmarks.engine.policies import flood, row
from app.benchmarks.engine.prompts import Job, mixed
from app.benchmarks.engine.size import QUICK, Size
from app.config import Settings
from app.errors import EngineFailed
from tests.conftest import TestEngine

TINY = replace(QUICK, people=(2, 4), requests=4, answers=(2, 6), prompt_words=10, flood=3, short=2, long_words=40)


def target_of(engine: TestEngine) -> Target:
    return Target(engine.base_url, engine.key, engine.model)


@pytest.mark.engine
def test_every_way_writes_the_same_number_of_tokens(engine: TestEngine) -> None:
    said: list[str] = []
    found = asyncio.run(batching.measure(target_of(engine), TINY, said.append))
    assert [line["people"] for line in found["people"]] == [1, 2, 4]
    for line in found["people"]:
        assert line["continuous"]["ended"] == line["static"]["ended"] == 4
        assert {"tokens_per_s", "first_token_ms"} <= line["sequential"].keys()
    assert found["gain_percent_over_sequential"]["claimed"] == [40, 60]
    assert any("continuous" in line for line in said)


@pytest.mark.engine
def test_an_answer_has_exactly_the_length_that_was_asked_for(engine: TestEngine) -> None:
    jobs = [Job("Say yes.", 9), Job("Say no.", 3)]
    served = asyncio.run(ask_all(target_of(engine), jobs, 2, "salt"))
    assert sorted(answer.tokens for answer in served) == [3, 9]
    assert all(answer.wanted <= answer.sent < answer.first <= answer.last for answer in served)
    assert all(answer.prompt_tokens > 3 for answer in served)


@pytest.mark.engine
@pytest.mark.parametrize("priorities", [False, True])
def test_a_flood_ends_and_nobody_is_left_out(engine: TestEngine, priorities: bool) -> None:
    flooded = asyncio.run(flood(target_of(engine), TINY, priorities))
    figures = row(flooded)
    assert figures["asked"] == figures["ended"] == 5
    assert figures["long_longest_s"] <= figures["all_s"]


@pytest.mark.engine
def test_what_the_engine_refuses_is_told_and_ends_all(engine: TestEngine) -> None:
    jobs = [Job("word " * 9000, 4), *mixed(3, 5, (2, 4))]
    with pytest.raises(EngineFailed, match="maximum context length"):
        asyncio.run(ask_all(target_of(engine), jobs, 2, "salt"))


@pytest.mark.engine
def test_an_engine_at_an_address_says_what_it_serves(engine: TestEngine) -> None:
    settings = Settings(engine_url=f"{engine.base_url}/", engine_key=engine.key, model="other", _env_file=None)  # type: ignore[call-arg]
    assert at_address(settings) == target_of(engine)


def test_an_engine_that_is_not_there_is_an_error_in_words() -> None:
    with pytest.raises(EngineFailed, match="broke"):
        asyncio.run(ask(Target("http://127.0.0.1:9/v1", "", "none"), Job("Hi", 1), ""))


def test_a_line_of_people_waits_for_the_answers_of_all_others() -> None:
    """Three answers of 10, 20 and 30 seconds, each begun to be heard after one second."""
    served = [Served(at, at, at + 1, at + lasting, 5, 5) for at, lasting in ((0.0, 10), (10.0, 20), (30.0, 30))]
    assert batching.waiting_in_line(served, people=1) == [1, 1, 1]
    assert batching.waiting_in_line(served, people=2) == [1, 11, 21]
    assert batching.waiting_in_line(served, people=3) == [1, 11, 31]


def test_the_same_things_are_asked_in_every_run() -> None:
    jobs = mixed(32, 20, (16, 128))
    assert jobs == mixed(32, 20, (16, 128))
    assert len({job.text for job in jobs}) == 32
    assert min(job.tokens for job in jobs) < 32 < 112 < max(job.tokens for job in jobs)
    assert all(Size().requests % people == 0 for people in Size().people)
    assert all(QUICK.requests % people == 0 for people in QUICK.people)
