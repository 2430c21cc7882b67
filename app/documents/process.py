"""The reading process beside the pages: started, started again when it ends, and stopped with us.

It is a process of its own so that reading never slows the pages, and so that its crash is not ours.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import structlog

from app.config import Settings

log = structlog.get_logger()
LONGEST_PAUSE = 30.0


class ReadingProcess:
    """Supervises `python -m app.documents.worker`, whose own lock keeps it the only one on the data
    folder."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._ended = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._supervise, name="reading-process", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float = 10.0) -> None:
        self._ended.set()
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(5)

    def _supervise(self) -> None:
        pause = 1.0
        while not self._ended.is_set():
            begun = time.monotonic()
            with (self._settings.logs_dir / "reading.log").open("ab") as output:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "app.documents.worker"],
                    stdout=output,
                    stderr=output,
                    stdin=subprocess.DEVNULL,
                )
                code = self._process.wait()
            if self._ended.is_set():
                return
            log.warning("the reading process ended and is started again", code=code)
            pause = 1.0 if time.monotonic() - begun > 60 else min(pause * 2, LONGEST_PAUSE)
            self._ended.wait(pause)
