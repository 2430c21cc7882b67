"""Several engines as one, with stand-ins for vLLM that start at once: who is asked, and a change of model under way
while people ask, without a failed answer."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from models.engine import fleet as fleet_module
from models.engine import server as server_module
from models.engine.balance import BalancedClient
from models.engine.client import EngineUnreachable
from models.engine.fleet import EngineFleet, FleetError, Places, ServedModel, together
from models.engine.profiles import EngineProfile
from models.engine.server import EngineServer
from models.types import EngineStatus, Message, Replica

# Streams ten words, each naming the model, over about a second; counts what is running, as vLLM does.
FAKE_VLLM = r"""
import http.server, json, sys, time
port, model = int(sys.argv[1]), sys.argv[2]
if model == "broken":
    sys.exit("ValueError: cannot load this model")
running = 0
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
        self.wfile.write(b'vllm:num_requests_running{model_name="m"} %d\n' % running)
    def do_POST(self):
        global running
        if self.headers["authorization"] != "Bearer the key of all":
            return self.send_error(401)
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200); self.send_header("content-type", "text/event-stream"); self.end_headers()
        if not asked.get("stream"):
            return self.wfile.write(b"{}")
        running += 1
        try:
            for number in range(10):
                self.say({"delta": {"content": model + " "}, "index": 0, "finish_reason": None})
                time.sleep(0.1)
            self.say({"delta": {}, "index": 0, "finish_reason": "stop"})
            self.wfile.write(b"data: [DONE]\n\n")
        finally:
            running -= 1
    def say(self, choice):
        chunk = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [choice]}
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n"); self.wfile.flush()
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


class FakeServer(EngineServer):
    """An EngineServer whose vLLM is the script above."""

    def command(self) -> list[str]:
        return [sys.executable, "-c", FAKE_VLLM, str(self._port), self._model]


MakeFleet = Callable[..., EngineFleet]


@pytest.fixture
def make_fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeFleet]:
    monkeypatch.setattr(fleet_module, "EngineServer", FakeServer)
    monkeypatch.setattr(server_module, "LOOK_EVERY", 0.05)
    monkeypatch.setattr(server_module, "PAUSES", (0.1,))
    made: list[EngineFleet] = []

    def make(replicas: int, *, room: bool = False) -> EngineFleet:
        monkeypatch.setattr(EngineFleet, "_room_beside", lambda *_: room)
        profile = EngineProfile("test", "cpu", 2048, replicas=replicas, threads="0-1")
        places = Places(tmp_path / "logs", tmp_path / "run", key="the key of all")
        made.append(EngineFleet(profile, ServedModel(tmp_path, "old"), places))
        made[-1].start()
        return made[-1]

    yield make
    for fleet in made:
        fleet.stop()


def until_ready(fleet: EngineFleet, engines: int) -> None:
    end = time.monotonic() + 60
    while sum(replica.status.state == "ready" for replica in fleet.replicas()) < engines:
        assert time.monotonic() < end, fleet.replicas()
        time.sleep(0.05)


async def answer(client: BalancedClient, near: str = "") -> str:
    words = ""
    async for chunk in client.stream([Message("user", "Which model?")], max_tokens=10, near=near):
        words += chunk.text
    return words


@pytest.mark.parametrize(("replicas", "room"), [(2, False), (2, True), (1, True)])
def test_a_change_of_model_loses_no_answer(make_fleet: MakeFleet, replicas: int, room: bool) -> None:
    """People ask all the while: each gets a whole answer, of one model; afterwards all get the new one."""
    fleet = make_fleet(replicas, room=room)
    until_ready(fleet, replicas)
    changed = threading.Event()

    def change() -> None:
        fleet.change(ServedModel(Path(), "new"))
        changed.set()

    async def ask_on() -> list[str]:
        client = BalancedClient(fleet.replicas)
        answers = [await answer(client)]
        threading.Thread(target=change, daemon=True).start()
        while not changed.is_set():
            answers += await asyncio.gather(*(answer(client, f"person {number}") for number in range(4)))
        answers.append(await answer(client))
        await client.close()
        return answers

    answers = asyncio.run(ask_on())
    assert set(answers) == {"old " * 10, "new " * 10}
    assert answers[0] == "old " * 10
    assert answers[-1] == "new " * 10
    assert fleet.status().model == "new"


def test_a_model_that_does_not_start_changes_nothing(make_fleet: MakeFleet) -> None:
    fleet = make_fleet(2)
    until_ready(fleet, 2)
    with pytest.raises(FleetError, match="started again"):
        fleet.change(ServedModel(Path(), "broken"))
    until_ready(fleet, 2)
    assert {replica.status.model for replica in fleet.replicas()} == {"old"}


def test_a_model_that_does_not_start_beside_the_old_one_disturbs_nobody(make_fleet: MakeFleet) -> None:
    fleet = make_fleet(1, room=True)
    until_ready(fleet, 1)
    (before,) = fleet.replicas()
    with pytest.raises(FleetError, match="as it was"):
        fleet.change(ServedModel(Path(), "broken"))
    assert fleet.replicas()[0].base_url == before.base_url
    assert fleet.status().state == "ready"


def test_an_engine_that_is_gone_is_passed_by(make_fleet: MakeFleet) -> None:
    """Between its end and the moment it is noticed, requests for it go to another."""
    fleet = make_fleet(2)
    until_ready(fleet, 2)
    first, second = fleet.replicas()
    gone = Replica("gone", "http://127.0.0.1:9/v1", "", first.status)

    async def ask() -> list[str]:
        client = BalancedClient(lambda: (gone, second))
        answers = await asyncio.gather(*(answer(client, f"person {number}") for number in range(4)))
        await client.close()
        nobody = BalancedClient(lambda: (gone,))
        with pytest.raises(EngineUnreachable):
            await answer(nobody)
        await nobody.close()
        return answers

    assert asyncio.run(ask()) == ["old " * 10] * 4


def replicas(*running: int) -> tuple[Replica, ...]:
    return tuple(
        Replica(f"engine-{number}", f"http://127.0.0.1:{number}/v1", "", EngineStatus("ready", 0, "m"))
        for number, _ in enumerate(running)
    )


def test_all_engines_have_the_same_key(tmp_path: Path) -> None:
    profile = EngineProfile("test", "cpu", 2048, replicas=2)
    fleet = EngineFleet(profile, ServedModel(tmp_path, "m"), Places(tmp_path, tmp_path))
    first, second = fleet.replicas()
    assert first.key == second.key


def order(*running: int, near: str = "") -> list[str]:
    client = BalancedClient(lambda: replicas(*running))
    client._running.update({f"http://127.0.0.1:{number}/v1": count for number, count in enumerate(running)})
    return [replica.name for replica in client._order(near)]


def test_a_conversation_stays_with_its_engine_unless_that_is_overloaded() -> None:
    homes = {near: order(0, 0, near=near)[0] for near in (f"conversation {number}" for number in range(40))}
    assert set(homes.values()) == {"engine-0", "engine-1"}, "both get some"
    near = next(near for near, home in homes.items() if home == "engine-0")
    assert order(2, 0, near=near)[0] == "engine-0"
    assert order(3, 0, near=near)[0] == "engine-1"


def test_without_a_conversation_the_least_busy_is_asked() -> None:
    assert order(2, 1, 3) == ["engine-1", "engine-0", "engine-2"]


def test_one_state_for_several_engines() -> None:
    ready, starting, failed = (EngineStatus(state, 0, "m", restarts=1) for state in ("ready", "starting", "failed"))
    assert together([starting, ready]).state == "ready"
    assert together([starting, ready]).detail == "1 of 2 engines."
    assert together([failed, starting]).state == "starting"
    assert together([failed, failed]).state == "failed"
    assert together([ready, ready]).restarts == 2
