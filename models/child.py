"""Runs a helper process (pip, the hub client, the conversion) under a watch: what it has written is its progress,
and one that does nothing for too long is stopped. Nothing here can wait for ever."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TAIL_BYTES = 20_000
LOOK_EVERY = 0.3  # seconds between two looks at the folder


@dataclass(frozen=True)
class Finished:
    """How a helper ended: exit `code` (negative: the signal that ended it), the end of what it printed, and whether it
    was stopped because it did nothing (`stalled`) or because the caller gave up (`cancelled`)."""

    code: int
    tail: str
    stalled: bool = False
    cancelled: bool = False


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    folder: Path,
    on_bytes: Callable[[int], None],
    silence: float,
    cancel: threading.Event | None = None,
) -> Finished:
    """Run `command` until it ends. `on_bytes` hears how many bytes lie in `folder`; the helper is stopped when for
    `silence` seconds it neither printed nor wrote there. It never outlives this call, whatever ends it."""
    process = subprocess.Popen(
        command,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        return _watch(process, folder, on_bytes, silence, cancel or threading.Event())
    finally:
        _kill_group(process)


def _watch(
    process: subprocess.Popen[bytes],
    folder: Path,
    on_bytes: Callable[[int], None],
    silence: float,
    cancel: threading.Event,
) -> Finished:
    tail, size, active = b"", -1, time.monotonic()
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if selector.select(LOOK_EVERY):
                data = os.read(process.stdout.fileno(), 65536)
                if not data:
                    return Finished(process.wait(timeout=60), _text(tail))
                tail, active = (tail + data)[-TAIL_BYTES:], time.monotonic()
            now_size = folder_bytes(folder)
            if now_size != size:
                size, active = now_size, time.monotonic()
            on_bytes(size)
            if cancel.is_set():
                return Finished(-signal.SIGKILL, _text(tail), cancelled=True)
            if time.monotonic() - active > silence:
                return Finished(-signal.SIGKILL, _text(tail), stalled=True)


def folder_bytes(folder: Path) -> int:
    """Bytes of all files below `folder`; files that vanish meanwhile count nothing."""
    total = 0
    for place, _, names in os.walk(folder):  # skips what vanished; Path.rglob raises
        for name in names:
            with contextlib.suppress(OSError):
                total += os.stat(os.path.join(place, name)).st_size
    return total


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
