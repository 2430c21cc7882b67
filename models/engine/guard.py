"""Stands between us and vLLM: starts it in a process group of its own and ends that whole group, API server and
engine cores alike, as soon as we are gone, however we went.

`python -m models.engine.guard NOTE GRACE COMMAND...`: our end is noticed by end of file on standard input (a pipe only
we hold) and by a changed parent; SIGTERM asks for a clean stop, with GRACE seconds until SIGKILL. NOTE is a file that
names the group, for the next start to look at. Only the standard library, so that it starts at once and stays small.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

LOOK_EVERY = 0.5


def main(note: Path, grace: float, command: list[str]) -> int:
    """Run `command` until it or our parent ends; its exit code, 128 and the signal where one ended it."""
    parent = os.getppid()
    asked: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda got, _frame: asked.append(got))
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
    try:
        write_note(note, child.pid)
        while child.poll() is None and not asked and _parent_lives(parent):
            pass
        code = child.poll()
        return 0 if code is None else code if code >= 0 else 128 - code
    finally:
        _end_group(child, grace)
        note.unlink(missing_ok=True)


def _parent_lives(parent: int) -> bool:
    """Waits a moment for the end of our parent."""
    try:
        readable, _, _ = select.select([0], [], [], LOOK_EVERY)
    except InterruptedError:
        return True
    if readable and not os.read(0, 1):
        return False
    return os.getppid() == parent


def _end_group(child: subprocess.Popen[bytes], grace: float) -> None:
    """SIGTERM, time to leave shared memory tidy (also where the leader is dead already), then SIGKILL."""
    _signal_group(child.pid, signal.SIGTERM)
    end = time.monotonic() + grace
    while time.monotonic() < end:
        child.poll()  # lets a dead leader leave the group
        if not _signal_group(child.pid, 0):
            return
        time.sleep(0.05)
    _signal_group(child.pid, signal.SIGKILL)
    child.wait()


def _signal_group(group: int, number: int) -> bool:
    """Whether there was anybody to signal. Number 0 only looks."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def write_note(note: Path, group: int) -> None:
    """Leave on disk which group is ours and since when, so that a later start can end it should this process be
    killed as well."""
    text = json.dumps({"group": group, "guard": os.getpid(), "since": time.time()})
    temporary = note.with_suffix(f".{os.getpid()}")
    temporary.write_text(text)
    os.replace(temporary, note)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))
