"""What `beleg ingest` and `beleg watch` share: who acts where, the reading process, a line for each document."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from app.config import Settings
from app.errors import NotFound

if TYPE_CHECKING:
    from app.accounts.types import Viewer
    from app.db.session import Database
    from app.documents.types import DocumentView

console = Console(highlight=False)


@dataclass(frozen=True)
class Stores:
    settings: Settings
    database: Database


@contextmanager
def open_stores(settings: Settings) -> Iterator[Stores]:
    """The database, brought to the present schema."""
    from app.db.migrate import upgrade
    from app.db.session import Database

    database = Database(settings.database_url)
    try:
        upgrade(database)
        yield Stores(settings, database)
    finally:
        database.close()


@contextmanager
def reading(settings: Settings) -> Iterator[None]:
    """The reading process, or one that stands by while another works on this data folder."""
    from app.documents.process import ReadingProcess

    process = ReadingProcess(settings)
    process.start()
    try:
        yield
    finally:
        process.stop()


def who_and_where(database: Database, person: str, name: str) -> tuple[Viewer, str]:
    """Who acts, and the id of the collection; a new name makes a new one."""
    from app.accounts.first import local_viewer
    from app.cli.collection import collection_named
    from app.collections.edit import create

    with database.session() as db:
        viewer = local_viewer(db, person)
        try:
            return viewer, collection_named(db, viewer, name).id
        except NotFound:
            return viewer, create(db, viewer, name).id


def wait(database: Database, viewer: Viewer, documents: Sequence[DocumentView]) -> int:
    """One bar a document until all have ended; the reading process puts each into an end state. Returns the refused."""
    refused, open_ = 0, {document.id: document for document in documents}
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"), console=console
    ) as bars:
        tasks: dict[str, TaskID] = {}
        while open_:
            for document in _now(database, viewer, open_):
                if document.state in ("ready", "refused"):
                    open_.pop(document.id)
                    refused += document.state == "refused"
                    _end(bars, tasks.pop(document.id, None), document)
                elif document.state == "reading":
                    _draw(bars, tasks, document)
            time.sleep(0.2)
    return refused


def say_ended(database: Database, viewer: Viewer, open_: dict[str, DocumentView]) -> None:
    """A line for each of them that has been read meanwhile, or refused; those are taken out."""
    for document in _now(database, viewer, open_):
        if document.state in ("ready", "refused"):
            open_.pop(document.id)
            say_end(document)


def _now(database: Database, viewer: Viewer, open_: dict[str, DocumentView]) -> Iterator[DocumentView]:
    """How they are; one that was deleted meanwhile is taken out."""
    from app.documents.read import get_document

    for document_id in list(open_):
        try:
            with database.session() as db:
                document = get_document(db, viewer, document_id)
        except NotFound:
            open_.pop(document_id)
        else:
            yield document


def say_end(document: DocumentView) -> None:
    if document.state == "refused":
        say_refused(document.name, document.refusal)
    else:
        pages = f"{document.pages_total} pages, " if document.has_pages else ""
        console.print(f"[green]ready[/]    {escape(document.name)} ({pages}{document.passages} passages)")
    for warning in document.warnings:
        console.print(f"         [yellow]note:[/] {escape(warning.text)}")


def say_refused(name: str, reason: str) -> None:
    console.print(f"[red]refused[/]  {escape(name)}: {escape(reason)}")


def _draw(bars: Progress, tasks: dict[str, TaskID], document: DocumentView) -> None:
    if document.id not in tasks:
        tasks[document.id] = bars.add_task(escape(document.name), total=None, state="")
    state = f"page {document.pages_read} of {document.pages_total}" if document.pages_total else "being read"
    bars.update(tasks[document.id], completed=document.pages_read, total=document.pages_total or None, state=state)


def _end(bars: Progress, task: TaskID | None, document: DocumentView) -> None:
    if task is not None:
        bars.remove_task(task)
    say_end(document)
