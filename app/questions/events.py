"""What happens while a question is answered, as a stream of events with growing sequence numbers.

A page keeps the statements it was sent and one pending text: `Token` appends to the pending text, `Statement` puts a
checked statement in the place of the pending text, `Snapshot` replaces everything shown, and the last event (`Done`,
`Stopped` or `Failed`) carries the whole answer. A stream that ends without one of these three was cut off: ask again
with the last `seq`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from app.questions.types import AnswerView, CitationView, StatementView


@dataclass(frozen=True)
class Waiting:
    """The answer waits: for its turn ("queue") or for the engine to start ("engine"). Sent when it begins to wait."""

    seq: int
    reason: Literal["queue", "engine"]


@dataclass(frozen=True)
class Rewritten:
    """A follow-up was made standalone; the search looks for this."""

    seq: int
    standalone: str


@dataclass(frozen=True)
class Retrieved:
    """The passages the answer will be written from, most relevant first. `quote` is the whole passage's text."""

    seq: int
    passages: tuple[CitationView, ...]


@dataclass(frozen=True)
class Token:
    """The next piece of text, citation ids already removed. Append it to the pending text."""

    seq: int
    text: str


@dataclass(frozen=True)
class Statement:
    """Statement `index` (from 0) is complete and checked. It takes the place of the pending text, which is then empty;
    text that already belongs to the next statement comes again in the next `Token`."""

    seq: int
    index: int
    view: StatementView


@dataclass(frozen=True)
class Snapshot:
    """Everything so far: replaces what is shown (`answer.statements` and `answer.pending`). Comes first when an answer
    goes on after a pause."""

    seq: int
    answer: AnswerView


@dataclass(frozen=True)
class Done:
    """The answer is complete, or declined. The last event."""

    seq: int
    answer: AnswerView


@dataclass(frozen=True)
class Stopped:
    """A person stopped it; what had arrived is kept and checked. The last event."""

    seq: int
    answer: AnswerView


@dataclass(frozen=True)
class Failed:
    """It could not be finished; what had arrived is kept and checked; `retry` asks again. The last event."""

    seq: int
    message: str
    hint: str
    answer: AnswerView


Event = Waiting | Rewritten | Retrieved | Token | Statement | Snapshot | Done | Stopped | Failed
LAST = (Done, Stopped, Failed)


def as_json(event: Event) -> dict[str, Any]:
    """The event as plain JSON types, with its name in lower case under "event"."""
    if isinstance(event, Token):  # by far the most: `asdict` costs ten times as much
        return {"event": "token", "seq": event.seq, "text": event.text}
    return {"event": type(event).__name__.lower(), **asdict(event)}
