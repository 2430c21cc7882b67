"""The events of one running answer: kept in order, handed to any number of listeners, who may come late or again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from app.questions.events import LAST, Event


class EventLog:
    """`first_seq` is the number of the first event. `listeners` counts who is listening; `on_leave` is called when the
    last one has gone."""

    def __init__(self, first_seq: int = 1, on_leave: Callable[[], None] = lambda: None) -> None:
        self.listeners = 0
        self.closed = False
        self._first = first_seq
        self._events: list[Event] = []
        self._changed = asyncio.Event()
        self.on_leave = on_leave

    @property
    def ended(self) -> bool:
        """Whether the last event has come (it has not when the answer was paused)."""
        return bool(self._events) and isinstance(self._events[-1], LAST)

    @property
    def next_seq(self) -> int:
        return self._first + len(self._events)

    def add(self, make: Callable[[int], Event]) -> None:
        """Appends the event that `make` makes of its sequence number; after the last event nothing is added."""
        if not self.closed:
            event = make(self.next_seq)
            self._events.append(event)
            self.closed = isinstance(event, LAST)
            self._wake()

    def close(self) -> None:
        """No more events will come; listeners end."""
        self.closed = True
        self._wake()

    async def listen(self, after: int) -> AsyncGenerator[Event, None]:
        """Events with `seq > after`, from the beginning when that number is not of this log, until it is closed."""
        place = after + 1 - self._first
        place = place if 0 <= place <= len(self._events) else 0
        self.listeners += 1
        try:
            while True:
                while place < len(self._events):
                    place += 1
                    yield self._events[place - 1]
                if self.closed:
                    return
                await self._changed.wait()
        finally:
            self.listeners -= 1
            if not self.listeners:
                self.on_leave()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
