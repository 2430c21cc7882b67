"""`beleg up`: models fetched, engine and reading process started, pages served; one link signs the administrator in.

In order: folders and lock, model bundles, database and first administrator, engine, reading process, pages. Everything
that was started is stopped again when this ends, however it ends.
"""

from __future__ import annotations

import fcntl
import importlib
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer
import uvicorn
from rich.console import Console

from app import logs
from app.accounts.first import FirstAdministrator, first_administrator
from app.cli.bundles import ModelFolders, prepare_models
from app.cli.timings import FirstRun
from app.config import ROOT, Settings
from app.db.migrate import upgrade
from app.db.session import Database
from app.documents.process import ReadingProcess
from app.engine import EngineHandle, OwnEngine, RunningEngine
from app.errors import Conflict, Invalid, OutOfSpace
from app.samples import add_samples_once
from app.services import Services
from models.types import EngineStatus

console = Console(highlight=False)


def up(
    samples: bool = typer.Option(True, help="On the first start, read the sample documents that come with Beleg."),
) -> None:
    """Start Beleg: the pages, the reading process and (unless BELEG_ENGINE_URL is set) the engine."""
    settings = Settings()
    make_folders(settings)
    with only_one(settings.run_dir / "up.lock"):
        check_port(settings.host, settings.port)
        logs.set_up(settings)
        first_run = FirstRun(settings.run_dir / "first-run.json")
        folders = prepare_models(settings, console, first_run)
        administrator = _set_up_database(settings)
        if samples:
            add_samples_once(settings, administrator.viewer, ROOT / "samples")
        _serve(settings, folders, administrator, first_run)


def make_folders(settings: Settings) -> None:
    """The data folder and those below it, for our eyes only; a full or forbidden disk is said plainly."""
    try:
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (
            settings.blobs_dir,
            settings.index_dir,
            settings.pictures_dir,
            settings.logs_dir,
            settings.run_dir,
        ):
            folder.mkdir(exist_ok=True)
        (settings.run_dir / "writable").write_text("")
    except PermissionError as error:
        raise Invalid(
            "Beleg may not write to %(folder)s.", "Give its user that right, or set BELEG_DATA_DIR to another folder.",
            folder=str(settings.data_dir),
        ) from error  # fmt: skip
    except OSError as error:
        raise OutOfSpace(
            "%(folder)s cannot be written to: %(reason)s.", "Free some disk, or set BELEG_DATA_DIR to another folder.",
            folder=str(settings.data_dir), reason=error.strerror or str(error),
        ) from error  # fmt: skip


@contextmanager
def only_one(lock: Path) -> Iterator[None]:
    """Holds a lock on the data folder; the system lets go of it when the process ends in any way."""
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Conflict(
                "Beleg already runs on this data folder.",
                "Open its page, or stop it first (Ctrl-C where it was started). Another data folder: set BELEG_DATA_DIR.",
            ) from None
        yield


def check_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Conflict(
                "Port %(port)d on %(host)s cannot be used: %(reason)s.",
                "Stop what uses it, or choose another: BELEG_PORT=8400 make run",
                port=port, host=host, reason=error.strerror or str(error),
            ) from error  # fmt: skip


def _set_up_database(settings: Settings) -> FirstAdministrator:
    database = Database(settings.database_url)
    upgrade(database)
    with database.session() as db:
        administrator = first_administrator(db)
    database.close()
    return administrator


@dataclass(frozen=True)
class _Started:
    engine: EngineHandle
    reading: ReadingProcess


def _serve(settings: Settings, folders: ModelFolders, administrator: FirstAdministrator, first_run: FirstRun) -> None:
    with _started(settings, folders) as started:
        services = Services(settings, started.engine, folders.embedder, folders.model)
        pages = importlib.import_module("web.main").create_app(services)  # by name: app must not import web
        config = uvicorn.Config(
            pages, host=settings.host, port=settings.port, log_config=None, access_log=False, server_header=False,
            timeout_graceful_shutdown=5, timeout_keep_alive=30, h11_max_incomplete_event_size=64 * 1024,
        )  # fmt: skip
        server = _Server(config, lambda: _welcome(settings, administrator, started.engine, first_run))
        server.run()


@contextmanager
def _started(settings: Settings, folders: ModelFolders) -> Iterator[_Started]:
    engine: EngineHandle
    if settings.engine_url:
        engine = RunningEngine(settings.engine_url, settings.engine_key, settings.model)
    else:
        engine = OwnEngine(settings, folders.model)
    try:
        reading = ReadingProcess(settings)
        reading.start()
        try:
            yield _Started(engine, reading)
        finally:
            reading.stop()
    finally:
        engine.stop()


class _Server(uvicorn.Server):
    """Uvicorn, telling us when the pages can be opened."""

    def __init__(self, config: uvicorn.Config, on_open: object) -> None:
        super().__init__(config)
        self._on_open = on_open

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_open()  # type: ignore[operator]


def _welcome(settings: Settings, administrator: FirstAdministrator, engine: EngineHandle, first_run: FirstRun) -> None:
    first_run.mark("pages open")
    console.print()
    if administrator.link:
        console.print("Beleg is open. This link signs the administrator in, once, within 24 hours:")
        console.print(f"\n    [bold]{settings.url}/welcome/{administrator.link}[/]\n", soft_wrap=True)
    else:
        console.print(f"Beleg is open: [bold]{settings.url}[/]   (sign in as {administrator.viewer.name})\n")
    console.print("The engine is starting; documents can be uploaded meanwhile. Stop with Ctrl-C.")
    _tell_when_ready(engine, first_run)


def _tell_when_ready(engine: EngineHandle, first_run: FirstRun) -> None:
    """Prints each change of the engine's state from a thread, with the seconds since the start."""
    import threading

    def watch() -> None:
        begun, last = time.monotonic(), ""
        while True:
            status = engine.status()
            if status.state != last and not (last == "" and status.state == "starting"):
                _tell(status, time.monotonic() - begun)
                if status.state == "ready":
                    first_run.mark("engine ready")
            last = status.state
            time.sleep(0.5)

    threading.Thread(target=watch, name="engine-news", daemon=True).start()


def _tell(status: EngineStatus, seconds: float) -> None:
    words = {
        "ready": "[green]The engine is ready[/]", "failed": "[red]The engine failed[/]",
        "restarting": "[yellow]The engine stopped and is being started again[/]", "starting": "The engine is starting",
        "off": "The engine is off",
    }  # fmt: skip
    console.print(f"{words[status.state]} after {seconds:.0f} s." + (f" {status.detail}" if status.detail else ""))
