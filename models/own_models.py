"""Models that are no bundle of ours: a folder or GGUF file of this machine, or a repository of the model hub."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from models import hub, universal_encoder
from models.bundle_folder import file_digest, is_complete
from models.catalogue import BUNDLES, BundleError
from models.shelf import Shelf

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def prepare_local(path: Path, shelf: Shelf) -> Path:
    """A folder as it is, or the folder a GGUF file is converted to. Raises BundleError."""
    if weights(path):
        return checked(path, str(path))
    ggufs = [path] if path.suffix == ".gguf" else sorted(path.glob("*.gguf")) if path.is_dir() else []
    if len(ggufs) == 1:
        return _prepare_gguf(ggufs[0], shelf)
    if ggufs:
        raise BundleError(f"{path} holds {len(ggufs)} GGUF files.", "Name one of them.")
    raise BundleError(
        f"{path} is no model: there is no .safetensors and no .gguf file.",
        "Weights in other formats (.bin, .pt) can run code when loaded; convert them to safetensors first.",
    )


def _prepare_gguf(gguf: Path, shelf: Shelf) -> Path:
    with shelf.steps.step(f"Checking {gguf.name}", gguf.stat().st_size) as step:
        source = file_digest(gguf, step.on_bytes)
    name = f"{gguf.stem}-{source[:12]}"
    folder = shelf.models_dir / name
    with shelf.lock(name, gguf.name):
        if is_complete(folder, source):
            return folder
        made = shelf.empty(name)
        shelf.convert(gguf, made, gguf.name)
        return shelf.put(made, name, source)


def prepare_hub(repo: str, shelf: Shelf) -> Path:
    """A repository's folder, fetched once. Its digests are kept as they came. Raises BundleError."""
    folder = hub_folder(repo, shelf.models_dir)
    if is_complete(folder, repo):
        return folder
    with shelf.lock(folder.name, repo):
        if is_complete(folder, repo):
            return folder
        with shelf.steps.step("Asking the model hub"):
            if not hub.reachable():
                raise BundleError(
                    f"The model hub cannot be reached, and {repo} is not on this machine yet.",
                    f"Check the network, name a folder on this machine, or take one of {', '.join(BUNDLES)}.",
                )
        made = shelf.work(folder.name) / "hub"
        with shelf.steps.step(f"Fetching {repo}") as step:
            hub.fetch(repo, hub.FOLDER_PATTERNS, made, step.on_bytes)
        shutil.rmtree(made / ".cache", ignore_errors=True)
        checked(made, repo)
        return shelf.put(made, folder.name, repo)


def hub_folder(repo: str, models_dir: Path) -> Path:
    """Where a repository is kept."""
    return models_dir / repo.replace("/", "--")


def weights(folder: Path) -> list[Path]:
    """Weights in a model's folder; sentence-transformers may keep them one folder down. NumPy's archives are those of a
    universal sentence encoder."""
    return [*folder.glob("*.safetensors"), *folder.glob("*/*.safetensors"), *_encoder(folder)]


def checked(folder: Path, name: str) -> Path:
    """`folder`, if it is one that can be served. Raises BundleError."""
    if not weights(folder):
        raise BundleError(f"{name} has no safetensors weights.", "Choose a model that is published as safetensors.")
    configured = (folder / "config.json").is_file() or (folder / "modules.json").is_file()
    if not configured and not _encoder(folder):
        raise BundleError(f"{name} has no config.json.", "The folder is incomplete; fetch the whole model.")
    return folder


def _encoder(folder: Path) -> list[Path]:
    return [folder / universal_encoder.WEIGHTS] if universal_encoder.is_one(folder) else []
