"""A Beleg in a temporary folder with a reading process of its own, for measuring without touching anybody's data."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.accounts.first import local_viewer
from app.accounts.types import Viewer
from app.collections.edit import create
from app.config import Settings
from app.db.migrate import upgrade
from app.db.session import Database
from app.documents.accept import accept
from app.documents.process import ReadingProcess
from app.documents.read import counts
from app.errors import NotReady
from app.folders import make_folders

LONGEST_SECONDS = 1800


@dataclass(frozen=True)
class Scratch:
    """`settings` and `database` are those of the temporary folder."""

    settings: Settings
    database: Database
    viewer: Viewer
    collection_id: str

    def accept(self, path: Path) -> None:
        with path.open("rb") as file:
            accept(self, self.viewer, self.collection_id, path.name, file)

    def unread(self) -> int:
        """Documents that wait or are being read."""
        with self.database.session() as db:
            states = counts(db, self.viewer, self.collection_id)
        return states.received + states.reading

    def wait(self) -> None:
        """Until every document has ended. Raises NotReady after half an hour."""
        until = time.monotonic() + LONGEST_SECONDS
        while time.monotonic() < until:
            if not self.unread():
                return
            time.sleep(0.05)
        raise NotReady("The documents were not read within half an hour.", "Look into the reading process's log.")


@contextmanager
def scratch(settings: Settings) -> Iterator[Scratch]:
    """Starts the reading process and warms it up with one line of text, so that loading models is not measured."""
    with tempfile.TemporaryDirectory(prefix="beleg-bench-") as folder:
        own = settings.model_copy(update={"data_dir": Path(folder)})
        make_folders(own)
        database = Database(f"sqlite:///{own.data_dir / 'beleg.db'}")
        upgrade(database)
        with database.session() as db:
            viewer = local_viewer(db)
            warm, measured = create(db, viewer, "warm"), create(db, viewer, "measured")
        reading = ReadingProcess(own)
        reading.start()
        try:
            line = Path(folder) / "warm.txt"
            line.write_text("One line to load the models with.\n")
            first = Scratch(own, database, viewer, warm.id)
            first.accept(line)
            first.wait()
            yield Scratch(own, database, viewer, measured.id)
        finally:
            reading.stop()
            database.close()
