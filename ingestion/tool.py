"""Runs a program of the system (Tesseract, LibreOffice) on a file from outside, confined like the reading process.

It may read what the system installed, write in its scratch folder only, and reaches no network; memory, time, output
and files are bounded. Whatever happens, it is gone when `run` returns, or when this process dies.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ingestion.confine import Bounds
from ingestion.process import COMMAND, end, environment

__all__ = ["Allowance", "Failed", "NotInstalled", "TooSlow", "ToolError", "find", "run"]

MIB = 1024 * 1024
LAUNCH = [*COMMAND[:-1], "ingestion.launch"]
PLACES = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/local/bin", "/usr/bin", "/bin"))
LOOK_SECONDS = 0.2
ENDING_SECONDS = 5.0
COMPLAINT = 2_000  # characters kept of what the program complains


class ToolError(Exception):
    """The program did not do its work."""


class NotInstalled(ToolError):
    """There is no such program on this machine."""


class TooSlow(ToolError):
    """It was stopped at its time limit."""


class Failed(ToolError):
    """It ended with an error: out of memory, a file it cannot read, too much output. The message is for the log, `code`
    what the program ended with."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Allowance:
    """What one run may take: wall time, address space, the largest file it writes, its standard output. `processes` as
    in `Bounds`: None for programs that start threads or processes. `processor_seconds` where that is less than the wall
    time: a busy machine makes everything slow, and that is not the file's fault."""

    seconds: float = 60
    memory_mib: int = 1000
    file_mib: int = 256
    output_mib: int = 32
    processes: int | None = 0
    processor_seconds: float | None = None

    @property
    def whole_processor_seconds(self) -> int:
        return int(self.seconds if self.processor_seconds is None else self.processor_seconds) + 1


@dataclass
class Meter:
    """Adds up the processor seconds that runs took."""

    seconds: float = 0.0


def find(program: str) -> str | None:
    """Where `program` is installed, if it is."""
    return shutil.which(program, path=PLACES)


def run(
    command: Sequence[str],
    scratch: Path,
    allowance: Allowance,
    *,
    readable: Sequence[Path] = (),
    sockets: Sequence[Path] = (),
    variables: Mapping[str, str] | None = None,
    stopped: Callable[[], bool] = lambda: False,
    meter: Meter | None = None,
) -> bytes:
    """What `command` prints. It works in `scratch` (its home, and the one place it may write), sees no variables but
    `variables` and the barest, and may read `readable` beside the system's programs and make local sockets in the
    folders `sockets`. Once `stopped()` is true it is ended. What it took is added to `meter`. Raises `ToolError`. The
    thread that calls has to live as long as the program."""
    program = find(command[0])
    if program is None:
        raise NotInstalled(command[0])
    process = _start([program, *command[1:]], scratch, allowance, (readable, sockets), variables or {})
    try:
        output, complaint = _listen(process, allowance, stopped)
        _await(process)
    finally:
        used = _end_group(process)
        if meter is not None:
            meter.seconds += used
    if used >= allowance.whole_processor_seconds and process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TooSlow(command[0])
    if process.returncode != 0:
        detail = complaint.decode("utf-8", "replace").strip()[-COMPLAINT:]
        raise Failed(f"{command[0]} ended with {process.returncode}: {detail}", process.returncode)
    return output


def _start(
    command: Sequence[str],
    scratch: Path,
    allowance: Allowance,
    folders: tuple[Sequence[Path], Sequence[Path]],
    variables: Mapping[str, str],
) -> subprocess.Popen[bytes]:
    bounds = Bounds(
        memory_mib=allowance.memory_mib,
        seconds=allowance.whole_processor_seconds,
        file_mib=allowance.file_mib,
        open_files=64 if allowance.processes == 0 else 512,
        processes=allowance.processes,
    )
    home = str(scratch.resolve())
    request = {
        "bounds": asdict(bounds),
        "parent": os.getpid(),
        "scratch": home,
        "readable": [str(path.resolve()) for path in folders[0]],
        "sockets": [str(path.resolve()) for path in folders[1]],
        "environment": {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": home, "TMPDIR": home, **variables},
    }
    try:
        return subprocess.Popen(
            [*LAUNCH, json.dumps(request), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=scratch,
            env=environment(),
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        raise Failed(f"{command[0]} could not be started: {error}") from error


def _listen(process: subprocess.Popen[bytes], allowance: Allowance, stopped: Callable[[], bool]) -> tuple[bytes, bytes]:
    """What the program prints and complains, until it closes both."""
    assert process.stdout is not None
    assert process.stderr is not None
    heard = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    deadline = time.monotonic() + allowance.seconds
    with selectors.DefaultSelector() as selector:
        for stream in (process.stdout, process.stderr):
            selector.register(stream.fileno(), selectors.EVENT_READ)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                raise TooSlow
            if stopped():
                raise Failed("stopped")
            for key, _ in selector.select(min(left, LOOK_SECONDS)):
                data = os.read(key.fd, 1 << 16)
                if not data:
                    selector.unregister(key.fd)
                heard[key.fd] += data
                if key.fd == process.stderr.fileno():
                    del heard[key.fd][: -4 * COMPLAINT]
                elif len(heard[key.fd]) > allowance.output_mib * MIB:
                    raise Failed("it prints without end")
    output, complaint = heard.values()
    return bytes(output), bytes(complaint)


def _await(process: subprocess.Popen[bytes]) -> None:
    """Until it has ended, or a moment longer than it takes to. It is not reaped yet, so that its group still is its
    own."""
    until = time.monotonic() + ENDING_SECONDS
    while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) and time.monotonic() < until:
        time.sleep(0.01)


def _end_group(process: subprocess.Popen[bytes]) -> float:
    """It and all it started. The processor seconds it took, with those of what it waited for."""
    for kill in (os.killpg, os.kill):  # the group may not be there yet
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(process.pid, signal.SIGKILL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    end(process)
    return used.ru_utime + used.ru_stime
