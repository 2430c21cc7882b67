"""A question on its way: what is known of it when its answer begins, and how far the answer has come. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.questions.prompt import Turn
from app.questions.spans import Source
from app.questions.trace import Notes
from app.questions.types import AnswerState, AnswerVerdict, CitationView, StatementView, Trace


@dataclass(frozen=True)
class Asked:
    """A question with everything needed to answer it, or to go on answering it. `history` are the turns before it;
    `text` is what was already written, from `passages` (in prompt order; empty: not searched yet)."""

    answer_id: str
    conversation_id: str
    position: int
    collection_id: str
    collection: str
    question: str
    standalone: str
    language: str
    asked_at: float
    text: str
    notes: Notes
    trace: Trace
    history: tuple[Turn, ...] = ()
    passages: tuple[Source, ...] = ()


@dataclass(frozen=True)
class Progress:
    """How far an answer has come, as it is written to the database. `first_new` is the first statement whose citations
    are not stored yet (0 writes them all anew); `error` is message and hint, a line each."""

    state: AnswerState = "waiting"
    text: str = ""
    statements: tuple[StatementView, ...] = ()
    first_new: int = 0
    trace: Trace = field(default_factory=Trace)
    notes: Notes = field(default_factory=Notes)
    standalone: str = ""
    passages: tuple[Source, ...] = ()
    verdict: AnswerVerdict = ""
    nearest: tuple[tuple[CitationView, Source], ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Outcome:
    """How an answer ended (or was paused)."""

    state: AnswerState
    verdict: AnswerVerdict
    trace: Trace
