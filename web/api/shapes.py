"""What the API takes and gives. Times are ISO 8601 in UTC; ids are opaque strings."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Given(BaseModel):
    """What a client sends: unknown fields are an error, not a surprise."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @field_validator("*", mode="after")
    @classmethod
    def _is_unicode(cls, value: Any) -> Any:
        """JSON can spell half a surrogate pair, which is no text."""
        if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
            raise ValueError("not valid Unicode")
        return value


class Shape(BaseModel):
    """What a client gets, filled from the application's views."""

    model_config = ConfigDict(from_attributes=True)


class FieldProblem(BaseModel):
    field: str
    message: str


class Problem(BaseModel):
    """RFC 9457 problem details: `detail` says what happened, `hint` what to do next, `code` is for programs."""

    type: str = Field(examples=["urn:beleg:error:not_found"])
    title: str
    status: int
    detail: str
    hint: str
    code: str
    instance: str
    errors: list[FieldProblem] | None = None


class Collection(Shape):
    id: str
    name: str
    owner: str = Field(validation_alias="owner_name")
    mine: bool = Field(description="You own it: you may rename, share and delete it.")
    may_edit: bool = Field(description="You may upload and delete documents.")
    everyone: bool = Field(description="Every user of this server may read it and ask in it.")
    documents: int
    created_at: datetime


class NewCollection(Given):
    name: Name


class CollectionChange(Given):
    name: Name | None = None
    everyone: bool | None = None


class Share(Shape):
    user: str = Field(validation_alias="user_name")
    may_edit: bool


class NewShare(Given):
    user: Name = Field(description="The name the person signs in with.")
    may_edit: bool = False


class DocumentWarning(Shape):
    code: str
    text: str
    page: int | None


PageRanges = list[tuple[int, int]]


class Skipped(Shape):
    code: str
    text: str
    pages: PageRanges = Field(description="First and last numbers; empty for the whole file.")


class Health(Shape):
    """How well a document was read. Pages are given as ranges: first and last number."""

    pages: int = Field(description="0 where the format has no pages.")
    pages_without_text: PageRanges = Field(description="Pages that yielded none, blank ones too.")
    pages_recognised: PageRanges = Field(description="Pages that were recognised (OCR).")
    confidence: float | None = Field(description="How sure recognition was (0 to 100), null where there was none.")
    pages_unsure: PageRanges = Field(description="Recognised pages that have to be compared with the original.")
    tables: int
    headings: int
    language: str = Field(description="ISO 639-1; empty when unclear.")
    passages: int | None
    skipped: list[Skipped] = Field(description="What was not read, or otherwise than it looks, and why.")
    reasons: list[Literal["partial", "low_confidence", "pages_without_text"]] = Field(
        description="Why somebody should look at the document; empty when all is well."
    )


class Refusal(Shape):
    code: str
    reason: str
    hint: str


class Document(Shape):
    id: str
    collection: str = Field(validation_alias="collection_id")
    name: str
    folder: str
    size: int = Field(description="Bytes.")
    format: str
    state: Literal["received", "reading", "ready", "refused"]
    outcome: str = Field(description="Empty until read, then text, partial, ocr or refused.")
    pages_read: int
    pages_total: int = Field(description="0 while unknown.")
    passages: int
    refusal: Refusal | None = Field(None, description="Why it could not be read, when `state` is refused.")
    warnings: list[DocumentWarning]
    title: str
    language: str
    parent: str | None = Field(validation_alias="parent_id", description="The mail or archive it came in.")
    sha256: str
    created_at: datetime
    health: Health | None = Field(description="Null until read, and for what was read before there were reports.")
    attention: bool = Field(description="Somebody should look at it: refused, or read with gaps or doubts.")
    existed: bool = Field(False, description="The same file was there already; nothing was stored twice.")
    revision: int = Field(description="From 1: other bytes under the same name and folder are the next revision.")
    newest: str = Field(validation_alias="newest_id", description="Id of the newest revision, as a rule this one.")
    searched_revision: int | None = Field(description="The one that searches look at: the newest that is ready.")
    replaced_at: datetime | None = Field(
        description="Since when this one is not searched any more: a newer revision is, or its archive has it no more."
    )


class Revision(Shape):
    id: str
    revision: int
    size: int
    state: Literal["received", "reading", "ready", "refused"]
    uploaded_by: str
    sha256: str
    created_at: datetime
    searched: bool


class WholeDocument(Document):
    revisions: list[Revision] = Field(description="Newest first, this one among them.")


class DocumentChange(Given):
    """What is left out stays as it is."""

    name: str | None = Field(None, min_length=1, max_length=400)
    folder: str | None = Field(None, max_length=1000, description="Empty: in no folder.")
    collection: str | None = Field(None, min_length=1, max_length=64, description="Id of the one it is to be in.")


class NotAccepted(BaseModel):
    """A file that was not stored."""

    name: str
    folder: str
    problem: Problem


class Uploaded(BaseModel):
    new: int
    changed: int = Field(description="Other bytes under a known name: the next revision of that document.")
    unchanged: int = Field(description="Known already, name and bytes.")
    documents: list[Document]
    not_accepted: list[NotAccepted]


class DocumentList(BaseModel):
    documents: list[Document]
    total: int


class Box(Shape):
    x0: float
    y0: float
    x1: float
    y1: float


class Mark(Shape):
    start: int
    end: int
    page: int
    box: Box | None = Field(description="PDF points from the top left of the page.")
    cells: str = Field(description="Cells of a sheet, such as A5:D5; empty elsewhere.")


class Passage(Shape):
    document_id: str
    document: str = Field(validation_alias="document_name")
    ordinal: int
    page: int | None
    headings: list[str]
    text: str
    marks: list[Mark]
    page_width: float
    page_height: float
    revision: int = Field(description="Of the document.")
    replaced: bool = Field(description="The document is an earlier revision: searches look at a newer one.")
    newest: str = Field(validation_alias="newest_id", description="Id of the document's newest revision.")


class PassageText(Shape):
    ordinal: int
    page: int | None
    headings: list[str]
    text: str


class Neighbours(Shape):
    document_id: str
    ordinal: int
    before: list[PassageText] = Field(description="In the document's order: the last one stands right before.")
    after: list[PassageText]


class Citation(Shape):
    document: str = Field(description="The document's name; empty when it was deleted.")
    document_id: str | None
    page: int | None
    quote: str
    ordinal: int = Field(description="Number of the passage within the document.")
    start: int
    end: int
    deleted: bool


class Reason(Shape):
    code: str
    text: str


class Statement(Shape):
    text: str
    verdict: Literal["", "proved", "unproved"]
    kind: Literal["statement", "connective"]
    reasons: list[Reason]
    citations: list[Citation]
    lead: str = Field(description="White space or list marker before it: all leads and texts in order are the answer.")


class Trace(Shape):
    """Milliseconds and tokens; null where unknown or not reached."""

    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    queue_ms: float | None
    rewrite_ms: float | None
    embed_ms: float | None
    retrieval_ms: float | None
    prepare_ms: float | None
    first_token_ms: float | None
    engine_first_token_ms: float | None
    own_ms: float | None
    total_ms: float | None
    model: str
    layout: str


class Answer(Shape):
    id: str
    conversation: str = Field(validation_alias="conversation_id")
    position: int
    question: str
    standalone: str = Field(description="The follow-up question as it was searched for; empty when as asked.")
    state: Literal["waiting", "streaming", "done", "stopped", "failed", "paused"]
    answer: str = Field(validation_alias="text", description="Markdown.")
    verdict: Literal["", "proved", "partly", "unproved", "declined"]
    statements: list[Statement]
    nearest: list[Citation] = Field(description="When declined: the passages that came closest.")
    error: str = Field(description="What went wrong, when `state` is failed.")
    hint: str
    unread: int = Field(description="Documents that were still being read when the question was asked.")
    trace: Trace
    created_at: datetime


class Question(Given):
    collection: str = Field(min_length=1, max_length=64, description="Id of the collection.")
    question: str = Field(min_length=1, max_length=20_000)
    conversation: str | None = Field(None, max_length=64, description="Go on with this conversation.")
    stream: bool = Field(False, description="Answer with server-sent events.")


class Conversation(Shape):
    id: str
    collection: str = Field(validation_alias="collection_id")
    title: str
    created_at: datetime
    count: int = Field(description="How many questions it has.")


class WholeConversation(Conversation):
    answers: list[Answer]


class User(Shape):
    id: str
    name: str
    is_admin: bool
    active: bool
    has_password: bool
    created_at: datetime


class NewUser(Given):
    name: Name
    is_admin: bool = False


class UserChange(Given):
    is_admin: bool | None = None
    active: bool | None = None


class InvitedUser(User):
    link: str = Field(description="Signs this person in once. Shown here only.")


class Me(BaseModel):
    id: str
    name: str
    is_admin: bool


class ApiKey(Shape):
    id: str
    name: str
    created_at: datetime
    last_used_at: datetime | None


class NewApiKey(Given):
    name: Name


class MadeApiKey(ApiKey):
    key: str = Field(description="Send it as `Authorization: Bearer ...`. Shown here only.")


class Part(BaseModel):
    state: str
    detail: str = ""


class Readiness(BaseModel):
    ready: bool
    database: Part
    index: Part
    engine: Part


class Alive(BaseModel):
    status: Literal["alive"]
