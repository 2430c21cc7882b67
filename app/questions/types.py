"""What people see of questions and answers, and what answering needs from the rest of the program. Plain data.

Nothing here is a database row. Texts in `message`, `error`, `hint` and in reasons are English templates (with
`values`) and so keys of the message catalogue, except where a docstring says that a text is in the question's language.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from app.config import Settings
    from app.db.session import Database
    from ingestion.index.store import Hit, Query
    from models.types import Chunk, Embedder, EngineStatus, Message, Tokenizer

AnswerState = Literal["waiting", "streaming", "done", "stopped", "failed", "paused"]
AnswerVerdict = Literal["", "proved", "partly", "unproved", "declined"]
StatementVerdict = Literal["", "proved", "unproved"]
StatementKind = Literal["statement", "connective"]
ENDED: frozenset[str] = frozenset({"done", "stopped", "failed"})


@dataclass(frozen=True)
class Reason:
    """Why a statement is not proved, or a note on its citations. `code` is stable; `text % values` is the sentence.

    Codes: "figure_missing" (values: figure), "name_missing" (name), "quote_missing" (quote), "negation", "limit",
    "column" (figure, column), "paired" (figure, other), "not_covered", "no_source", "unfinished", and as a note that
    spoils no proof "unknown_source" (source: a cited id that stands in no prompt).
    """

    code: str
    text: str
    values: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text % self.values if self.values else self.text


@dataclass(frozen=True)
class CitationView:
    """Characters [start, end) of passage `ordinal` of a document; `quote` is exactly that text.

    `source` is the passage's stable id in the prompt ("D3.12"). `page` is None where the format has no pages.
    When the document was deleted `document_id` is None, `deleted` is true and `quote` is empty.
    """

    document_id: str | None
    document: str
    page: int | None
    quote: str
    ordinal: int
    start: int
    end: int
    deleted: bool = False
    source: str = ""


@dataclass(frozen=True)
class StatementView:
    """One checked sentence, list item or table row of an answer.

    `lead` is what stands before it in the answer (white space, list marker, a table's bar), `text` the statement
    without citation ids: `lead + text` of all statements in order is the whole answer as Markdown.
    Kind "connective" ("Here is the answer:", a heading) claims nothing: its verdict is "" and it is not counted.
    """

    text: str
    verdict: StatementVerdict
    reasons: tuple[Reason, ...] = ()
    citations: tuple[CitationView, ...] = ()
    lead: str = ""
    kind: StatementKind = "statement"


@dataclass(frozen=True)
class Trace:
    """Where the time and the tokens of an answer went; milliseconds and tokens. None is unknown or not reached.

    `queue_ms` waiting for a free place (and for the engine to be ready), `rewrite_ms` the engine call that made a
    follow-up standalone, `embed_ms` the question's vector, `retrieval_ms` access list, search and loading (without the
    embedding), `prepare_ms` selecting, layout, prompt and counting, `first_token_ms` from the question's arrival to
    the first token, `engine_first_token_ms` the engine's share of it, `own_ms` everything but engine and embedding.
    """

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    queue_ms: float | None = None
    rewrite_ms: float | None = None
    embed_ms: float | None = None
    retrieval_ms: float | None = None
    prepare_ms: float | None = None
    first_token_ms: float | None = None
    engine_first_token_ms: float | None = None
    own_ms: float | None = None
    total_ms: float | None = None
    model: str = ""
    layout: str = ""


@dataclass(frozen=True)
class AnswerView:
    """One question and its answer as it stands now.

    `text` is the answer as Markdown without citation ids (statements and, while streaming, the unfinished rest in
    `pending`); for a declined answer it is one fixed sentence in the question's language and `nearest` holds the
    passages that came closest. `standalone` is a follow-up as it was searched for ("" when searched as asked).
    `error` and `hint` (templates without values) are set when state is "failed"; `unread` counts the collection's
    documents that were still being read when the question was asked; `cut` says that the answer reached its longest
    length. `language` is the question's ("en", "de", "").
    """

    id: str
    conversation_id: str
    position: int
    question: str
    standalone: str
    state: AnswerState
    text: str
    verdict: AnswerVerdict
    statements: tuple[StatementView, ...]
    nearest: tuple[CitationView, ...]
    error: str
    hint: str
    trace: Trace
    created_at: float
    pending: str = ""
    language: str = ""
    unread: int = 0
    cut: bool = False

    @property
    def ended(self) -> bool:
        return self.state in ENDED


@dataclass(frozen=True)
class ConversationView:
    """A conversation, private to its user. `answers` is empty in lists (`count` says how many there are)."""

    id: str
    collection_id: str
    title: str
    created_at: float
    count: int
    answers: tuple[AnswerView, ...] = ()


class EngineClient(Protocol):
    """The part of `models.engine.balance.BalancedClient` that answering uses."""

    @property
    def model(self) -> str: ...

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        continue_last: bool = False,
        cache_salt: str | None = None,
        near: str = "",
    ) -> AsyncGenerator[Chunk, None]: ...

    async def model_length(self) -> int: ...


class PassageIndex(Protocol):
    """The part of `ingestion.index.store.Index` that answering uses."""

    def search(self, query: Query) -> list[Hit]: ...


class LearnedModels(Protocol):
    """Loaded in the background: reading an attribute before that waits or raises `NotReady`; read in a thread."""

    @property
    def embedder(self) -> Embedder: ...

    @property
    def tokenizer(self) -> Tokenizer: ...


class AnswerServices(Protocol):
    """What `AnswerDesk` needs of `app.services.Services`."""

    @property
    def settings(self) -> Settings: ...

    @property
    def database(self) -> Database: ...

    @property
    def index(self) -> PassageIndex: ...

    @property
    def models(self) -> LearnedModels: ...

    @property
    def engine(self) -> EngineClient: ...

    def engine_status(self) -> EngineStatus: ...
