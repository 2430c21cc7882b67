"""`beleg ingest`: files and folders into a collection, read to the end, with a line for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.markup import escape

from app.cli.bundles import prepare_models
from app.cli.reading import Stores, console, open_stores, reading, say_refused, wait, who_and_where
from app.config import Settings
from app.documents.folder import look_at
from app.errors import BelegError, NotFound
from app.folders import make_folders

if TYPE_CHECKING:
    from app.accounts.types import Viewer
    from app.documents.types import DocumentView


def ingest(
    paths: list[Path] = typer.Argument(help="Files and folders; folders are read with all that is in them."),
    collection: str = typer.Option(..., "--collection", "-c", help="Name or id; a new name makes a new collection."),
    person: str = typer.Option("", "--as", help="Act as this person; without it, as the first administrator."),
) -> None:
    """Read files into a collection and wait until each is ready or refused. A file that is there already with other
    bytes becomes the next revision of its document."""
    settings = Settings()
    make_folders(settings)
    files = list(find_files(paths))
    prepare_models(settings, console)
    with open_stores(settings) as stores:
        viewer, collection_id = who_and_where(stores.database, person, collection)
        accepted, refused = _accept_all(stores, viewer, collection_id, files)
        with reading(settings):
            refused += wait(stores.database, viewer, accepted)
    console.print(_tally(accepted))
    console.print(f"{len(files) - refused} of {len(files)} files are ready in {escape(collection)}.")
    raise typer.Exit(1 if refused else 0)


def find_files(paths: Iterable[Path]) -> Iterable[tuple[Path, str]]:
    """Each file with the folder it stands in, from the folder that was named on. Hidden files are left out."""
    for path in paths:
        if path.is_file():
            yield path, ""
        elif path.is_dir():
            yield from ((file.path, file.folder) for file in look_at(path).files)
        else:
            raise NotFound("There is nothing at %(path)s.", "Check the path.", path=str(path))


def _accept_all(
    stores: Stores, viewer: Viewer, collection_id: str, files: list[tuple[Path, str]]
) -> tuple[list[DocumentView], int]:
    from app.documents.accept import accept

    accepted, refused = [], 0
    for path, folder in files:
        try:
            with path.open("rb") as file:
                accepted.append(accept(stores, viewer, collection_id, path.name, file, folder=folder))
        except (BelegError, OSError) as error:
            refused += 1
            say_refused(path.name, str(error))
    return accepted, refused


def _tally(accepted: list[DocumentView]) -> str:
    kinds = Counter("unchanged" if one.existed else "changed" if one.revision > 1 else "new" for one in accepted)
    return f"{kinds['new']} new, {kinds['changed']} changed, {kinds['unchanged']} unchanged"
