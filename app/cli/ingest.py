"""`beleg ingest`: files and folders into a collection, read to the end, with a line for each."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from app.cli.bundles import prepare_models
from app.config import Settings
from app.errors import BelegError, NotFound
from app.folders import make_folders

if TYPE_CHECKING:
    from app.accounts.types import Viewer
    from app.db.session import Database
    from app.documents.types import DocumentView

console = Console(highlight=False)


@dataclass(frozen=True)
class _Stores:
    settings: Settings
    database: Database


def ingest(
    paths: list[Path] = typer.Argument(help="Files and folders; folders are read with all that is in them."),
    collection: str = typer.Option(..., "--collection", "-c", help="Name or id; a new name makes a new collection."),
    person: str = typer.Option("", "--as", help="Act as this person; without it, as the first administrator."),
) -> None:
    """Read files into a collection and wait until each is ready or refused."""
    from app.db.migrate import upgrade
    from app.db.session import Database
    from app.documents.process import ReadingProcess

    settings = Settings()
    make_folders(settings)
    files = list(find_files(paths))
    prepare_models(settings, console)
    database = Database(settings.database_url)
    upgrade(database)
    stores = _Stores(settings, database)
    viewer, collection_id = _who_and_where(database, person, collection)
    accepted, refused = _accept_all(stores, viewer, collection_id, files)
    reading = ReadingProcess(settings)
    reading.start()
    try:
        refused += _wait(database, viewer, accepted)
    finally:
        reading.stop()
        database.close()
    console.print(f"{len(files) - refused} of {len(files)} files are ready in {escape(collection)}.")
    raise typer.Exit(1 if refused else 0)


def find_files(paths: Iterable[Path]) -> Iterable[tuple[Path, str]]:
    """Each file with the folder it stands in, relative to the folder that was named. Hidden files are left out."""
    for path in paths:
        if path.is_file():
            yield path, ""
        elif path.is_dir():
            for file in sorted(path.rglob("*")):
                inside = file.relative_to(path.parent)
                if file.is_file() and not any(part.startswith(".") for part in inside.parts[1:]):
                    yield file, str(inside.parent)
        else:
            raise NotFound("There is nothing at %(path)s.", "Check the path.", path=str(path))


def _who_and_where(database: Database, person: str, name: str) -> tuple[Viewer, str]:
    from app.accounts.first import local_viewer
    from app.cli.collection import collection_named
    from app.collections.edit import create

    with database.session() as db:
        viewer = local_viewer(db, person)
        try:
            return viewer, collection_named(db, viewer, name).id
        except NotFound:
            return viewer, create(db, viewer, name).id


def _accept_all(
    stores: _Stores, viewer: Viewer, collection_id: str, files: list[tuple[Path, str]]
) -> tuple[list[DocumentView], int]:
    from app.documents.accept import accept

    accepted, refused = [], 0
    for path, folder in files:
        try:
            with path.open("rb") as file:
                accepted.append(accept(stores, viewer, collection_id, path.name, file, folder=folder))
        except (BelegError, OSError) as error:
            refused += 1
            _say_refused(path.name, str(error))
    return accepted, refused


def _wait(database: Database, viewer: Viewer, documents: list[DocumentView]) -> int:
    """One bar a document until all have ended; the reading process puts each into an end state. Returns the refused."""
    from app.documents.read import get_document

    refused, open_ = 0, {document.id: document for document in documents}
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"), console=console
    ) as bars:
        tasks: dict[str, TaskID] = {}
        while open_:
            for document_id in list(open_):
                with database.session() as db:
                    document = get_document(db, viewer, document_id)
                if document.state in ("ready", "refused"):
                    open_.pop(document_id)
                    refused += document.state == "refused"
                    _end(bars, tasks.pop(document_id, None), document)
                elif document.state == "reading":
                    _draw(bars, tasks, document)
            time.sleep(0.2)
    return refused


def _draw(bars: Progress, tasks: dict[str, TaskID], document: DocumentView) -> None:
    if document.id not in tasks:
        tasks[document.id] = bars.add_task(escape(document.name), total=None, state="")
    state = f"page {document.pages_read} of {document.pages_total}" if document.pages_total else "being read"
    bars.update(tasks[document.id], completed=document.pages_read, total=document.pages_total or None, state=state)


def _end(bars: Progress, task: TaskID | None, document: DocumentView) -> None:
    if task is not None:
        bars.remove_task(task)
    if document.state == "refused":
        _say_refused(document.name, document.refusal)
    else:
        pages = f"{document.pages_total} pages, " if document.has_pages else ""
        console.print(f"[green]ready[/]    {escape(document.name)} ({pages}{document.passages} passages)")
    for warning in document.warnings:
        console.print(f"         [yellow]note:[/] {escape(warning.text)}")


def _say_refused(name: str, reason: str) -> None:
    console.print(f"[red]refused[/]  {escape(name)}: {escape(reason)}")
