"""Supervision with a stand-in for vLLM that starts at once: states, restarts, reasons, the log, a clean end."""

from __future__ import annotations

import os
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from models.engine import server as server_module
from models.engine.diagnosis import diagnose, phase
from models.engine.log import EngineLog
from models.engine.profiles import EngineProfile
from models.engine.server import EngineServer
from models.types import EngineState

FAKE_VLLM = r"""
import http.server, json, os, pathlib, sys
port, mode, lives = int(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
lives.write_text(lives.read_text() + "x" if lives.exists() else "x")
print("Starting to load model", flush=True)
if mode.startswith("dies:"):
    print(mode[5:], flush=True)
    sys.exit(1)
if mode == "dies once" and len(lives.read_text()) == 1:
    sys.exit(1)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        good = self.headers["authorization"] == "Bearer " + os.environ["VLLM_API_KEY"] and mode != "no template"
        self.send_response(200 if good else 400); self.end_headers()
        self.wfile.write(b"{}" if good else b"no chat template")
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


class FakeServer(EngineServer):
    """An EngineServer whose vLLM is the script above."""

    def __init__(self, place: Path, mode: str, port: int = 0) -> None:
        profile = EngineProfile("test", "cpu", 2048)
        super().__init__(profile, place / "model", "fake", port, place / "logs", place / "run")
        self.lives = place / "lives"
        self._script, self._mode = place / "fake_vllm.py", mode
        self._script.write_text(FAKE_VLLM)

    def command(self) -> list[str]:
        return [sys.executable, str(self._script), str(self._port), self._mode, str(self.lives)]

    def until(self, state: EngineState, seconds: float = 30) -> str:
        """Waits for `state`; its detail."""
        end = time.monotonic() + seconds
        while (status := self.status()).state != state and time.monotonic() < end:
            time.sleep(0.02)
        assert status.state == state, status
        return status.detail


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., FakeServer]]:
    monkeypatch.setattr(server_module, "PAUSES", (0.1, 0.1))
    monkeypatch.setattr(server_module, "LOOK_EVERY", 0.05)
    monkeypatch.setattr(server_module, "GRACE_SECONDS", 1.0)
    made: list[FakeServer] = []

    def make(mode: str, port: int = 0) -> FakeServer:
        made.append(FakeServer(tmp_path, mode, port))
        made[-1].start()
        return made[-1]

    yield make
    for server in made:
        server.stop()


def engine_processes(server: FakeServer) -> list[psutil.Process]:
    return [p for p in psutil.process_iter() if str(server.lives) in " ".join(_command(p))]


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_it_becomes_ready_and_stops_without_a_trace(fake: Callable[..., FakeServer], tmp_path: Path) -> None:
    server = fake("works")
    assert server.status().state == "starting"
    server.until("ready")
    assert server.base_url.endswith("/v1")
    assert len(engine_processes(server)) == 2, "guard and engine"
    server.stop()
    assert server.status().state == "off"
    assert engine_processes(server) == []
    assert os.listdir(tmp_path / "run") == []
    server.start()
    server.until("ready")


def test_a_dead_engine_is_started_again(fake: Callable[..., FakeServer]) -> None:
    server = fake("works")
    server.until("ready")
    engine = next(p for p in engine_processes(server) if "models.engine.guard" not in p.cmdline())
    engine.kill()
    assert "killed" in server.until("restarting")
    server.until("ready")
    assert server.status().restarts == 1


def test_a_start_that_fails_once_is_tried_again(fake: Callable[..., FakeServer]) -> None:
    server = fake("dies once")
    server.until("ready")
    assert len(server.lives.read_text()) == 2


def test_too_many_ends_are_a_failure_that_says_why(fake: Callable[..., FakeServer]) -> None:
    server = fake("dies:torch.OutOfMemoryError: CUDA out of memory")
    detail = server.until("failed")
    assert "ran out of memory" in detail
    assert "BELEG_KV_CACHE_GIB" in detail
    assert "engine.log" in detail
    assert len(server.lives.read_text()) == 3
    server.start()
    assert server.status().state == "starting", "an administrator may try again"


def test_what_can_never_work_is_tried_once(fake: Callable[..., FakeServer]) -> None:
    server = fake("dies:api_server.py: error: unrecognized arguments: --nonsense")
    assert "BELEG_ENGINE_ARGS" in server.until("failed")
    assert len(server.lives.read_text()) == 1


def test_a_model_that_cannot_chat_is_never_ready(fake: Callable[..., FakeServer]) -> None:
    assert "no chat template" in fake("no template").until("failed")


def test_a_taken_port_is_said_at_once(fake: Callable[..., FakeServer]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        detail = fake("works", other.getsockname()[1]).until("failed")
    assert "taken by another program" in detail
    assert "BELEG_ENGINE_PORT" in detail


def test_a_second_beleg_on_the_same_folder_is_told_so(fake: Callable[..., FakeServer]) -> None:
    fake("works").until("ready")
    assert "Another Beleg" in fake("works").until("failed")


def test_logs_of_earlier_starts_are_kept(fake: Callable[..., FakeServer], tmp_path: Path) -> None:
    server = fake("dies:ValueError: something odd")
    assert "something odd" in server.until("failed")
    logs = sorted(os.listdir(tmp_path / "logs"))
    assert logs == ["engine.1.log", "engine.2.log", "engine.log"]
    assert stat.S_IMODE((tmp_path / "logs" / "engine.log").stat().st_mode) == 0o600


def test_a_log_never_grows_without_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.engine.log.LIMIT", 1000)
    log = EngineLog(tmp_path / "engine.log")
    assert log.tail() == ""
    with log.open() as writer:
        writer.write(b"x" * 2000 + b"end")
        log.limit()
        writer.write(b"!")
    assert log.path.stat().st_size < 200
    assert log.tail().endswith("end!")


@pytest.mark.parametrize(
    ("line", "code", "says", "permanent"),
    [
        ("ModuleNotFoundError: No module named 'vllm'", 1, "not installed", True),
        ("OSError: [Errno 98] Address already in use", 1, "port is taken", True),
        (
            "ValueError: User-specified max_model_len (9000) is greater than the derived",
            1,
            "BELEG_CONTEXT_TOKENS",
            True,
        ),
        ("ValueError: 1.5 GiB KV cache is needed, which is larger than the available", 1, "BELEG_KV_CACHE_GIB", True),
        ("RuntimeError: Engine core proc EngineCore died unexpectedly", 1, "most likely because memory ran out", False),
        ("vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.", 0, "memory ran out", False),
        ("AssertionError: odd\nRuntimeError: Engine core proc died unexpectedly", 1, "AssertionError: odd", False),
        ("", 137, "most likely because memory ran out", False),
        ("", 132, "lacks instructions", True),
        ("(APIServer pid=7) ValueError: odd", 1, "exit code 1: ValueError: odd", False),
        ("WARNING: this may result in OSError: [Errno 24] Too many open files", 1, "(exit code 1).", False),
    ],
)
def test_the_log_is_put_into_words(line: str, code: int, says: str, permanent: bool) -> None:
    diagnosis = diagnose(f"INFO something\n{line}\n", code)
    assert says in diagnosis.text
    assert diagnosis.permanent is permanent


def test_the_phase_is_the_last_one_seen() -> None:
    assert phase("") == "starting the engine"
    assert phase("Starting to load model /x\nLoading weights took 1 s\n") == "preparing memory"
