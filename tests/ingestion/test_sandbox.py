"""The reading child: what it may not do, and that every way it can fail ends in a refusal, soon, leaving no process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from ingestion import process
from ingestion.sandbox import Limits, draw_page, parse
from ingestion.types import Refused

QUICK = Limits(seconds=20, stall_seconds=10)

# What every stand-in for the child starts with: read the request, and a way to answer.
PRELUDE = """
import json, os, sys, time
sys.path[:0] = [%r]
from ingestion.wire import json_frame, bytes_frame
request = json.load(sys.stdin)
def say(value):
    os.write(1, json_frame(value) if not isinstance(value, bytes) else value)
END = {"end": True, "format": "pdf", "outcome": "text", "has_pages": True, "title": "", "language": "",
       "warnings": []}
"""


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    path = tmp_path / "blob"
    path.write_text("Die Frist beträgt 14 Tage.\n", encoding="utf-8")
    return path


@pytest.fixture
def child_that(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let a program of ours take the child's place."""

    def replace(program: str) -> None:
        code = PRELUDE % str(process.PACKAGE_ROOT) + textwrap.dedent(program)
        monkeypatch.setattr(process, "COMMAND", [sys.executable, "-S", "-c", code])

    return replace


@pytest.fixture(autouse=True)
def no_child_left() -> object:
    yield
    assert not [child for child in psutil.Process().children() if "ingestion.child" in " ".join(child.cmdline())]


def refusal(path: Path, limits: Limits = QUICK, name: str = "notes.txt") -> Refused:
    with pytest.raises(Refused) as caught:
        parse(path, name, limits)
    return caught.value


def test_a_file_is_read_and_progress_told(text_file: Path) -> None:
    told: list[tuple[int, int]] = []
    parsed = parse(text_file, "notes.txt", QUICK, lambda done, total: told.append((done, total)))
    assert "14 Tage" in parsed.pages[0].text
    assert told[-1][0] == told[-1][1]


def test_it_works_from_any_thread(text_file: Path) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(parse(text_file, "notes.txt", QUICK).pages[0].text))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3


def test_refusals_of_the_parser_come_through(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert refusal(tmp_path / "empty").code == "empty"


def test_what_on_page_raises_is_raised(text_file: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyError("stopped by the caller")

    with pytest.raises(KeyError, match="stopped by the caller"):
        parse(text_file, "notes.txt", QUICK, stop)


def test_a_missing_file_is_a_refusal(tmp_path: Path) -> None:
    assert refusal(tmp_path / "gone").code == "crashed"


def test_too_slow(child_that: Callable[[str], None], text_file: Path) -> None:
    child_that("time.sleep(60)")
    started = time.monotonic()
    refused = refusal(text_file, Limits(seconds=0.5))
    assert refused.code == "too_slow"
    assert time.monotonic() - started < 10


def test_too_slow_while_it_goes_on_talking(child_that: Callable[[str], None], text_file: Path) -> None:
    child_that("""
        while True:
            say({"at": [0, 1]})
            time.sleep(0.05)
    """)
    assert refusal(text_file, Limits(seconds=0.7)).code == "too_slow"


def test_a_child_that_closes_its_output_and_stays(child_that: Callable[[str], None], text_file: Path) -> None:
    child_that("os.close(1); time.sleep(60)")
    assert refusal(text_file, Limits(seconds=1)).code == "too_slow"


def test_too_much_memory(tmp_path: Path) -> None:
    (tmp_path / "large").write_text("Zeile um Zeile.\n" * 4_000_000)
    assert refusal(tmp_path / "large", Limits(seconds=60, memory_mib=200)).code == "too_much_memory"


def test_killed_by_the_kernel_counts_as_memory(child_that: Callable[[str], None], text_file: Path) -> None:
    child_that("os.kill(os.getpid(), 9)")
    assert refusal(text_file).code == "too_much_memory"


def test_too_much_output(child_that: Callable[[str], None], text_file: Path) -> None:
    child_that("""
        while True:
            say({"page": [1, "", 0, 0, None, [["paragraph", 0, "", [["x" * 100_000]]]]]})
    """)
    refused = refusal(text_file, Limits(seconds=20, output_mib=2))
    assert refused.code == "too_large"
    assert "2 MiB" in str(refused)


def test_too_many_pages(child_that: Callable[[str], None], text_file: Path) -> None:
    child_that('say({"at": [0, 100_000]}); time.sleep(60)')
    assert refusal(text_file).code == "too_large"


@pytest.mark.parametrize(
    "program",
    [
        "os.abort()",
        "sys.exit(3)",
        "pass",
        "os.write(1, b'no frame at all')",
        "os.write(1, b'J' + b'\\xff' * 8)",
        "os.write(1, b'J\\x00\\x00\\x00\\x03[1,')",
        "os.write(1, b'J' + (200_000).to_bytes(4, 'big') + b'[' * 200_000)",
        "say({'page': [1, 2]})",
        "say([])",
        "say({'refused': 'x', 'reason': '%(a)s %d', 'values': {'b': 1}})",
        "say({'refused': 'x', 'reason': 'y', 'values': {'code': 1}})",
        "say({'attachment': ['a.txt', '']}); say(END)",
        "say(b'of no file')",
        "say({**END, 'outcome': 'bad'})",
        "say({'failed': 'error', 'detail': 'ValueError at pdf.py:1'})",
    ],
)
def test_crashes_and_nonsense_are_refusals(child_that: Callable[[str], None], text_file: Path, program: str) -> None:
    child_that(program)
    assert refusal(text_file).code == "crashed"
    with pytest.raises(Refused) as caught:
        draw_page(text_file, 1, QUICK)
    assert caught.value.code == "crashed"


PAGE_BY_PAGE = """
say({"format": "pdf"})
for number in range(1, 6):
    say({"at": [number - 1, 5]})
    if number in (2, 4) and number not in request["skip"]:
        %s
for number in range(1, 6):
    say({"page": [number, "", 100, 100, None, [["paragraph", 0, "", [["page %%d" %% number]]]]]})
say(END)
"""


@pytest.mark.parametrize("fault", ["os.abort()", "time.sleep(60)", "say({'failed': 'memory'}); sys.exit()"])
def test_a_page_that_breaks_the_child_costs_that_page_only(
    child_that: Callable[[str], None], text_file: Path, fault: str
) -> None:
    child_that(PAGE_BY_PAGE % fault)
    parsed = parse(text_file, "a.pdf", Limits(seconds=20, stall_seconds=1))
    assert len(parsed.pages) == 5


def test_pages_are_given_up_a_few_times_only(child_that: Callable[[str], None], text_file: Path) -> None:
    child_that("""
        say({"format": "pdf"})
        say({"at": [len(request["skip"]), 1000]})
        os.abort()
    """)
    assert refusal(text_file).code == "crashed"


@pytest.mark.skipif(sys.platform != "linux", reason="death signals are Linux's")
def test_no_child_outlives_us(tmp_path: Path) -> None:
    """`kill -9` of the reading process ends its child too."""
    large = tmp_path / "large.txt"
    large.write_text("Zeile um Zeile, Wort um Wort.\n" * 3_000_000)
    program = (
        "from pathlib import Path; from ingestion.sandbox import *; "
        f"parse(Path({str(large)!r}), 'large.txt', Limits(memory_mib=8000))"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=process.PACKAGE_ROOT)
    child = _only_child(parent.pid)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    _, alive = psutil.wait_procs([child], timeout=20)
    assert not alive


def _only_child(pid: int) -> psutil.Process:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        children = [child for child in psutil.Process(pid).children() if "ingestion.child" in " ".join(child.cmdline())]
        if children:
            return children[0]
        time.sleep(0.02)
    raise AssertionError("no child was started")


CONFINED = """
import os, socket, sys
from pathlib import Path
from ingestion.confine import confine
confine(memory_mib=500, seconds=10, parent=os.getppid(), readable=Path(sys.argv[1]))
def tried(name, act):
    try:
        act()
        print(name)
    except (OSError, MemoryError):
        pass
tried("own", lambda: open(sys.argv[1]).read())
tried("other", lambda: open(sys.argv[2]).read())
tried("write", lambda: open(sys.argv[2], "a").write("x"))
tried("memory", lambda: bytearray(600 << 20))
tried("network", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[3])), 2))
"""


def test_a_confined_process_reads_its_file_and_no_more(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.write_text("mine")
    other.write_text("not mine")
    with _listener() as port:
        done = subprocess.run(
            [sys.executable, "-c", CONFINED, str(own), str(other), str(port)],
            capture_output=True,
            text=True,
            env=process.environment(),
            check=True,
        )
    allowed = set(done.stdout.split())
    assert "own" in allowed
    assert not allowed & {"write", "memory"}
    if _has_landlock():
        assert allowed == {"own"}
    assert other.read_text() == "not mine"


class _listener:  # noqa: N801
    """A socket of ours that the child tries to reach."""

    def __enter__(self) -> int:
        import socket

        self.socket = socket.create_server(("127.0.0.1", 0))
        return int(self.socket.getsockname()[1])

    def __exit__(self, *_: object) -> None:
        self.socket.close()


def _has_landlock() -> bool:
    import ctypes

    return ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) >= 4


def test_the_child_gets_none_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELEG_ENGINE_KEY", "secret")
    assert "secret" not in str(process.environment())


def test_plain_text_is_read_without_loading_large_libraries(tmp_path: Path) -> None:
    """Archives hold thousands of small files, each of which is read in a process of its own."""
    (tmp_path / "a.txt").write_text("Größe 5", encoding="utf-8")
    program = (
        "import sys, pathlib, ingestion.child, ingestion.reader as reader\n"
        "reader.read_file(pathlib.Path(sys.argv[1]), 'a.txt', lambda done, total: None)\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "a.txt")]
    loaded = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=process.PACKAGE_ROOT
    ).stdout.split()
    assert not {"numpy", "lxml", "markdown_it", "charset_normalizer", "pypdfium2"} & set(loaded)
