"""The guard with a small stand-in for vLLM: whatever happens to us, nothing of it stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from models.engine import leftovers

ENGINE = """
import signal, subprocess, sys, time
if "stubborn" in sys.argv: signal.signal(signal.SIGTERM, signal.SIG_IGN)
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300) # vllm"
child = subprocess.Popen([sys.executable, "-c", deaf])
open(sys.argv[1], "w").write(str(child.pid))
if "short" in sys.argv: sys.exit(3)
time.sleep(300)
"""
OURS = """
import subprocess, sys, time
command = [sys.executable, "-m", "models.engine.guard", *sys.argv[1:]]
guard = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
print(guard.pid, flush=True)
guard.wait()
"""


class Started:
    """Us (`ours`), the guard, the engine and the engine's own child."""

    def __init__(self, tmp_path: Path, *words: str) -> None:
        self.note, pid_file, code = tmp_path / "note.json", tmp_path / "pid", tmp_path / "engine.py"
        code.write_text(ENGINE)
        command = [str(self.note), "0.5", sys.executable, str(code), str(pid_file), *words]
        self.ours = subprocess.Popen([sys.executable, "-c", OURS, *command], stdout=subprocess.PIPE)
        assert self.ours.stdout is not None
        self.guard = psutil.Process(int(self.ours.stdout.readline()))
        assert eventually(lambda: pid_file.exists() and pid_file.read_text() != "")
        assert eventually(self.note.exists), "the guard writes it just after the engine was started"
        self.child = psutil.Process(int(pid_file.read_text()))
        self.engine = self.child.parent()

    def everything(self) -> list[psutil.Process]:
        return [process for process in (self.guard, self.engine, self.child) if process is not None]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    begun: list[Started] = []

    def begin(*words: str) -> Started:
        begun.append(Started(tmp_path, *words))
        return begun[-1]

    yield begin
    for started in begun:
        started.ours.kill()
        started.ours.wait()
        for process in started.everything():
            if alive(process):
                process.kill()


def alive(process: psutil.Process | None) -> bool:
    try:
        return process is not None and process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def eventually(true: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("words", [[], ["stubborn"]])
def test_when_we_die_everything_dies(start: Callable[..., Started], number: int, words: list[str]) -> None:
    started = start(*words)
    everything = started.everything()
    assert len(everything) == 3
    started.ours.send_signal(number)
    assert eventually(lambda: not any(alive(process) for process in everything))
    assert not started.note.exists()


def test_an_engine_that_ends_takes_its_children_along_and_tells_its_code(tmp_path: Path) -> None:
    code, pid_file = tmp_path / "engine.py", tmp_path / "pid"
    code.write_text(ENGINE)
    guard = [sys.executable, "-m", "models.engine.guard", str(tmp_path / "note.json"), "0.5"]
    process = subprocess.Popen([*guard, sys.executable, str(code), str(pid_file), "short"], stdin=subprocess.PIPE)
    assert process.wait(30) == 3
    child = int(pid_file.read_text())
    assert eventually(lambda: not psutil.pid_exists(child) or not alive(psutil.Process(child)))
    assert process.stdin is not None
    process.stdin.close()


def test_a_guard_that_was_killed_with_us_leaves_nothing_for_ever(start: Callable[..., Started]) -> None:
    started = start()
    assert leftovers.guarded(started.note)
    assert not leftovers.remove(started.note), "it is guarded: somebody's running engine"
    started.guard.kill()
    started.ours.kill()
    assert eventually(lambda: not alive(started.guard))
    assert alive(started.engine)
    assert leftovers.remove(started.note)
    assert not alive(started.engine)
    assert not alive(started.child)
    assert not started.note.exists()


def test_a_leader_that_died_first_is_no_way_out(start: Callable[..., Started]) -> None:
    started = start()
    started.guard.kill()
    assert started.engine is not None
    started.engine.kill()
    assert eventually(lambda: not alive(started.engine))
    assert leftovers.remove(started.note)
    assert not alive(started.child)


def test_a_strangers_process_group_is_left_alone(tmp_path: Path) -> None:
    note = tmp_path / "note.json"
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    try:
        long_ago = {"group": stranger.pid, "guard": 1, "since": time.time() - 3600}
        note.write_text(json.dumps(long_ago))
        assert not leftovers.remove(note)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"group": "x"}'])
def test_a_damaged_note_is_no_harm(tmp_path: Path, text: str) -> None:
    (tmp_path / "note.json").write_text(text)
    assert not leftovers.remove(tmp_path / "note.json")
    assert os.getpgid(0) > 0
