"""The reading process: `python -m app.documents.worker`. Reads, cuts, embeds and indexes what is queued.

One per data folder, at low priority, ending when its parent does. Its job list is the database, so it may be
killed at any moment: the next one goes on where it was.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import psutil
import structlog

from app import logs
from app.config import Settings
from app.db.migrate import upgrade
from app.db.session import Database
from app.documents import blobs, jobs
from app.documents.indexing import Indexer
from app.documents.reading import Reader
from app.documents.signals import Signals
from app.engine import RunningEngine
from ingestion.index.store import IndexWriter, OtherAnalyser, OtherEmbedder
from models.bundles import Silent, prepare
from models.types import Embedder, Tokenizer

log = structlog.get_logger()

DONE, FAILED, ANOTHER_RUNS = 0, 1, 3
NICENESS = 5
PARENT = "BELEG_PARENT"  # process id of whoever started us; without it, our parent at the start
LOOK_SECONDS = 0.2
GRACE_SECONDS = 3.0
SMALL_FILE = 4 * blobs.MIB


def run(settings: Settings) -> int:
    """Work until told to stop (SIGTERM, SIGINT, or the parent dies). The exit code: 0, 1 (cannot work; the log says
    why) or 3 (another one works on this data folder)."""
    signals = Signals()
    _end_when_told(signals)
    _yield_to_others()
    with only_one(settings) as alone:
        if not alone:
            return ANOTHER_RUNS
        database = Database(settings.database_url)
        try:
            upgrade(database)
            _work(settings, database, signals)
        except Exception:
            log.exception("the reading process cannot work")
            return FAILED
        finally:
            signals.stop()
            _end_children()
            database.close()
    return DONE


def _work(settings: Settings, database: Database, signals: Signals) -> None:
    with database.session() as db:
        again = jobs.recover(db)
    swept = blobs.sweep(database, settings)
    log.info("reading process started", again=again, swept=swept)
    signals.at_last(lambda: _let_go(database))
    tokenizer = lru_cache(maxsize=1)(lambda: _load_tokenizer(settings))
    for largest in _largest_files():
        reader = Reader(settings, database, tokenizer, signals, largest=largest)
        threading.Thread(target=reader.run, name="reader", daemon=True).start()
    embedder = _load_embedder(settings)
    writer, rebuild = _open_index(settings, embedder)
    with closing(writer):
        for problem in writer.problems:
            log.warning("index problem", code=problem.code, problem=problem.text)
        indexer = Indexer(settings, database, writer, embedder, signals, rebuild=rebuild)
        signals.at_last(indexer.not_counted)
        indexer.reconcile()
        log.info("ready to index")
        indexer.run()
    _let_go(database)


def _largest_files() -> list[int | None]:
    """One for each reader; None takes all. With more than two cores two may be busy with large files."""
    return [None, SMALL_FILE] if (os.cpu_count() or 1) <= 2 else [None, None, SMALL_FILE]


def _let_go(database: Database) -> None:
    with database.session() as db:
        jobs.let_go(db)


def _load_tokenizer(settings: Settings) -> Tokenizer:
    """The served model's: from its folder, else as the engine elsewhere counts."""
    from models.tokens import EngineTokenizer, load_tokenizer

    if not settings.engine_url:
        return load_tokenizer(prepare(settings.model, settings.models_dir, Silent()))
    engine = RunningEngine(settings.engine_url, settings.engine_key, settings.model)
    tokenizer = EngineTokenizer(engine.base_url, engine.model, engine.key)
    engine.on_model = lambda name, _folder: setattr(tokenizer, "model", name)  # it may serve it under another name
    return tokenizer


def _load_embedder(settings: Settings) -> Embedder:
    from models.embedder import load_embedder

    folder = prepare(settings.embedder, settings.models_dir, Silent())
    embedder = load_embedder(folder, threads=os.cpu_count() or 1)
    embedder.passages(["ready?"])  # the first call is slow
    return embedder


def _open_index(settings: Settings, embedder: Embedder) -> tuple[IndexWriter, bool]:
    """The writer, and whether it fills a new index beside one that another embedder or version made."""
    try:
        return IndexWriter(settings.index_dir, embedder.id, embedder.dim), False
    except (OtherEmbedder, OtherAnalyser) as error:
        log.warning("index has to be rebuilt", reason=error.message)
        return IndexWriter(settings.index_dir, embedder.id, embedder.dim, fresh=True), True


def _end_when_told(signals: Signals) -> None:
    """Stop at SIGTERM, SIGINT or when whoever started us is gone; at once if it takes more than a moment. A thread
    looks for that, because the others may be deep in a library for long."""
    parent = int(os.environ.get(PARENT, "0")) or os.getppid()
    told = _pipe_of_signals(signals)

    def watch() -> None:
        while os.getppid() == parent and not select.select([told], [], [], LOOK_SECONDS)[0]:
            pass
        signals.stop()
        time.sleep(GRACE_SECONDS)
        signals.last_words()
        _end_children()
        os._exit(DONE)

    threading.Thread(target=watch, name="watch-for-the-end", daemon=True).start()


def _pipe_of_signals(signals: Signals) -> int:
    """A file descriptor that can be read from the moment a signal comes, whatever the main thread is doing."""
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: signals.stop())
    return told


def _yield_to_others() -> None:
    """Reading slows down, not answering. With autogrouping, niceness counts within a session only: have our own."""
    with suppress(OSError):
        os.setsid()
        Path("/proc/self/autogroup").write_text(str(NICENESS))
    with suppress(OSError):
        os.nice(NICENESS)


def _end_children() -> None:
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            child.kill()


@contextmanager
def only_one(settings: Settings) -> Iterator[bool]:
    """Whether this is the only reading process on the data folder; the system frees the lock however we end."""
    settings.run_dir.mkdir(parents=True, exist_ok=True)
    with (settings.run_dir / "worker.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def main() -> int:
    settings = Settings()
    logs.set_up(settings, "worker")
    return run(settings)


if __name__ == "__main__":
    raise SystemExit(main())
