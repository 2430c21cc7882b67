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
