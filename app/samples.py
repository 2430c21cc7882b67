"""The sample documents that come with Beleg, put into a collection of the first administrator on the first start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.accounts.types import Viewer
from app.collections.access import find_by_name
from app.collections.edit import create
from app.collections.types import CollectionView
from app.config import Settings
from app.db.session import Database
from app.documents.accept import accept
from app.errors import NotFound

NAME = "Nordlicht (samples)"


@dataclass(frozen=True)
class _Stores:
    settings: Settings
    database: Database


def add_samples_once(settings: Settings, viewer: Viewer, folder: Path) -> None:
    """Accepts the files of `folder`; the reading process reads them. Does nothing on a data folder that had them once,
    so that deleted samples stay deleted. Killed half way, it goes on at the next start."""
    done = settings.run_dir / "samples-added"
    if done.exists() or not folder.is_dir():
        return
    database = Database(settings.database_url)
    try:
        collection = _collection(database, viewer)
        for path in sorted(folder.iterdir()):
            if path.is_file() and path.suffix != ".py" and path.name != "README.md":
                with path.open("rb") as file:
                    accept(_Stores(settings, database), viewer, collection.id, path.name, file)
    finally:
        database.close()
    done.touch()


def _collection(database: Database, viewer: Viewer) -> CollectionView:
    with database.session() as db:
        try:
            return find_by_name(db, viewer, NAME)
        except NotFound:
            return create(db, viewer, NAME)
