"""The folder a result is made in: `OUT.part` until it is done, then `OUT` at one stroke, or `OUT.rejected`."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from models.quantize.types import QuantizeError

MARKER = ".beleg-quantize"  # lies in folders that are ours to clear


@dataclass(frozen=True)
class WorkFolder:
    """`result` is what becomes `out`; `log` is what the tools print, and moves with it."""

    out: Path

    @property
    def part(self) -> Path:
        return beside(self.out, "part")

    @property
    def result(self) -> Path:
        return self.part / "result"

    @property
    def log(self) -> Path:
        return self.part / "quantize.log"

    def put(self) -> Path:
        """The finished folder, in place. Raises QuantizeError where somebody else has put one there meanwhile."""
        if self.out.exists():
            raise _exists(self.out)
        return self._move(self.out)

    def reject(self) -> Path:
        """The finished folder, kept aside in place of an earlier rejected one."""
        rejected = beside(self.out, "rejected")
        if (rejected / MARKER).exists():
            shutil.rmtree(rejected)
        if rejected.exists():
            raise QuantizeError(f"{rejected} exists and is not ours.", "Move it away, then run this again.")
        (self.result / MARKER).touch()
        return self._move(rejected)

    def _move(self, place: Path) -> Path:
        shutil.copyfile(self.log, self.result / self.log.name)
        os.replace(self.result, place)
        beside(self.out, "failed.log").unlink(missing_ok=True)
        return place


@contextlib.contextmanager
def work_folder(out: Path) -> Iterator[WorkFolder]:
    """An empty `OUT.part` that goes at the end, however that comes; the log of a failure stays as `OUT.failed.log`.
    Raises QuantizeError where `out` exists or another process is making it."""
    if out.exists():
        raise _exists(out)
    work = WorkFolder(out)
    with _alone(work.part):
        _clear(work.part)
        try:
            (work.part / MARKER).touch()
            work.log.touch()
            yield work
        except BaseException:
            if work.log.exists() and work.log.stat().st_size:
                os.replace(work.log, beside(out, "failed.log"))
            raise
        finally:
            shutil.rmtree(work.part, ignore_errors=True)


def beside(out: Path, ending: str) -> Path:
    return out.with_name(f"{out.name}.{ending}")


@contextlib.contextmanager
def _alone(part: Path) -> Iterator[None]:
    """The folder itself is locked; the lock goes with the process."""
    try:
        part.mkdir(parents=True, exist_ok=True)
        lock = os.open(part, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise QuantizeError(
            f"{part} cannot be written to: {error.strerror}.", "Name a folder you may write to with --out."
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise QuantizeError(f"Another process is making {part.stem}.", "Wait for it, or name another --out.") from None
    finally:
        os.close(lock)


def _clear(part: Path) -> None:
    """What a run that was killed has left goes; what is not ours stays."""
    left = list(part.iterdir())
    if left and not (part / MARKER).exists():
        raise QuantizeError(f"{part} exists and is not ours.", "Move it away, or name another --out.")
    for path in left:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _exists(out: Path) -> QuantizeError:
    return QuantizeError(
        f"{out} exists already and stays as it is.", "Name another folder with --out, or move it away."
    )
