"""`beleg up`: models fetched, engine and reading process started, pages served; one link signs the administrator in.

In order: folders and lock, model bundles, database and first administrator, engine, reading process, pages. Everything
that was started is stopped again when this ends, however it ends.
"""

from __future__ import annotations

import gc
import importlib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from app.cli.bundles import ModelFolders, prepare_models
from app.cli.timings import FirstRun
from app.config import ROOT, Settings
from app.engine import EngineHandle, OwnEngine, find_running, with_profile
from app.errors import BelegError, Conflict
from app.folders import make_folders, only_one
from models.types import EngineStatus

if TYPE_CHECKING:  # the rest is imported where it is used: `beleg --help` and `beleg inspect` need none of it
    import uvicorn

    from app.accounts.first import FirstAdministrator
    from app.services import LoadedModels, Services

console = Console(highlight=False)


def up(
    samples: bool = typer.Option(True, help="On the first start, read the sample documents that come with Beleg."),
) -> None:
    """Start Beleg: the pages, the reading process and (unless BELEG_ENGINE_URL is set) the engine."""
    from app import logs
    from app.samples import add_samples_once

    settings = with_profile(Settings())
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
    from app.accounts.first import first_administrator
    from app.db.migrate import upgrade
    from app.db.session import Database

    database = Database(settings.database_url)
    upgrade(database)
    with database.session() as db:
        administrator = first_administrator(db)
    database.close()
    return administrator


def _serve(settings: Settings, folders: ModelFolders, administrator: FirstAdministrator, first_run: FirstRun) -> None:
    import uvicorn

    from app.services import Services

    with _started(settings, folders) as engine:
        services = Services(settings, engine, folders.embedder, folders.model)
        pages = importlib.import_module("web.main").create_app(services)  # by name: app must not import web
        threading.Thread(
            target=_when_open, args=(settings, administrator, engine, first_run), name="welcome", daemon=True
        ).start()
        config = uvicorn.Config(
            pages,
            host=settings.host,
            port=settings.port,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=5,
            timeout_keep_alive=30,
            h11_max_incomplete_event_size=64 * 1024,
        )
        serve_until_stopped(config, services)


def serve_until_stopped(config: uvicorn.Config, services: Services) -> None:
    """Runs uvicorn; when it is told to stop, answers are paused first, so that their streams do not hold it up."""
    import uvicorn

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await services.desk.close()
            await super().shutdown(sockets)

    threading.Thread(target=settle, args=(services.models,), name="settle", daemon=True).start()
    Server(config).run()


def settle(models: LoadedModels) -> None:
    """Waits for the models and takes all that was loaded until then out of the garbage collector's sight: it stays for
    good, and looking through it takes most of a second in which nobody gets a token (decision 0045)."""
    with suppress(BelegError):  # whoever asks will be told
        _ = models.embedder
    gc.collect()
    gc.freeze()


@contextmanager
def _started(settings: Settings, folders: ModelFolders) -> Iterator[EngineHandle]:
    """The engine and the reading process, both stopped at the end of the block."""
    from app.documents.process import ReadingProcess

    engine: EngineHandle = find_running(settings) or OwnEngine(settings, folders.model)
    try:
        reading = ReadingProcess(settings)
        reading.start()
        try:
            yield engine
        finally:
            reading.stop()
    finally:
        engine.stop()


def _when_open(
    settings: Settings, administrator: FirstAdministrator, engine: EngineHandle, first_run: FirstRun
) -> None:
    """Waits until the pages answer, welcomes, then tells each change of the engine's state."""
    while not _answers(settings.host, settings.port):
        time.sleep(0.1)
    first_run.mark("pages open")
    _welcome(settings, administrator)
    _tell_engine_news(engine, first_run)


def _answers(host: str, port: int) -> bool:
    address = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  compared, not bound
    try:
        with socket.create_connection((address, port), timeout=1):
            return True
    except OSError:
        return False


def _welcome(settings: Settings, administrator: FirstAdministrator) -> None:
    console.print()
    if administrator.link:
        console.print("Beleg is open. This link signs the administrator in, once:")
        console.print(f"\n    [bold]{settings.url}/welcome/{administrator.link}[/]\n", soft_wrap=True)
    else:
        console.print(f"Beleg is open: [bold]{settings.url}[/]   (sign in as {administrator.viewer.name})\n")
    console.print("Documents can be uploaded while the engine starts. Stop with Ctrl-C.")


def _tell_engine_news(engine: EngineHandle, first_run: FirstRun) -> None:
    begun, told = time.monotonic(), ""
    while True:
        status = engine.status()
        if status.state != told:
            _tell(status, time.monotonic() - begun)
            if status.state == "ready":
                first_run.mark("engine ready")
        told = status.state
        time.sleep(0.5)


def _tell(status: EngineStatus, seconds: float) -> None:
    words = {
        "ready": "[green]The engine is ready[/]", "failed": "[red]The engine failed[/]",
        "restarting": "[yellow]The engine stopped and is being started again[/]", "starting": "The engine is starting",
        "off": "The engine is off",
    }  # fmt: skip
    console.print(f"{words[status.state]} after {seconds:.0f} s." + (f" {status.detail}" if status.detail else ""))
