"""What the learned models give and take. Plain data; no model is loaded here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Role = Literal["system", "user", "assistant"]
EngineState = Literal["off", "starting", "ready", "restarting", "failed"]


@dataclass(frozen=True)
class Message:
    """One turn of a chat prompt."""

    role: Role
    content: str


@dataclass(frozen=True)
class Usage:
    """Tokens of one engine call, as the engine counted them. `cached_tokens` is None, not 0, when unknown."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int | None


@dataclass(frozen=True)
class Chunk:
    """One streamed piece. `usage` and `finish` ("stop", "length") come with the last ones; `text` may then be empty."""

    text: str
    finish: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True)
class EngineStatus:
    """What a person may know of the engine. `since` is epoch seconds of the last change of `state`."""

    state: EngineState
    since: float
    model: str
    detail: str = ""
    restarts: int = 0


@dataclass(frozen=True)
class Replica:
    """One vLLM among those that serve the model. `base_url` ends in `/v1`; `key` may be empty.

    `log` is its log file where it is our own, `note` what its guard writes about its process, `arguments` what it is
    started with besides model, address and port. `accepting` false: it ends what it has and gets nothing new.
    """

    name: str
    base_url: str
    key: str = field(repr=False)
    status: EngineStatus
    log: Path | None = None
    note: Path | None = None
    arguments: tuple[str, ...] = ()
    accepting: bool = True


class Embedder(Protocol):
    """Text to vectors. `id` names model and weights and is stamped on the index; `languages` None means any."""

    id: str
    dim: int
    languages: frozenset[str] | None

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dim)."""
        ...

    def question(self, text: str) -> NDArray[np.float32]:
        """A unit vector, shape (dim,)."""
        ...


class Tokenizer(Protocol):
    """The served model's own tokenizer and chat template."""

    def count(self, text: str) -> int:
        """Tokens of a bare text, without special tokens."""
        ...

    def count_chat(self, messages: Sequence[Message]) -> int:
        """Tokens of a whole prompt: chat template and generation prompt included."""
        ...
