"""`/metrics`: who may read it, what stands in it, and that the Grafana dashboard asks for nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from models.engine.guard import write_note
from models.types import EngineStatus, Replica
from tests.engine_stand_in import StandIn, stand_in
from tests.exposition import names, queried, values
from tests.web.conftest import Site
from tests.web.world import open_world, serve

METRICS_KEY = "prometheus-may-read-this"


@pytest.fixture
def teller() -> Iterator[StandIn]:
    with stand_in() as teller:
        yield teller


def test_administrators_may_read_it_and_for_others_there_is_no_such_address(site: Site, ada: httpx.Client):
    assert ada.get("/metrics").status_code == 200
    with site.browser() as browser:
        assert browser.get("/metrics").status_code == 200
    with site.client() as nobody, site.client(site.world.bob) as bob, site.browser("Bob") as bobs_browser:
        replies = [client.get("/metrics") for client in (nobody, bob, bobs_browser)]
        wrong = [f"Bearer {key}".encode() for key in ("x", "ü", METRICS_KEY)]
        replies += [nobody.get("/metrics", headers=[(b"authorization", value)]) for value in wrong]
        assert [reply.status_code for reply in replies] == [404] * len(replies)
        assert len({reply.text for reply in replies}) == 1


def test_prometheus_reads_it_with_its_key(tmp_path: Path):
    with (
        open_world(tmp_path, metrics_key=METRICS_KEY) as world,
        serve(world.services) as url,
        httpx.Client(base_url=url) as client,
    ):

        def status(authorization: str) -> int:
            return client.get("/metrics", headers={"authorization": authorization}).status_code

        assert status(f"Bearer {METRICS_KEY}") == 200
        assert status(f"Bearer {METRICS_KEY}x") == 404
        assert status(f"Bearer {METRICS_KEY[:-1]}") == 404
        assert status(f"Basic {METRICS_KEY}") == 404
        assert status(world.ada.headers["authorization"]) == 200
        other = client.get("/api/v1/me", headers={"authorization": f"Bearer {METRICS_KEY}"})
        assert other.status_code == 401, "the key opens nothing else"


def test_each_engines_metrics_carry_its_name(site: Site, ada: httpx.Client, teller: StandIn):
    teller.numbers.generated = 7
    with stand_in() as other:
        other.numbers.generated = 9
        site.world.services.engine_handle.named = (teller.replica("a"), other.replica("b"))
        reply = ada.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain")
    assert values(reply.text, "vllm:generation_tokens_total") == {("0", "small", "a"): 7, ("0", "small", "b"): 9}
    assert values(reply.text, "beleg_engine_up") == {("a",): 1, ("b",): 1}
    assert reply.text.count("# TYPE vllm:generation_tokens_total counter") == 1
    assert ("1.0", "0", "small", "a") not in values(reply.text, "vllm:time_to_first_token_seconds_sum")
    assert len(values(reply.text, "vllm:time_to_first_token_seconds_bucket")) == 6


def test_an_engine_that_is_silent_talks_nonsense_or_is_gone_is_left_out(site: Site, ada: httpx.Client, teller: StandIn):
    with stand_in() as good, stand_in() as broken:
        teller.silent.set()
        broken.broken = True
        gone = Replica("d", "http://127.0.0.1:9/v1", "", EngineStatus("failed", 0, "small"))
        site.world.services.engine_handle.named = (
            teller.replica("a"), broken.replica("b"), good.replica("c"), gone,
        )  # fmt: skip
        text = ada.get("/metrics").text
    assert values(text, "beleg_engine_up") == {("a",): 0, ("b",): 0, ("c",): 1, ("d",): 0}
    assert {labels[-1] for labels in values(text, "vllm:num_requests_running")} == {"c"}


def test_an_engine_cannot_pass_for_us(site: Site, ada: httpx.Client, teller: StandIn, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(type(teller.numbers), "text", lambda _: "beleg_documents 99\nvllm:num_requests_running 1\n")
    site.world.services.engine_handle.named = (teller.replica("a"),)
    text = ada.get("/metrics").text
    assert 99 not in values(text, "beleg_documents").values()
    assert values(text, "vllm:num_requests_running") == {("a",): 1}


def test_our_own_figures_name_nobody_and_nothing(site: Site, ada: httpx.Client, collection: str, teller: StandIn):
    asked = ada.post("/api/v1/ask", json={"collection": collection, "question": "When must claims reach the office?"})
    assert asked.status_code == 200
    text = ada.get("/metrics").text
    assert values(text, "beleg_documents")[("ready",)] >= 1
    assert values(text, "beleg_index_passages")[()] >= 1
    assert values(text, "beleg_index_generation")[()] >= 1
    assert values(text, "beleg_reading_queue") == {(): 0}
    assert sum(values(text, "beleg_questions_total").values()) >= 1
    assert values(text, "beleg_first_token_seconds_count")[()] >= 1
    assert values(text, "beleg_memory_bytes")[()] > 1 << 20
    for private in ("Ada", "Bob", "travel.md", "Personnel", "claims", collection):
        assert private not in text


def test_what_the_dashboard_asks_for_is_exported(site: Site, ada: httpx.Client, collection: str, teller: StandIn):
    """That vLLM itself exports its share is held against the real one (tests/system/test_engine_figures.py)."""
    note = site.world.services.settings.data_dir / "note.json"
    write_note(note, os.getpgid(0))
    site.world.services.engine_handle.named = (replace(teller.replica(), note=note),)
    ada.post("/api/v1/ask", json={"collection": collection, "question": " "})
    exported = names(ada.get("/metrics").text)
    assert len(queried()) > 25
    assert queried() - exported == set()
