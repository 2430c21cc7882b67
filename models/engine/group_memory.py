"""How much memory the processes of our own engine hold."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import psutil


def group_memory(note: Path) -> int | None:
    """Bytes resident in the process group that the guard's `note` names; None where there is none. What processes
    share (the model's file, libraries) is counted once, as that of the process with the most of it."""
    try:
        group = int(json.loads(note.read_text())["group"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    found = [_memory(pid) for pid in psutil.pids() if _in_group(pid, group)]
    held = [memory for memory in found if any(memory)]  # one that is dead holds nothing
    if not held:
        return None
    return sum(own for own, _ in held) + max(shared for _, shared in held)


def _in_group(pid: int, group: int) -> bool:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        return os.getpgid(pid) == group
    return False


def _memory(pid: int) -> tuple[int, int]:
    """Bytes of its own, and bytes it may share with others."""
    with contextlib.suppress(psutil.Error):
        memory = psutil.Process(pid).memory_info()
        shared = min(memory.shared, memory.rss)
        return memory.rss - shared, shared
    return 0, 0
