"""`beleg watch`: a collection kept as a folder on disk is, with a line for everything that is done."""

from __future__ import annotations

import hashlib
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape
from sqlalchemy.exc import OperationalError

from app.cli.bundles import prepare_models
from app.cli.reading import console, open_stores, reading, say_ended, wait, who_and_where
from app.config import Settings
from app.errors import Conflict, NotFound
from app.folders import make_folders, only_one

if TYPE_CHECKING:
    from app.accounts.types import Viewer
    from app.cli.reading import Stores
    from app.documents.types import DocumentView
    from app.documents.watch import Step, Watcher

SETTLE_SECONDS = 1.0  # between the looks of `--once`
MOST_LOOKS = 30  # of `--once`: what is still being written then is left out
_COLOURS = {"new": "green", "changed": "green", "renamed": "green", "deleted": "yellow", "kept": "yellow"}


def watch(  # noqa: PLR0917  each is an option
    folder: Path = typer.Argument(metavar="DIR", help="The folder; everything in it belongs to it."),
    collection: str = typer.Option(..., "--collection", "-c", help="Name or id; a new name makes a new collection."),
    delete: bool = typer.Option(False, "--delete", help="Delete documents whose file is gone; without it they stay."),
    once: bool = typer.Option(False, "--once", help="Bring both together once, wait until all is read, and end."),
    poll: float = typer.Option(5.0, min=0.2, max=86400.0, help="Seconds between two looks; network shares tell none."),
    person: str = typer.Option("", "--as", help="Act as this person; without it, as the first administrator."),
) -> None:
    """Keep a collection as a folder is: new files are read, changed ones become revisions, moved ones are renamed."""
    from app.documents.watch import Watcher

    settings = Settings()
    if not folder.is_dir():
        raise NotFound("There is no folder %(folder)s.", "Check the path.", folder=str(folder))
    make_folders(settings)
    signal.signal(signal.SIGTERM, _interrupt)
    prepare_models(settings, console)
    with open_stores(settings) as stores, suppress(KeyboardInterrupt):
        viewer, collection_id = who_and_where(stores.database, person, collection)
        watcher = Watcher(stores, viewer, collection_id, folder, delete=delete)
        with _alone(settings, collection_id, folder), reading(settings):
            if once:
                raise typer.Exit(1 if _once(stores, viewer, watcher) else 0)
            console.print(f"Watching {escape(str(folder))} for {escape(collection)}. Stop with Ctrl-C.")
            _again_and_again(stores, viewer, watcher, poll)
    console.print("Stopped watching.")


def _once(stores: Stores, viewer: Viewer, watcher: Watcher) -> int:
    """Returns how many files were refused or could not be taken."""
    kinds: Counter[str] = Counter()
    documents: list[DocumentView] = []
    for number in range(MOST_LOOKS):
        steps = watcher.look()
        kinds.update(step.kind for step in steps)
        documents += _say(steps)
        if number >= 2 and not watcher.unsettled and not steps:  # the second takes, the third sees that it is all
            break
        time.sleep(SETTLE_SECONDS)
    refused = kinds["refused"] + kinds["trouble"] + wait(stores.database, viewer, documents)
    taken = {kind: kinds[kind] for kind in ("new", "changed")}
    taken["unchanged"] = max(0, watcher.unchanged - sum(kinds[kind] for kind in ("new", "changed", "renamed")))
    taken |= {kind: kinds[kind] for kind in ("renamed", "deleted", "kept", "refused") if kinds[kind]}
    console.print(", ".join(f"{count} {kind}" for kind, count in taken.items()))
    if watcher.unsettled:
        console.print(f"[yellow]{watcher.unsettled} still being written and left out[/]")
    return refused + watcher.unsettled


def _again_and_again(stores: Stores, viewer: Viewer, watcher: Watcher, poll: float) -> None:
    open_: dict[str, DocumentView] = {}
    while True:
        begun = time.monotonic()
        try:
            open_ |= {document.id: document for document in _say(watcher.look())}
        except OperationalError as error:  # locked for long, or a full disk
            console.print(f"[red]trouble[/]  {escape(str(error.orig))}", soft_wrap=True)
        # A large share on a slow line is not looked at all the time.
        until = time.monotonic() + max(poll, 2 * (time.monotonic() - begun))
        while (left := until - time.monotonic()) > 0:
            say_ended(stores.database, viewer, open_)
            time.sleep(min(left, 0.5))


def _say(steps: list[Step]) -> list[DocumentView]:
    """A line for each. Returns the documents that are to be read now."""
    for step in steps:
        colour = _COLOURS.get(step.kind, "red")
        text = f"{step.before} -> {step.path}" if step.before else step.path
        reason = "it is gone from the folder" if step.kind == "kept" else step.reason
        revision = f" (revision {step.document.revision})" if step.kind == "changed" and step.document else ""
        line = f"{escape(text)}{revision}" + (f": {escape(reason)}" if reason else "")
        console.print(f"[{colour}]{step.kind:<8}[/] {line}", soft_wrap=True)
    return [step.document for step in steps if step.document and step.kind in ("new", "changed")]


def _interrupt(_number: int, _frame: Any) -> None:
    raise KeyboardInterrupt


@contextmanager
def _alone(settings: Settings, collection_id: str, folder: Path) -> Iterator[None]:
    """Two that watch folders of one name for one collection would undo each other's work."""
    from app.documents.folder import folder_name

    name = hashlib.sha256(f"{collection_id}/{folder_name(folder)}".encode()).hexdigest()[:16]
    with ExitStack() as held:
        try:
            held.enter_context(only_one(settings.run_dir / f"watch-{name}.lock"))
        except Conflict:
            raise Conflict(
                "A folder of this name is being watched for this collection already.",
                "Stop that first, or name another collection.",
            ) from None
        yield
