"""Running real programs: their words are kept, none outlives us, none may be silent for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from installer.steps import Processes, SetupError, bytes_in, readable
from tests.setup.stand_ins import ROOT, Paper


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "install.log"


def test_output_and_code_come_back_and_go_to_the_log(log: Path, screen: Paper) -> None:
    heard: list[str] = []
    ran = Processes(log, screen).run(["sh", "-c", "echo one; echo two >&2; exit 3"], heard.append)
    assert ran.code == 3
    assert ran.output == "one\ntwo"
    assert heard == ["one", "two"]
    assert "one\ntwo" in log.read_text()


def test_progress_is_heard_and_not_kept(log: Path, screen: Paper) -> None:
    heard: list[str] = []
    ran = Processes(log, screen).run(["echo", "Progress 5 of 10"], heard.append)
    assert heard == ["Progress 5 of 10"]
    assert ran.output == ""


def test_a_silent_program_is_stopped(log: Path, screen: Paper) -> None:
    with pytest.raises(SetupError, match="`sleep 60` said nothing") as error:
        Processes(log, screen).run(["sleep", "60"], silence=0)
    assert error.value.cut_short


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal is Linux's")
def test_no_program_outlives_a_killed_setup(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from installer.steps import Processes, stderr_screen\n"
        "note = ['sh', '-c', 'echo $$ > \"$0\"; exec sleep 60', sys.argv[2]]\n"
        "Processes(Path(sys.argv[1]), stderr_screen()).run(note)"
    )
    noted = tmp_path / "pid"
    ours = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "log"), str(noted)], cwd=ROOT)
    until(lambda: noted.exists() and noted.read_text().strip() != "")
    ours.send_signal(signal.SIGKILL)
    ours.wait(10)
    child = int(noted.read_text())
    until(lambda: not running(child))


def until(true: object, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.02)


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


@pytest.mark.parametrize(
    ("line", "count"),
    [("Downloading a.whl (190.3 MB)", 190_300_000), ("Downloading b.whl (44 kB)", 44_000), ("Collecting c", 0)],
)
def test_sizes_in_pips_words(line: str, count: int) -> None:
    assert bytes_in(line) == count


def test_bytes_in_words() -> None:
    assert [readable(n) for n in (0, 999, 1500, 2_000_000, 4_210_000_000)] == [
        "0 bytes",
        "999 bytes",
        "2 kB",
        "2 MB",
        "4.2 GB",
    ]
