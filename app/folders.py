"""The data folder and those below it, and the lock that keeps it to one running Beleg."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.config import Settings
from app.errors import Conflict, Invalid, OutOfSpace


def make_folders(settings: Settings) -> None:
    """Makes them, for our eyes only. A full or forbidden disk is said plainly: Invalid, OutOfSpace."""
    folder = str(settings.data_dir)
    elsewhere = "Give its user that right, or set BELEG_DATA_DIR to another folder."
    try:
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        for below in (
            settings.blobs_dir,
            settings.index_dir,
            settings.pictures_dir,
            settings.logs_dir,
            settings.run_dir,
        ):
            below.mkdir(exist_ok=True)
        (settings.run_dir / "writable").write_text("")
    except (PermissionError, NotADirectoryError, FileExistsError) as error:
        raise Invalid("Beleg may not write to %(folder)s.", elsewhere, folder=folder) from error
    except OSError as error:
        raise OutOfSpace(
            "%(folder)s cannot be written to: %(reason)s.",
            "Free some disk, or set BELEG_DATA_DIR to another folder.",
            folder=folder,
            reason=error.strerror or str(error),
        ) from error


@contextmanager
def only_one(lock: Path) -> Iterator[None]:
    """Holds a lock on the data folder; the system lets go of it when the process ends in any way."""
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Conflict(
                "Beleg already runs on this data folder.",
                "Open its page, or stop it first (Ctrl-C where it was started); or set BELEG_DATA_DIR to another.",
            ) from None
        yield
