"""`beleg reindex`: the search index made anew from what the database holds."""

from __future__ import annotations

import time

import typer
from rich.console import Console

from app.cli.bundles import prepare_models
from app.config import Settings
from app.folders import make_folders

console = Console(highlight=False)


def reindex(
    from_files: bool = typer.Option(False, help="Read every file again too (after an update that reads files better)."),
) -> None:
    """Embed and index everything again; searches go on with the old index until the new one is complete."""
    from app.db.migrate import upgrade
    from app.db.session import Database
    from app.documents.process import ReadingProcess
    from app.documents.reindex import reindex as mark_all
    from app.documents.reindex import waiting

    settings = Settings()
    make_folders(settings)
    prepare_models(settings, console)
    database = Database(settings.database_url)
    upgrade(database)
    total = mark_all(settings, from_files=from_files)
    reading = ReadingProcess(settings)
    reading.start()
    try:
        with console.status("") as line:
            while left := waiting(database):
                line.update(f"{total - left} of {total} files indexed again")
                time.sleep(0.5)
    finally:
        reading.stop()
        database.close()
    console.print(f"{total} files are indexed.")
