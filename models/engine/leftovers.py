"""An engine that outlived both us and its guard (both killed at once) is found by the guard's note and ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from pathlib import Path

import psutil

CLOCK_SLACK = 5.0  # seconds the note may differ from the kernel's times
GONE_WITHIN = 10.0


def remove(note: Path) -> bool:
    """End what `note` names, if it is ours and nobody guards it; whether there was anything. Waits until it is gone."""
    try:
        data = json.loads(note.read_text())
        group, guard, since = int(data["group"]), int(data["guard"]), float(data["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if _is_guard(guard, since):
        return False  # somebody's running engine: its guard ends it when they go
    members = _members(group, since)
    if members:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
        psutil.wait_procs(members, timeout=GONE_WITHIN)
    note.unlink(missing_ok=True)
    return bool(members)


def guarded(note: Path) -> bool:
    """Whether another living process of ours guards the engine `note` names."""
    try:
        data = json.loads(note.read_text())
        return _is_guard(int(data["guard"]), float(data["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _is_guard(pid: int, since: float) -> bool:
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        return abs(process.create_time() - since) < CLOCK_SLACK and "models.engine.guard" in process.cmdline()
    return False


def _members(group: int, since: float) -> list[psutil.Process]:
    """Living processes of the group that can be the note's: ours, and not there before it nor long after the machine
    started anew. A process group's number is not given out again while one of its members lives."""
    if since > time.time() + CLOCK_SLACK or since < psutil.boot_time() - CLOCK_SLACK:
        return []
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(process.pid) == group and _is_ours(process, group, since):
                found.append(process)
    return found


def _is_ours(process: psutil.Process, group: int, since: float) -> bool:
    if process.status() == psutil.STATUS_ZOMBIE or process.uids().real != os.getuid():
        return False
    if process.pid == group:  # the leader started within moments of its note
        return abs(process.create_time() - since) < CLOCK_SLACK
    return process.create_time() > since - CLOCK_SLACK and "vllm" in " ".join(process.cmdline()).lower()
