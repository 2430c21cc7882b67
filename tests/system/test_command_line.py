"""The same Beleg by command and by API: ingest, ask, doctor; a crash in the middle loses nothing."""

from __future__ import annotations

import json
import time
from pathlib import Path

import httpx
import pytest

from tests.system.conftest import api_key, wait_ready

pytestmark = pytest.mark.engine

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.fixture(scope="module")
def stocked(beleg) -> str:
    """A collection filled by `beleg ingest`."""
    done = beleg.command(
        "ingest", str(SAMPLES / "preisliste-2026.xlsx"), str(SAMPLES / "lieferanten.csv"), "-c", "Prices"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 of 2 files are ready" in done.stdout
    return "Prices"


def test_ask_prints_the_promised_json(beleg, stocked):
    done = beleg.command("ask", "What does PPR-9087 cost?", "--collection", stocked, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {"answer", "verdict", "statements", "trace"} <= set(answer)
    assert answer["verdict"] in ("proved", "partly", "unproved", "declined")
    promised = {"prompt_tokens", "cached_tokens", "queue_ms", "retrieval_ms", "first_token_ms", "total_ms"}
    assert promised <= set(answer["trace"])
    assert answer["trace"]["prompt_tokens"] > 100
    for statement in answer["statements"]:
        assert set(statement) >= {"text", "verdict", "citations"}
        for citation in statement["citations"]:
            assert citation["document"] in ("preisliste-2026.xlsx", "lieferanten.csv")


def test_a_second_question_finds_its_prefix_computed(beleg, stocked):
    asked = [beleg.command("ask", "What does PPR-9087 cost?", "-c", stocked, "--json") for _ in range(2)]
    trace = json.loads(asked[1].stdout)["trace"]
    assert trace["cached_tokens"] > 0


def test_doctor_finds_everything_well(beleg, stocked):
    done = beleg.command("doctor", "--json")
    findings = {finding["name"]: finding for finding in json.loads(done.stdout)}
    for name in ("database", "index", "engine", "reading process", "reading a file", "pages"):
        assert findings[name]["state"] == "ok", findings[name]


def test_reindex_keeps_answers_possible(beleg, stocked):
    done = beleg.command("reindex")
    assert done.returncode == 0, done.stdout + done.stderr
    asked = beleg.command("ask", "What does PPR-9087 cost?", "-c", stocked, "--json")
    assert json.loads(asked.stdout)["trace"]["prompt_tokens"] > 100


def test_a_power_cut_while_reading_loses_nothing(beleg, tmp_path):
    key = api_key(beleg)
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=f"{beleg.url}/api/v1", headers=headers, timeout=60) as api:
        collection = api.post("/collections", json={"name": "Crash"}).json()["id"]
        for number in range(12):
            text = "\n\n".join(f"Paragraph {line} of file {number}: the pump runs at {line} bar." for line in range(60))
            reply = api.post(
                f"/collections/{collection}/documents", files={"files": (f"file-{number}.txt", text.encode())}
            )
            assert reply.is_success, reply.text
        beleg.kill()
        beleg.start()
        wait_ready(beleg)
        states = _wait_for_end(api, collection)
    assert sorted(states) == sorted(f"file-{number}.txt" for number in range(12))
    assert set(states.values()) == {"ready"}


def _wait_for_end(api: httpx.Client, collection: str) -> dict[str, str]:
    end = time.monotonic() + 120
    while True:
        listed = api.get(f"/collections/{collection}/documents").json()
        documents = listed["documents"] if isinstance(listed, dict) else listed
        states = {document["name"]: document["state"] for document in documents}
        if all(state in ("ready", "refused") for state in states.values()) or time.monotonic() > end:
            return states
        time.sleep(0.3)
