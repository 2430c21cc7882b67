"""A Beleg of its own in front of the stand-in engine, each a process, with a few documents to answer from."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import psutil

from app.benchmarks.engine.instant import Note
from app.benchmarks.engine.served import NOTE
from app.config import Settings
from app.errors import NotReady

READY_SECONDS = 900.0  # documents are read and models loaded before
STOP_SECONDS = 20.0


@dataclass(frozen=True)
class Standing:
    """Addresses without a slash at the end; `key` is for Beleg's API."""

    engine: str
    app: str
    key: str
    collection: str
    process: psutil.Process

    def notes(self) -> list[Note]:
        """What the stand-in engine was asked since the last time."""
        found = httpx.get(f"{self.engine}/notes", timeout=30, trust_env=False).raise_for_status().json()
        return [Note(**{**note, "pieces": [tuple(piece) for piece in note["pieces"]]}) for note in found]

    def processor_seconds(self) -> float:
        """Of Beleg's process until now."""
        times = self.process.cpu_times()
        return times.user + times.system


@contextmanager
def standing(
    settings: Settings, embedder: Path, model: Path | None, streams: int, step_seconds: float
) -> Iterator[Standing]:
    """Ready when the block begins. `model` is the folder of the tokenizer. Errors: NotReady."""
    ports = _free_ports(2)
    engine, app = (f"http://127.0.0.1:{port}" for port in ports)
    with TemporaryDirectory(prefix="beleg-bench-") as folder:
        own = settings.model_copy(update={"data_dir": Path(folder)})
        environment = _environment(own, f"{engine}/v1", ports[1], streams)
        with (
            _process("instant", [str(ports[0]), str(step_seconds)], environment),
            _process("served", [str(path) for path in (embedder, model) if path], environment) as process,
        ):
            _until_ready(f"{app}/readyz", process)
            note = json.loads((own.run_dir / NOTE).read_text())
            yield Standing(engine, app, note["key"], note["collection"], psutil.Process(process.pid))


def _environment(settings: Settings, engine_url: str, port: int, streams: int) -> dict[str, str]:
    return os.environ | {
        "BELEG_DATA_DIR": str(settings.data_dir),
        "BELEG_HOST": "127.0.0.1",
        "BELEG_PORT": str(port),
        "BELEG_ENGINE_URL": engine_url,
        "BELEG_ENGINE_KEY": "",
        "BELEG_EMBEDDER": settings.embedder,
        "BELEG_ANSWERS_AT_ONCE": str(max(streams, settings.answers_at_once)),  # nobody waits for a place here
    }


@contextmanager
def _process(name: str, arguments: Sequence[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", f"app.benchmarks.engine.{name}", *arguments]
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + READY_SECONDS
    while not _answers(url):
        if process.poll() is not None or time.monotonic() > end:
            raise NotReady("Beleg did not start for measuring.", "What it said stands above.")
        time.sleep(0.1)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=30, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports
