"""A whole Beleg for tests of the pages and the API: real database, parsers, index, reading and desk. Only the learned
models are replaced, by a bag-of-words embedder, a word-counting tokenizer and an engine that quotes its passages."""

from __future__ import annotations

import asyncio
import re
import threading
import time
import zlib
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import uvicorn
from numpy.typing import NDArray

from app.accounts.keys import create_key
from app.accounts.sessions import make_link
from app.accounts.types import Viewer
from app.accounts.users import create_user
from app.collections.edit import create
from app.config import Settings
from app.db.migrate import upgrade
from app.db.session import Database
from app.documents.indexing import Indexer
from app.documents.reading import Reader
from app.documents.signals import Signals
from app.engine_watch import EngineWatch
from app.questions.desk import AnswerDesk
from ingestion.index.store import Index, IndexWriter
from models.types import Chunk, EngineState, EngineStatus, Message, Replica, Usage
from web.main import create_app

DIM = 64
PASSWORD = "correct horse battery"


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
class Models:
    embedder: WordsEmbedder = field(default_factory=WordsEmbedder)
    tokenizer: WordsTokenizer = field(default_factory=WordsTokenizer)
    ready: bool = True
    problem: str = ""


def quote_passages(messages: Sequence[Message]) -> str:
    """An answer that quotes the first sentence of the two passages that matter most."""
    asked = messages[-1].content if messages[-1].role == "user" else messages[-2].content
    texts = {
        id: " ".join(text.split())
        for id, text in re.findall(r"\[(D\d+\.\d+)\][^\n]*\n(.*?)(?=\n\n\[D|\n</passages>)", asked, re.DOTALL)
    }
    hint = re.findall(r"\[(D\d+\.\d+)\]", asked.split("Most relevant passages first:")[-1])
    chosen = [id for id in hint if id in texts][:2]
    if not chosen:
        return "NOT IN THE DOCUMENTS"
    return " ".join(f"{_sentence(texts[id])} [{id}]." for id in chosen)


def _sentence(text: str) -> str:
    return re.split(r"(?<=\w\w)[.!?](?=\s|$)", text)[0][:200].rstrip(" .")


@dataclass
class Engine:
    """Writes what `script` says, a piece at a time. `hold_after` pieces it waits until `go_on`."""

    script: Callable[[Sequence[Message]], str] = quote_passages
    model: str = "test-model"
    running: int = 0
    delay: float = 0.0
    hold_after: int | None = None
    error: Exception | None = None
    breaks_after: int | None = None
    released: threading.Event = field(default_factory=threading.Event)

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
        if self.error:
            raise self.error
        text = self.script(messages)
        if continue_last:
            text = text[len(messages[-1].content) :]
        pieces = re.findall(r"\s*\S+|\s+", text)[:max_tokens]
        self.running += 1
        try:
            for place, piece in enumerate(pieces):
                while place == self.hold_after and not self.released.is_set():  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
                if place == self.breaks_after:
                    from models.engine.client import EngineBroke

                    raise EngineBroke("The engine stopped in the middle of the answer.")
                await asyncio.sleep(self.delay)
                yield Chunk(piece)
            yield Chunk("", "stop")
            yield Chunk("", None, Usage(2140, len(pieces), 1828))
        finally:
            self.running -= 1

    def hold(self, after: int) -> None:
        self.hold_after = after
        self.released.clear()

    def go_on(self) -> None:
        self.released.set()

    async def model_length(self) -> int:
        return 8192

    async def close(self) -> None:
        pass


@dataclass
class Handle:
    """Says which replicas there are; a test may name others. The one there is at first tells no figures."""

    services: Services
    named: tuple[Replica, ...] | None = None

    def replicas(self) -> tuple[Replica, ...]:
        if self.named is not None:
            return self.named
        return (Replica("engine", "http://127.0.0.1:9/v1", "", self.services.engine_status()),)


class Services:
    """Stands where `app.services.Services` does, with the same parts."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database = Database(settings.database_url)
        upgrade(self.database)
        self.models = Models()
        self.engine = Engine()
        self.state: EngineState = "ready"
        self.since = time.time()
        self.watch_anew()

    @cached_property
    def index(self) -> Index:
        return Index(self.settings.index_dir, "words", DIM)

    @cached_property
    def desk(self) -> AnswerDesk:
        return AnswerDesk(self)  # type: ignore[arg-type]

    def watch_anew(self) -> None:
        """One replica that tells no figures, and nothing seen of it."""
        self.engine_handle = Handle(self)
        self.engine_watch = EngineWatch(self.engine_handle.replicas)

    def engine_status(self) -> EngineStatus:
        return EngineStatus(self.state, self.since, self.engine.model)

    async def close(self) -> None:
        if "desk" in self.__dict__:
            await self.desk.close()


@dataclass(frozen=True)
class Person:
    """Somebody with a password and an API key."""

    viewer: Viewer
    key: str

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}"}


class World:
    """Services with three people: Ada (administrator), Bob and Eve."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.engine = services.engine
        self.ada = self._person("Ada", is_admin=True)
        self.bob = self._person("Bob")
        self.eve = self._person("Eve")

    def _person(self, name: str, *, is_admin: bool = False) -> Person:
        with self.services.database.session() as db:
            user = create_user(db, name, PASSWORD, is_admin)
            viewer = Viewer(user.id, user.name, user.is_admin)
            return Person(viewer, create_key(db, viewer, "tests")[1])

    def newcomer(self, name: str) -> str:
        """Somebody without a password; the secret of their link."""
        with self.services.database.session() as db:
            return make_link(db, create_user(db, name, None, False).id)

    def collection(self, owner: Person, name: str) -> str:
        with self.services.database.session() as db:
            return create(db, owner.viewer, name).id

    def upload(self, owner: Person, collection_id: str, name: str, content: bytes, *, wait: bool = True) -> str:
        """A document; with `wait` it has been read when this returns."""
        import io

        from app.documents.accept import accept

        view = accept(self.services, owner.viewer, collection_id, name, io.BytesIO(content))
        if wait:
            self.wait_until_read(owner, view.id)
        return view.id

    def wait_until_read(self, owner: Person, document_id: str) -> None:
        from app.documents.read import get_document

        deadline = time.monotonic() + 240
        while time.monotonic() < deadline:
            with self.services.database.session() as db:
                if get_document(db, owner.viewer, document_id).state in ("ready", "refused"):
                    return
            time.sleep(0.05)
        raise AssertionError("the document was not read in time")


@contextmanager
def open_world(folder: Path, **settings: object) -> Iterator[World]:
    """A world with its reading threads, closed at the end."""
    services = Services(Settings(_env_file=None, data_dir=folder / "data", **settings))  # type: ignore[arg-type]
    with _reading(services):
        yield World(services)
    services.database.close()


@contextmanager
def _reading(services: Services) -> Iterator[None]:
    signals = Signals()
    writer = IndexWriter(services.settings.index_dir, "words", DIM)
    reader = Reader(services.settings, services.database, lambda: services.models.tokenizer, signals)
    indexer = Indexer(services.settings, services.database, writer, services.models.embedder, signals)
    threads = [threading.Thread(target=target, daemon=True) for target in (reader.run, indexer.run)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        signals.stop()
        for thread in threads:
            thread.join(10)
        writer.close()


@contextmanager
def serve(services: object, port: int = 0) -> Iterator[str]:
    """A real server for the services; its address."""
    config = uvicorn.Config(
        create_app(services),  # type: ignore[arg-type]
        port=port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=3,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        assert time.monotonic() < deadline, "the server did not start in time"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(15)
