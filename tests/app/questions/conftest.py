"""A small world for questions: real database, real index, real access rules; the learned models are replaced at the
seam by a bag-of-words embedder, a word-counting tokenizer and a scripted engine."""

from __future__ import annotations

import asyncio
import re
import time
import zlib
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.accounts.types import Viewer
from app.accounts.users import create_user
from app.collections.edit import create
from app.config import Settings
from app.db import tables
from app.db.migrate import upgrade
from app.db.session import Database
from app.questions.desk import AnswerDesk
from ingestion.index.store import Index, IndexEntry, IndexWriter
from ingestion.language import guess
from ingestion.types import Mark, Passage
from models.types import Chunk, EngineState, EngineStatus, Message, Usage

DIM = 64


class WordsEmbedder:
    """Texts with the same words have the same vector."""

    id = "words"
    dim = DIM
    languages = None

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.question(text) for text in texts])

    def question(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(DIM, np.float32)
        for word in re.findall(r"\w+", text.casefold()):
            vector[zlib.crc32(word.encode()) % DIM] += 1
        norm = float(np.linalg.norm(vector))
        return vector / norm if norm else np.eye(1, DIM, dtype=np.float32)[0]


class WordsTokenizer:
    """A token is a word or a sign; a message costs four more."""

    def count(self, text: str) -> int:
        return len(re.findall(r"\w+|[^\w\s]", text))

    def count_chat(self, messages: Sequence[Message]) -> int:
        return sum(self.count(message.content) + 4 for message in messages) + 3


@dataclass
class ScriptedEngine:
    """Writes what `script` says to the messages, a word at a time. `gate` holds it after so many words; `calls` are the
    prompts it got; `running` counts open streams."""

    script: Callable[[Sequence[Message]], str] = lambda messages: "NOT IN THE DOCUMENTS"
    model: str = "scripted"
    length: int = 8192
    calls: list[tuple[list[Message], bool, int]] = field(default_factory=list)
    running: int = 0
    delay: float = 0.0
    hold_after: int | None = None
    breaks_after: int | None = None
    error: Exception | None = None
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        continue_last: bool = False,
        cache_salt: str | None = None,
        near: str = "",
    ) -> AsyncGenerator[Chunk, None]:
        self.calls.append((list(messages), continue_last, max_tokens))
        if self.error is not None:
            raise self.error
        text = self.script(messages)
        if continue_last:
            begun = messages[-1].content
            assert text.startswith(begun), (text, begun)
            text = text[len(begun) :]
        words = re.findall(r"\s*\S+|\s+", text)[:max_tokens]
        self.running += 1
        try:
            for place, word in enumerate(words):
                if place == self.hold_after:
                    await self.gate.wait()
                if place == self.breaks_after:
                    from models.engine.client import EngineBroke

                    raise EngineBroke("The engine stopped in the middle of the answer.")
                if self.delay:
                    await asyncio.sleep(self.delay)
                yield Chunk(word)
            yield Chunk("", "stop" if len(words) < max_tokens else "length")
            yield Chunk("", None, Usage(100, len(words), 32))
        finally:
            self.running -= 1

    async def model_length(self) -> int:
        return self.length


@dataclass
class FakeModels:
    embedder: WordsEmbedder = field(default_factory=WordsEmbedder)
    tokenizer: WordsTokenizer = field(default_factory=WordsTokenizer)


@dataclass
class World:
    """Services for the desk, with two people: Ada owns `collection`, Bob owns nothing."""

    settings: Settings
    database: Database
    index: Index
    models: FakeModels
    engine: ScriptedEngine
    ada: Viewer
    bob: Viewer
    collection: str
    state: EngineState = "ready"
    written: int = 0

    def engine_status(self) -> EngineStatus:
        return EngineStatus(self.state, time.time(), "scripted")

    def add_document(
        self, name: str, texts: Sequence[str], *, pages: bool = True, state: str = "ready", collection: str = ""
    ) -> int:
        """A document that has been read and indexed; its passages are `texts`, one a page. Returns the content id."""
        passages = [_passage(ordinal, text) for ordinal, text in enumerate(texts)]
        self.written += 1
        with self.database.session() as db:
            content = tables.Content(
                sha256=f"{self.written:064}", size=1, format="pdf", state=state, has_pages=pages, generation=1
            )
            db.add(content)
            db.flush()
            db.add(
                tables.Document(
                    collection_id=collection or self.collection, content_id=content.id, name=name, folder=""
                )
            )
            for passage in passages:
                marks = [[m.start, m.end, m.page, None] for m in passage.marks]
                db.add(
                    tables.Passage(
                        content_id=content.id,
                        ordinal=passage.ordinal,
                        text=passage.text,
                        headings=list(passage.headings),
                        marks=marks,
                        tokens=passage.tokens,
                    )
                )
            content_id = content.id
        if state == "ready" and passages:
            writer = IndexWriter(self.settings.index_dir, self.models.embedder.id, DIM)
            vectors = self.models.embedder.passages([p.text for p in passages])
            writer.add([IndexEntry(content_id, "en", passages, vectors)])
            writer.commit()
            writer.close()
            self.index.refresh()
        return content_id


def _passage(ordinal: int, text: str) -> Passage:
    marks = []
    at = 0
    for line in text.split("\n"):
        marks.append(Mark(at, at + len(line), ordinal + 1, None))
        at += len(line) + 1
    return Passage(ordinal, text, ("Rules",), tuple(marks), len(text) // 4)


@pytest.fixture(scope="session", autouse=True)
def languages() -> None:
    """Loaded at the start, as the product does: it takes a moment, and tests wait for things to happen."""
    guess("ready?")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    settings = Settings(data_dir=tmp_path, _env_file=None)  # type: ignore[call-arg]
    database = Database(settings.database_url)
    upgrade(database)
    with database.session() as db:
        ada, bob = (create_user(db, name, None) for name in ("Ada", "Bob"))
        viewers = [Viewer(user.id, user.name, False) for user in (ada, bob)]
        collection = create(db, viewers[0], "Personnel").id
    index = Index(settings.index_dir, "words", DIM)
    yield World(settings, database, index, FakeModels(), ScriptedEngine(), viewers[0], viewers[1], collection)
    database.close()


@pytest.fixture
def desk_of(world: World) -> Callable[[], AnswerDesk]:
    """Makes a desk in the running loop; the test closes it."""
    return lambda: AnswerDesk(world)
