"""An answer being written, as pieces of a page: each event becomes the HTML that HTMX puts in its place.

A browser that opens the page in mid-answer already has the stored part in it. The events it missed are folded into
one piece, so that nothing jumps; after that every event is sent as it comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from html import escape
from typing import Any

from starlette.requests import Request

from app.questions.events import (
    LAST,
    Done,
    Event,
    Failed,
    Retrieved,
    Rewritten,
    Snapshot,
    Statement,
    Stopped,
    Token,
    Waiting,
)
from app.questions.types import AnswerView, StatementView
from web.language import words_for
from web.markup import unmarked
from web.pages.answers import Numbers, shown
from web.pages.view import to_html
from web.sse import encode

Pieces = Callable[[Event], Iterable[bytes]]


class LiveAnswer:
    """Turns one listener's events into pieces. `view` is the answer as it stood when the listener came."""

    def __init__(self, request: Request, view: AnswerView) -> None:
        self._request = request
        self._view = view
        self._statements: dict[int, StatementView] = dict(enumerate(view.statements))
        self.in_step = True  # the page shows what has been sent

    def from_event(self) -> Pieces:
        """For a listener that has a part already and lost its connection."""
        return self._piece

    def from_start(self) -> Pieces:
        """For a new listener: silent until it has caught up with the stored part, then one piece for all of that."""
        return _CatchingUp(self).pieces

    def _piece(self, event: Event) -> Iterable[bytes]:
        match event:
            case Waiting(reason=reason):
                yield self._send(event, "status", "parts/status.html", waiting=reason, passages=())
            case Rewritten(standalone=standalone):
                yield self._send(event, "searched", "parts/searched.html", standalone=standalone)
            case Retrieved(passages=passages):
                yield self._send(event, "status", "parts/status.html", waiting="", passages=passages)
            case Token(text=text):
                yield encode("token", escape(unmarked(text)), event.seq)
            case Statement(index=index, view=view):
                yield self._statement(event, index, view)
            case Snapshot(answer=answer):
                yield self.whole(event, answer)
            case Done(answer=answer) | Stopped(answer=answer) | Failed(answer=answer):
                yield from self._end(event, answer)

    def _statement(self, event: Event, index: int, view: StatementView) -> bytes:
        self._statements[index] = view
        numbers = Numbers(self._view.id)
        rows = [numbers.row(i, self._statements[i]) for i in sorted(self._statements) if i <= index]
        return self._send(event, "statement", "parts/statement.html", row=rows[-1], id=self._view.id)

    def whole(self, event: Event, answer: AnswerView) -> bytes:
        self._statements = dict(enumerate(answer.statements))
        self.in_step = True
        return self._send(event, "snapshot", "parts/written.html", answer=shown(answer, words_for(self._request)))

    def _end(self, event: Event, answer: AnswerView) -> Iterable[bytes]:
        """Statements that are on the page already stay untouched: somebody may be reading or focusing them."""
        same = self.in_step and answer.verdict != "declined" and tuple(self._statements.values()) == answer.statements
        answer_shown = shown(answer, words_for(self._request))
        yield self._send(event, "final", "parts/final.html", answer=answer_shown, same=same)
        yield encode("end", "", event.seq)

    def _send(self, event: Event, name: str, template: str, **values: Any) -> bytes:
        return encode(name, to_html(self._request, template, **values), event.seq)


class _CatchingUp:
    """Folds what a page already shows into one piece."""

    def __init__(self, live: LiveAnswer) -> None:
        self._live = live
        self._stored = live._view
        self._statements: list[StatementView] = []
        self._pending = ""
        self._behind = bool(live._view.statements or live._view.pending)
        live.in_step = not self._behind

    def pieces(self, event: Event) -> Iterable[bytes]:
        if self._behind and not isinstance(event, (*LAST, Snapshot)):
            self._fold(event)
            if self._caught_up():
                self._behind = False
                reached = replace(self._stored, statements=tuple(self._statements), pending=self._pending)
                yield self._live.whole(event, reached)
            return
        self._behind = False
        yield from self._live._piece(event)

    def _fold(self, event: Event) -> None:
        match event:
            case Token(text=text):
                self._pending += text
            case Statement(view=view):
                self._statements.append(view)
                self._pending = ""

    def _caught_up(self) -> bool:
        missing = len(self._stored.statements) - len(self._statements)
        return missing < 0 or (missing == 0 and len(self._pending) >= len(self._stored.pending))
