"""Runs a script in a tool's environment: its lines of JSON are progress and result, its stderr is kept in a log, and it
is stopped when it gives no sign of life."""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from models.quantize.inside.task import Task
from models.quantize.types import Progress, QuantizeError

ROOT = Path(__file__).resolve().parent.parent.parent
SILENT_SECONDS = 3600.0  # a layer of a 70B model on a slow CPU; the tools print more often than that
MOST_SECONDS = 72 * 3600.0
LOOK_EVERY = 1.0
LINE_LIMIT = 1 << 20
LOG_TAIL = 64 << 10
NO_MEMORY = ("MemoryError", "can't allocate memory", "out of memory", "OutOfMemoryError")
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONPATH": str(ROOT),
}


@dataclass(frozen=True)
class Script:
    """A module of `models.quantize.inside` and the Python that runs it. `log` takes its stderr, `note` its task."""

    python: Path
    name: str
    log: Path
    note: Path


def run(script: Script, task: Task, progress: Progress) -> dict[str, float]:
    """The figures the script ends with. Raises QuantizeError for everything that goes wrong in it."""
    task.write(script.note)
    with script.log.open("ab") as log:
        process = subprocess.Popen(
            [script.python, "-P", "-m", f"models.quantize.inside.{script.name}", script.note],
            env={**os.environ, **QUIET},
            stdin=subprocess.PIPE,  # never written to: its end tells the script that we are gone
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        try:
            told = _listen(process, script, progress)
            code = process.wait(timeout=60)
        finally:
            _end(process)
    if code != 0 or told is None:
        raise _explain(code, script)
    return told


def _listen(process: subprocess.Popen[bytes], script: Script, progress: Progress) -> dict[str, float] | None:
    """Hears it to its end. Lines and a growing log are signs of life."""
    begun = active = time.monotonic()
    waiting, told, size = b"", None, 0
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if selector.select(LOOK_EVERY):
                data = os.read(process.stdout.fileno(), 65536)
                if not data:
                    return told
                *lines, waiting = (waiting + data)[-LINE_LIMIT:].split(b"\n")
                for line in lines:
                    told = _hear(line, progress) or told
                active = time.monotonic()
            if script.log.stat().st_size != size:
                size, active = script.log.stat().st_size, time.monotonic()
            _check_time(active, begun)


def _hear(line: bytes, progress: Progress) -> dict[str, float] | None:
    """The result, if this line is it; what else is no line of ours is passed over."""
    try:
        said = json.loads(line)
        if "result" in said:
            return {name: float(value) for name, value in said["result"].items()} or {"done": 1.0}
        progress.step(said["step"], said["done"], said["total"], said["unit"])
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    return None


def _check_time(active: float, begun: float) -> None:
    now = time.monotonic()
    if now - active > SILENT_SECONDS:
        raise QuantizeError(
            f"The tool gave no sign of life for {SILENT_SECONDS / 60:.0f} minutes and was stopped.",
            "Close other programs and run it again, with a smaller model or --samples 32.",
        )
    if now - begun > MOST_SECONDS:
        raise QuantizeError(
            f"The tool was not done after {MOST_SECONDS / 3600:.0f} hours and was stopped.",
            "Run it on a machine with a GPU, or with --samples 32.",
        )


def _explain(code: int, script: Script) -> QuantizeError:
    tail = tail_of(script.log)
    if code in (-signal.SIGKILL, 137) or any(sign in tail for sign in NO_MEMORY):
        return QuantizeError(
            "Memory ran out.",
            "Close other programs (a running `beleg up` holds a model, too), or choose a smaller model; the whole "
            "original has to fit.",
        )
    if "No space left on device" in tail:
        return QuantizeError("The disk filled up.", "Free some space and run it again.")
    if code in (-signal.SIGILL, 132):
        return QuantizeError("This processor lacks instructions that the tool was built for.", "Use another machine.")
    return QuantizeError(f"The tool failed: {last_line(tail)}", "")


def tail_of(log: Path) -> str:
    with contextlib.suppress(OSError), log.open("rb") as file:
        _to_tail(file)
        return file.read().decode("utf-8", "replace")
    return ""


def last_line(text: str) -> str:
    """The last line that says something: the error after a traceback, not a bar of progress or what stands below it."""
    lines = [part.strip() for line in text.splitlines() for part in line.split("\r") if part.strip()]
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Interrupt)\b", line)]
    said = errors or [line for line in lines if "it/s]" not in line and "s/it]" not in line]
    return (said or ["it printed nothing"])[-1][:300]


def _to_tail(file: IO[bytes]) -> None:
    file.seek(0, os.SEEK_END)
    file.seek(max(0, file.tell() - LOG_TAIL))


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
