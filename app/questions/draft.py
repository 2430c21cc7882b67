"""An answer while it is being written: what the engine sends goes in, checked statements and showable text come out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.questions.decline import is_refusal, is_remark, may_become_refusal
from app.questions.numbers import figures, missing
from app.questions.spans import Source
from app.questions.statements import Piece, Splitter, showable
from app.questions.types import AnswerVerdict, Reason, StatementView
from app.questions.verify import Verifier

_LONG_STATEMENT = 25  # characters from which on a repeated statement is no coincidence
_ENDS = frozenset(".!?…|")


class Draft:
    """Takes text, keeps the checked statements. After `listen`, text to append to what is shown of the unfinished
    statement and each checked statement are handed on. When `repeats` turns true the engine has begun to say the same
    again: stop it."""

    def __init__(self, sources: Sequence[Source], question: str) -> None:
        self.text = ""
        self.statements: list[StatementView] = []
        self.repeats = False
        self._refused = False
        self._pending = ""
        self._intro = ""
        self._said: set[str] = set()
        self._asked = figures(question)
        self._splitter = Splitter()
        self._verifier = Verifier(sources, question)
        self._on_text: Callable[[str], None] = lambda _text: None
        self._on_statement: Callable[[int, StatementView], None] = lambda _index, _view: None

    def listen(self, on_text: Callable[[str], None], on_statement: Callable[[int, StatementView], None]) -> None:
        self._on_text, self._on_statement = on_text, on_statement

    def take(self, text: str) -> None:
        """What the engine sent."""
        self.text += text
        for piece in self._splitter.feed(text):
            self._complete(piece)
        if not self.repeats:
            self._show()

    def finish(self, whole: bool = True) -> None:
        """No more text comes: the rest is the last statement. Unless the answer is `whole`, one without an end was cut
        off and proves nothing."""
        for piece in self._splitter.finish():
            self._complete(piece)
            if not whole and not self.repeats and piece.text.rstrip('*_ "”“»«)')[-1:] not in _ENDS:
                self.statements[-1] = _unfinished(self.statements[-1])
        self._pending = ""

    def verdict(self) -> AnswerVerdict:
        """Of the whole answer: proved when every statement is (and it does not say that something is not in the
        documents), declined when it states nothing."""
        verdicts = [view.verdict for view in self.statements if view.kind == "statement"]
        if not verdicts:
            return "declined"
        if all(verdict == "proved" for verdict in verdicts):
            return "partly" if self._refused else "proved"
        return "partly" if "proved" in verdicts else "unproved"

    def _complete(self, piece: Piece) -> None:
        self.repeats = self.repeats or self._was_said(piece.text)
        if self.repeats:
            return
        view = self._check(piece)
        self._pending = ""
        self.statements.append(view)
        self._on_statement(len(self.statements) - 1, view)

    def _was_said(self, text: str) -> bool:
        """A small model may go round in circles: a long statement that comes again ends the answer."""
        said = " ".join(text.casefold().split())
        known = len(said) >= _LONG_STATEMENT and said in self._said
        self._said.add(said)
        return known

    def _check(self, piece: Piece) -> StatementView:
        if piece.claims and self._is_about_documents(piece.text):
            piece = replace(piece, claims=False)
        if not piece.claims and piece.text.rstrip("*_ ").endswith(":"):
            self._intro = piece.text
        elif not piece.lead.strip():
            self._intro = ""
        return self._verifier.check(piece, self._intro)

    def _is_about_documents(self, text: str) -> bool:
        """Whether it says that the documents do (not) hold the answer, and nothing else: no figure of its own."""
        refusal = is_refusal(text) and not missing(figures(text), self._asked)
        self._refused = self._refused or refusal
        return refusal or is_remark(text)

    def _show(self) -> None:
        rest = self._splitter.rest
        if not self.statements and may_become_refusal(rest):
            return
        shown = showable(rest)
        if len(shown) > len(self._pending) and shown.startswith(self._pending):
            self._on_text(shown[len(self._pending) :])
            self._pending = shown


def _unfinished(view: StatementView) -> StatementView:
    """A sentence without its end; what claimed nothing (a refusal, a heading) stays as it is."""
    if view.kind == "connective":
        return view
    return replace(view, verdict="unproved", reasons=(Reason("unfinished", "The sentence was cut off."),))
