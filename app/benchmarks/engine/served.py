"""Serves Beleg's pages and API as `beleg up` does, on an engine and models that are there already, with a few documents
to answer from: `python -m app.benchmarks.engine.served EMBEDDER_FOLDER [MODEL_FOLDER]`, everything else from the
settings. Who may ask, and where, is left in `run/bench.json`.
"""

from __future__ import annotations

import importlib
import io
import json
import sys
import threading
import time
from pathlib import Path

import uvicorn

from app import logs
from app.accounts.first import local_viewer
from app.accounts.keys import create_key
from app.accounts.types import Viewer
from app.benchmarks.engine.parent import end_with_parent
from app.benchmarks.engine.prompts import documents
from app.cli.up import serve_until_stopped
from app.collections.edit import create
from app.config import Settings
from app.documents.accept import accept
from app.documents.indexing import Indexer
from app.documents.read import counts
from app.documents.reading import Reader
from app.documents.signals import Signals
from app.engine import RunningEngine
from app.errors import NotReady
from app.folders import make_folders
from app.services import Services
from ingestion.index.store import IndexWriter

READ_SECONDS = 600.0
NOTE = "bench.json"


def main(embedder: Path, model: Path | None) -> None:
    settings = Settings()
    make_folders(settings)
    logs.set_up(settings)
    engine = RunningEngine(settings.engine_url, settings.engine_key, settings.model)
    services = Services(settings, engine, embedder, model)
    _fill(services)
    pages = importlib.import_module("web.main").create_app(services)  # by name: app must not import web
    config = uvicorn.Config(
        pages,
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    serve_until_stopped(config, services)


def _fill(services: Services) -> None:
    """Reads the documents in threads of this process: it has loaded the embedder already."""
    with services.database.session() as db:
        viewer = local_viewer(db)
        collection = create(db, viewer, "measured").id
        key = create_key(db, viewer, "bench")[1]
    for name, text in documents().items():
        accept(services, viewer, collection, name, io.BytesIO(text.encode()))
    _read(services, viewer, collection)
    (services.settings.run_dir / NOTE).write_text(json.dumps({"key": key, "collection": collection}))


def _read(services: Services, viewer: Viewer, collection: str) -> None:
    settings, signals = services.settings, Signals()
    embedder = services.models.embedder
    writer = IndexWriter(settings.index_dir, embedder.id, embedder.dim)
    reader = Reader(settings, services.database, lambda: services.models.tokenizer, signals)
    indexer = Indexer(settings, services.database, writer, embedder, signals)
    threads = [threading.Thread(target=target, daemon=True) for target in (reader.run, indexer.run)]
    for thread in threads:
        thread.start()
    try:
        _until_read(services, viewer, collection)
    finally:
        signals.stop()
        for thread in threads:
            thread.join(30)
        writer.close()


def _until_read(services: Services, viewer: Viewer, collection: str) -> None:
    end = time.monotonic() + READ_SECONDS
    while True:
        with services.database.session() as db:
            states = counts(db, viewer, collection)
        if not states.received + states.reading:
            return
        if time.monotonic() > end:
            raise NotReady("The documents were not read in time.", "Try again when the machine has less to do.")
        time.sleep(0.05)


if __name__ == "__main__":
    end_with_parent()
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
