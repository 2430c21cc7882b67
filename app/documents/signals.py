"""How the threads of the worker tell each other to look again, to wait, and to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

POLL_SECONDS = 0.25  # how long a new upload may go unnoticed: it comes from another process
_LONGEST_PAUSE = 30.0


class Signals:
    """One for all threads of a worker."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._work = threading.Event()
        self._pause = 1.0
        self._last_words: list[Callable[[], None]] = []

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()
        self._work.set()

    def at_last(self, act: Callable[[], None]) -> None:
        """To be done before the process ends without waiting for its threads."""
        self._last_words.append(act)

    def last_words(self) -> None:
        for act in self._last_words:
            with suppress(Exception):  # the process ends; the next start makes good what this could not
                act()

    def wake(self) -> None:
        """There is something to do for another thread."""
        self._work.set()

    def wait_for_work(self) -> None:
        """Until woken, at most the time between two looks into the database."""
        self._pause = 1.0
        if self._work.wait(POLL_SECONDS) and not self.stopping:
            self._work.clear()

    def pause(self) -> None:
        """Something outside is wrong: wait, longer each time it stays so."""
        self._stop.wait(self._pause)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)
