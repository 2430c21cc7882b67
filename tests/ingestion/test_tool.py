"""Programs of the system at work on files from outside: what they may not do, and that they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import psutil
import pytest

from ingestion import process, tool
from ingestion.tool import Allowance, Failed, NotInstalled, TooSlow

QUICK = Allowance(seconds=20, memory_mib=500, processes=None)


def shell(script: str, scratch: Path, allowance: Allowance = QUICK) -> str:
    return tool.run(["sh", "-c", script], scratch, allowance).decode()


def runs(pid: int) -> bool:
    """Is it still there a moment later, and no mere name in the list that nobody has taken off?"""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return False
        except psutil.NoSuchProcess:
            return False
        time.sleep(0.05)
    return True


def test_what_it_prints_comes_back_and_it_writes_in_its_folder(tmp_path: Path) -> None:
    assert shell("echo heard > note; cat note; pwd", tmp_path) == f"heard\n{tmp_path.resolve()}\n"
    assert (tmp_path / "note").read_text() == "heard\n"


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled):
        tool.run(["no-such-program"], tmp_path, QUICK)


def test_it_is_stopped_at_its_time_limit_with_all_it_started(tmp_path: Path) -> None:
    with pytest.raises(TooSlow):
        shell("sleep 4242 & echo $! > started; sleep 4242", tmp_path, Allowance(seconds=1, processes=None))
    assert not runs(int((tmp_path / "started").read_text()))


def test_what_it_left_running_ends_with_it(tmp_path: Path) -> None:
    shell("sleep 4242 >/dev/null 2>&1 & echo $! > started", tmp_path)
    assert not runs(int((tmp_path / "started").read_text()))


def test_an_error_says_what_the_program_said(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="what is wrong"):
        shell("echo what is wrong >&2; exit 3", tmp_path)


def test_printing_without_end(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="without end"):
        tool.run(["yes"], tmp_path, Allowance(seconds=60, output_mib=1))


def test_it_ends_when_nobody_wants_it_any_more(tmp_path: Path) -> None:
    wanted = threading.Event()
    threading.Timer(0.5, wanted.set).start()
    with pytest.raises(Failed):
        tool.run(["sleep", "4242"], tmp_path, QUICK, stopped=wanted.is_set)


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux")
def test_it_reads_and_writes_nowhere_else(tmp_path: Path) -> None:
    scratch, secret = tmp_path / "scratch", tmp_path / "secret"
    scratch.mkdir()
    secret.write_text("of others")
    assert shell(f"cat {secret} || cat /etc/passwd || echo x > {tmp_path}/new || echo nothing", scratch) == "nothing\n"
    assert tool.run(["cat", str(secret)], scratch, QUICK, readable=[secret]) == b"of others"


@pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux")
def test_it_reaches_no_network_and_sees_none_of_our_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELEG_ENGINE_KEY", "secret")
    connect = "import socket; socket.create_connection(('127.0.0.1', 1), 1)"
    with pytest.raises(Failed, match=r"OSError|unreachable|Permission"):
        tool.run([sys.executable, "-S", "-c", connect], tmp_path, QUICK, readable=[Path(sys.prefix), Path("/")])
    assert "secret" not in shell("env", tmp_path)


def test_it_writes_no_file_beyond_its_limit(tmp_path: Path) -> None:
    with pytest.raises(Failed):
        shell("head -c 3000000 /dev/zero > big", tmp_path, Allowance(file_mib=1, processes=None))
    assert (tmp_path / "big").stat().st_size <= 1024 * 1024


def test_memory_is_bounded(tmp_path: Path) -> None:
    hungry = "print(len(bytearray(400_000_000)))"
    with pytest.raises(Failed, match="MemoryError"):
        tool.run([sys.executable, "-S", "-c", hungry], tmp_path, Allowance(memory_mib=300), readable=[Path("/")])


def test_it_ends_when_we_die(tmp_path: Path) -> None:
    code = f"""
        import sys
        sys.path[:0] = [{str(process.PACKAGE_ROOT)!r}]
        from pathlib import Path
        from ingestion.tool import Allowance, run
        run(["sh", "-c", "echo $$ > mine; exec sleep 4242"], Path({str(tmp_path)!r}), Allowance())
    """
    ours = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)])
    mine = tmp_path / "mine"
    while not (mine.exists() and mine.read_text()):
        assert ours.poll() is None
        time.sleep(0.05)
    os.kill(ours.pid, signal.SIGKILL)
    ours.wait()
    assert not runs(int(mine.read_text()))
