"""The folder models are kept in: one process at a time makes a model, in a work folder, and puts it in place whole."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from models.bundle_folder import MARKER, write_marker
from models.catalogue import Bundle, BundleError
from models.convert import convert
from models.steps import Steps

LOCK_SECONDS = 3600.0
SPARE = 256 << 20  # bytes left free on the disk


@dataclass(frozen=True)
class Shelf:
    """`models_dir`, and the steps of the `prepare` call that works in it. Work folders lie beside the models, so that
    a finished one is renamed, not copied."""

    models_dir: Path
    steps: Steps

    def work(self, name: str) -> Path:
        folder = self.models_dir / ".work" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def clean(self, name: str) -> None:
        """Forget what lies in the work folder."""
        shutil.rmtree(self.models_dir / ".work" / name, ignore_errors=True)

    def empty(self, name: str) -> Path:
        """The path, free now, at which `name` is made."""
        made = self.work(name) / "made"
        shutil.rmtree(made, ignore_errors=True)
        return made

    def convert(self, gguf: Path, made: Path, title: str) -> None:
        with self.steps.step(f"Converting {title}") as step:
            convert(gguf, made, step.on_bytes)

    def put(self, made: Path, name: str, source: str) -> Path:
        """Mark `made` as complete and put it in place of whatever was there; its folder. The work folder goes."""
        (made / MARKER).unlink(missing_ok=True)
        write_marker(made, name, source)
        folder = self.models_dir / name
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(made, folder)
        self.clean(name)
        return folder

    def check_room(self, bundle: Bundle) -> None:
        """Raises BundleError where the disk has no room for making `bundle`."""
        self.models_dir.mkdir(parents=True, exist_ok=True)
        free, needed = shutil.disk_usage(self.models_dir).free, bundle.disk_needed + SPARE
        if free < needed:
            raise BundleError(
                f"{bundle.title} needs {needed / 1e9:.1f} GB on the disk of {self.models_dir} while it is made ready "
                f"({bundle.folder_size / 1e9:.1f} GB afterwards), and {free / 1e9:.1f} GB are free.",
                "Free some space, or set BELEG_MODELS_DIR to a folder on a larger disk.",
            )

    @contextlib.contextmanager
    def lock(self, name: str, title: str) -> Iterator[None]:
        """One process at a time makes `name`. The lock goes with its process, however that ends."""
        (self.models_dir / ".work").mkdir(parents=True, exist_ok=True)
        with (self.models_dir / ".work" / f"{name}.lock").open("w") as file:
            if not _try_lock(file.fileno()):
                with self.steps.step(f"Another process makes {title} ready; waiting"):
                    _wait_for_lock(file.fileno(), title)
            yield


def explain(error: OSError, models_dir: Path) -> BundleError:
    """What the operating system refused, in words."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return BundleError(f"The disk of {models_dir} is full.", "Free some space and run it again.")
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST}:
        return BundleError(
            f"{error.filename or models_dir} cannot be written to.",
            "Set BELEG_MODELS_DIR to a folder you may write to.",
        )
    return BundleError(f"Making the model ready failed: {error}", "Run it again; what has arrived is kept.")


def _wait_for_lock(file: int, title: str) -> None:
    started = time.monotonic()
    while not _try_lock(file):
        if time.monotonic() - started > LOCK_SECONDS:
            raise BundleError(
                f"Another process has been making {title} ready for an hour.", "Stop it, or wait, then run this again."
            )
        time.sleep(0.5)


def _try_lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
