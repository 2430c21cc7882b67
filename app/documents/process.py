"""Starting the reading process and keeping it running."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress

import structlog

from app.config import ROOT, Settings
from app.documents.worker import ANOTHER_RUNS, PARENT

log = structlog.get_logger()

MODULE = "app.documents.worker"
STOP_SECONDS = 10.0
_LONGEST_PAUSE = 30.0


class ReadingProcess:
    """`python -m app.documents.worker`, started again (later each time) when it ends. When another one works on the
    same data folder, this one stands by and takes over when that ends."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._keep_running, name="reading-process", daemon=True)

    @property
    def running(self) -> bool:
        process = self._process
        return process is not None and process.poll() is None

    def start(self) -> None:
        """Returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End it and wait for that; what it was reading is queued again."""
        self._stopping.set()
        with self._lock:
            process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)
            if process.poll() is None:
                process.kill()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def _keep_running(self) -> None:
        pause = 1.0
        while not self._stopping.is_set():
            code = self._run_once()
            if self._stopping.is_set():
                return
            if code == ANOTHER_RUNS:
                self._stopping.wait(2.0)
                continue
            log.warning("reading process ended", code=code, again_in=pause)
            self._stopping.wait(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _run_once(self) -> int:
        self._settings.logs_dir.mkdir(parents=True, exist_ok=True)
        with (self._settings.logs_dir / "worker-output.log").open("wb") as output:
            with self._lock:
                if self._stopping.is_set():
                    return 0
                self._process = subprocess.Popen(
                    [sys.executable, "-m", MODULE],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env=environment(self._settings),
                )
            return self._process.wait()


def environment(settings: Settings) -> dict[str, str]:
    """Ours, with these settings in place of whatever is set there, so that both mean the same data folder.

    Threads that wait must not spin: at low priority beside a busy engine that costs four times the processor time.
    Few malloc arenas: what reading a large file took is given back."""
    named = {f"BELEG_{name.upper()}": str(value) for name, value in settings.model_dump().items()}
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    ours = {
        PARENT: str(os.getpid()),
        "PYTHONPATH": path,
        "PYTHONFAULTHANDLER": "1",
        "OMP_WAIT_POLICY": "PASSIVE",
        "MALLOC_ARENA_MAX": "2",
    }
    return {**os.environ, **named, **ours}
