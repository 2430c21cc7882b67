"""Serves Beleg's pages and API as `beleg up` does, on an engine and models that are there already:
`python -m app.benchmarks.engine.served EMBEDDER_FOLDER [MODEL_FOLDER]`, everything else from the settings.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import uvicorn

from app import logs
from app.cli.up import serve_until_stopped
from app.config import Settings
from app.engine import RunningEngine
from app.services import Services


def main(embedder: Path, model: Path | None) -> None:
    settings = Settings()
    logs.set_up(settings)
    engine = RunningEngine(settings.engine_url, settings.engine_key, settings.model)
    services = Services(settings, engine, embedder, model)
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


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
