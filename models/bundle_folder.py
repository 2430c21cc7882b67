"""A finished bundle's folder: the complete marker that says what every file in it must be, and the checks against it.

The marker is written last, inside a folder that is then renamed into place, so a half-made folder is never taken for
a whole one. Sizes and times are looked at on every start; digests only when those changed, or when asked.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

MARKER = "beleg-bundle.json"
BLOCK = 1 << 20


@dataclass(frozen=True)
class FileMark:
    """What a file of a bundle must be: `size` in bytes, time of last change in nanoseconds, SHA-256."""

    size: int
    mtime_ns: int
    sha256: str


def file_digest(path: Path, on_bytes: Callable[[int], None] = lambda _: None) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as source:
        while block := source.read(BLOCK):
            digest.update(block)
            done += len(block)
            on_bytes(done)
    return digest.hexdigest()


def folder_digest(folder: Path, files: Iterable[str]) -> str:
    """One SHA-256 over several files: of the lines `sha256sum` prints for them, sorted by name."""
    lines = (f"{file_digest(folder / name)}  {name}\n" for name in sorted(files))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def write_marker(folder: Path, name: str, source: str) -> None:
    """Mark `folder` as complete. `source` is the digest (or address) of what it was made from."""
    marks = {path.relative_to(folder).as_posix(): asdict(_mark(path)) for path in _files(folder)}
    text = json.dumps({"bundle": name, "source": source, "files": marks}, indent=1)
    temporary = folder / f"{MARKER}.{os.getpid()}"
    temporary.write_text(text)
    os.replace(temporary, folder / MARKER)


def is_complete(folder: Path, source: str | None = None, *, thorough: bool = False) -> bool:
    """Whether every file of `folder` is what its marker says, and was made from `source` (None: from anything)."""
    marker = _read_marker(folder)
    if marker is None or (source is not None and marker[0] != source):
        return False
    return all(_matches(folder / name, mark, thorough) for name, mark in marker[1].items())


def source_of(folder: Path) -> str | None:
    """What `folder` was made from, as its marker says; None where it has none."""
    marker = _read_marker(folder)
    return marker[0] if marker is not None else None


def weights_digest(folder: Path) -> str:
    """A short name of the weights in `folder`: 12 hexadecimal digits over its safetensors files (or, where there are
    none, NumPy's), read from the marker where there is one."""
    marker = _read_marker(folder)
    known = marker[1] if marker is not None else {}
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("*.npz")):
        name = path.relative_to(folder).as_posix()
        mark = known.get(name)
        trusted = mark is not None and _matches(path, mark, thorough=False)
        digest.update(f"{mark.sha256 if mark is not None and trusted else file_digest(path)}  {name}\n".encode())
    return digest.hexdigest()[:12]


def _read_marker(folder: Path) -> tuple[str, dict[str, FileMark]] | None:
    try:
        data = json.loads((folder / MARKER).read_text())
        return str(data["source"]), {name: FileMark(**mark) for name, mark in data["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _matches(path: Path, mark: FileMark, thorough: bool) -> bool:
    try:
        now = path.stat()
    except OSError:
        return False
    if now.st_size != mark.size:
        return False
    if now.st_mtime_ns == mark.mtime_ns and not thorough:
        return True
    return file_digest(path) == mark.sha256


def _mark(path: Path) -> FileMark:
    info = path.stat()
    return FileMark(info.st_size, info.st_mtime_ns, file_digest(path))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(MARKER))
