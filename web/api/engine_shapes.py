"""How the engine is, as the API tells it to administrators."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from models.types import EngineState
from web.api.shapes import Shape


class EngineWarning(Shape):
    code: str = Field(description='"kv_full", "preempted", "waiting" or "memory".')
    text: str


class EngineFigures(Shape):
    """The last look, some seconds old at most. What the engine does not tell, or what cannot be known yet, is null."""

    at: datetime
    running: float | None = Field(description="Requests that are being computed.")
    waiting: float | None = Field(description="Requests that wait in the engine.")
    kv_used: float | None = Field(description="Share of the KV cache in use, 0 to 1.")
    kv_tokens: int | None = Field(description="Tokens the KV cache has room for.")
    hit_rate: float | None = Field(
        description="Share of prompt tokens found in the prefix cache since the engine's start, 0 to 1."
    )
    prompt_tokens: float | None = Field(description="Since the engine's start.")
    cached_tokens: float | None = Field(description="Those of the prompt tokens that were not computed anew.")
    generated_tokens: float | None = Field(description="Since the engine's start.")
    preemptions: float | None = Field(description="Requests put back for want of KV cache, since the engine's start.")
    finished: dict[str, float] | None = Field(description="Requests that ended, by the engine's reason.")
    generated_per_second: float | None
    prompt_per_second: float | None
    preempted_per_minute: float | None
    first_token_seconds: float | None = Field(description="Mean over the requests of the last seconds.")
    queue_seconds: float | None = Field(description="Mean over the requests of the last seconds.")
    memory_bytes: int | None = Field(description="Of the engine's processes, where it is our own.")


class EnginePoint(Shape):
    """Means over half a minute."""

    at: datetime
    generated_per_second: float | None = Field(validation_alias="generated")
    prompt_per_second: float | None = Field(validation_alias="prompt")
    hit_rate: float | None = Field(validation_alias="hits")
    first_token_seconds: float | None = Field(validation_alias="first_token")
    kv_used: float | None
    running: float | None
    waiting: float | None


class EngineReplica(Shape):
    name: str
    state: EngineState
    since: datetime = Field(description="Since when it is in this state.")
    detail: str
    model: str
    restarts: int
    accepting: bool = Field(description="false: it ends what it has and is replaced.")
    uptime_seconds: float | None = Field(description="null while it is not ready.")
    context_tokens: int | None = Field(description="Longest prompt and answer together.")
    arguments: list[str] = Field(description="What our own engine was started with; nothing secret.")
    figures: EngineFigures | None = Field(description="null while it is not ready, or tells no figures.")
    warnings: list[EngineWarning]
    errors: list[str] = Field(description="The last error lines of its log.")
    last_hour: list[EnginePoint]


class Engine(Shape):
    at: datetime
    warnings: list[EngineWarning] = Field(description="Of the machine as a whole.")
    replicas: list[EngineReplica]
