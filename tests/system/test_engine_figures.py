"""The engine's figures from a real vLLM: through the API, and in `/metrics` all that the Grafana dashboard asks for."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest

from tests.exposition import names, queried, values
from tests.system.conftest import api_key

pytestmark = pytest.mark.engine
LOOKED_SECONDS = 60


@pytest.fixture(scope="module")
def operator(beleg) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=beleg.url, headers={"Authorization": f"Bearer {api_key(beleg)}"}, timeout=60) as client:
        yield client


def test_a_real_engine_tells_all_that_is_shown(operator: httpx.Client, engine):
    told = looked(operator)
    assert (told["state"], told["model"], told["context_tokens"]) == ("ready", engine.model, 8192)
    figures = told["figures"]
    for name in ("running", "waiting", "kv_used", "prompt_tokens", "cached_tokens", "generated_tokens", "preemptions"):
        assert figures[name] is not None, name
    assert figures["kv_tokens"] > 8192
    assert {"stop", "length", "abort"} <= figures["finished"].keys()
    assert engine.key not in str(told)


def looked(operator: httpx.Client) -> dict:
    """The one replica, as soon as Beleg has looked at it."""
    end = time.monotonic() + LOOKED_SECONDS
    while True:
        (replica,) = operator.get("/api/v1/engine").json()["replicas"]
        if replica["figures"] or time.monotonic() > end:
            return replica
        time.sleep(0.2)


def test_a_real_engine_exports_what_the_dashboard_asks_for(operator: httpx.Client):
    text = operator.get("/metrics").text
    assert values(text, "beleg_engine_up") == {("engine",): 1}
    assert {name for name in queried() if name.startswith("vllm:")} - names(text) == set()
