"""Everything a running Beleg holds open, put together in one place: settings, database, index, models, engine, answers.

`open_services` returns at once: the learned models load in a thread, so that pages are served while they do.
"""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from app.config import Settings
from app.db.migrate import upgrade
from app.db.session import Database
from app.engine import EngineHandle
from app.engine_watch import EngineWatch
from app.errors import NotReady
from models.engine.balance import BalancedClient
from models.types import Embedder, EngineStatus, Tokenizer

if TYPE_CHECKING:
    from app.questions.desk import AnswerDesk
    from ingestion.index.store import Index

MODELS_WAIT_SECONDS = 180


class LoadedModels:
    """Embedder and tokenizer, loading in a thread from the moment this is made. Asking for one waits for it."""

    def __init__(self, embedder_folder: Path, model_folder: Path | None, engine: EngineHandle) -> None:
        self._folders = (embedder_folder, model_folder)
        self._engine = engine
        self._done = threading.Event()
        self._error: BaseException | None = None
        self._embedder: Embedder | None = None
        self._tokenizer: Tokenizer | None = None
        self._counted_by = ("", "")  # model and address of the engine that counts, where it is not on this machine
        threading.Thread(target=self._load, name="load-models", daemon=True).start()

    @property
    def ready(self) -> bool:
        return self._done.is_set() and self._error is None

    @property
    def problem(self) -> str:
        """Why the models could not be loaded, empty when they could or still may."""
        return str(self._error) if self._error else ""

    @property
    def embedder(self) -> Embedder:
        self._wait()
        assert self._embedder is not None
        return self._embedder

    @property
    def tokenizer(self) -> Tokenizer:
        self._wait()
        assert self._tokenizer is not None
        return self._tokenizer

    def take_model(self, name: str, folder: Path | None) -> None:
        """Another model is served: its tokenizer takes the place of the last one. Does nothing where it is the same."""
        if folder is not None:
            self._folders = (self._folders[0], folder)
            if self._done.is_set():
                self._tokenizer = self._load_tokenizer()
        elif self._counts_elsewhere() and (name, self._engine.base_url) != self._counted_by:
            self._tokenizer = self._load_tokenizer()

    def _counts_elsewhere(self) -> bool:
        return self._folders[1] is None and self._done.is_set()

    def _wait(self) -> None:
        if not self._done.wait(MODELS_WAIT_SECONDS):
            raise NotReady("The language models are still being loaded.", "Try again in a minute.")
        if self._error is not None:
            raise NotReady(
                "The language models could not be loaded.", "Run `beleg doctor` on the server."
            ) from self._error

    def _load(self) -> None:
        try:
            self._tokenizer = self._load_tokenizer()
            self._embedder = self._load_embedder()
        except BaseException as error:  # kept, and told to whoever waits
            self._error = error
        finally:
            self._done.set()

    def _load_tokenizer(self) -> Tokenizer:
        from models.tokens import EngineTokenizer, load_tokenizer

        model_folder = self._folders[1]
        if model_folder is not None:
            return load_tokenizer(model_folder)
        self._counted_by = (self._engine.model, self._engine.base_url)
        return EngineTokenizer(self._engine.base_url, self._engine.model, self._engine.key)

    def _load_embedder(self) -> Embedder:
        from ingestion.language import guess
        from models.embedder import load_embedder

        embedder = load_embedder(self._folders[0], threads=1)
        embedder.question("ready?")  # the first call is slow: let nobody wait for it
        guess("ready?")
        return embedder


class Services:
    """What the application functions need. `engine_handle` says where the engine is and how it is."""

    def __init__(
        self,
        settings: Settings,
        engine_handle: EngineHandle,
        embedder_folder: Path,
        model_folder: Path | None,
    ) -> None:
        self.settings = settings
        self.engine_handle = engine_handle
        self.database = Database(settings.database_url)
        upgrade(self.database)
        self.engine = BalancedClient(engine_handle.replicas)
        self.models = LoadedModels(embedder_folder, model_folder, engine_handle)
        engine_handle.on_model = self.models.take_model
        self.engine_watch = EngineWatch(engine_handle.replicas)
        self.engine_watch.start()

    @cached_property
    def index(self) -> Index:
        """The search index; waits for the embedder, whose name is stamped on it."""
        from ingestion.index.store import Index

        embedder = self.models.embedder
        return Index(self.settings.index_dir, embedder.id, embedder.dim, embedder.languages)

    @cached_property
    def desk(self) -> AnswerDesk:
        from app.questions.desk import AnswerDesk

        return AnswerDesk(self)

    def engine_status(self) -> EngineStatus:
        return self.engine_handle.status()

    async def close(self) -> None:
        """Ends what is being answered and lets go of everything but the engine, which its starter stops."""
        self.engine_watch.stop()
        if "desk" in self.__dict__:
            await self.desk.close()
        await self.engine.close()
        self.database.close()
