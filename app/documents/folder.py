"""Files below a folder, without what programs leave lying about: hidden ones, locks, half-downloaded ones. Links are
not followed: a shared folder must not reach what is outside it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from app.documents.names import clean

_LITTER = re.compile(
    r"^(\..*|~\$.*|.*\.(tmp|part|partial|crdownload|download)|thumbs\.db|desktop\.ini)$", re.IGNORECASE
)


@dataclass(frozen=True)
class File:
    """A file; `name` and `folder` are what its document is called: the folder begins with that of the tree."""

    path: Path
    name: str
    folder: str
    size: int
    changed_ns: int

    @property
    def place(self) -> tuple[str, str]:
        return self.folder, self.name

    @property
    def state(self) -> tuple[int, int]:
        return self.size, self.changed_ns


@dataclass(frozen=True)
class Tree:
    """What stands below a folder. `unreadable`: folders (as documents call them) that could not be looked into."""

    files: tuple[File, ...]
    unreadable: tuple[str, ...]

    def may_hold(self, folder: str) -> bool:
        """Whether something in this folder may be there although it was not seen."""
        return any(folder == one or folder.startswith(one + "/") for one in self.unreadable)


def is_litter(name: str) -> bool:
    return bool(_LITTER.match(name))


def folder_name(root: Path) -> str:
    """What the documents of a tree have as their first folder."""
    return clean("x", root.resolve().name)[1]


def look_at(root: Path) -> Tree:
    """All files below `root`, in order."""
    files: list[File] = []
    unreadable: list[str] = []
    waiting = [(root, folder_name(root))]
    while waiting:
        path, folder = waiting.pop()
        try:
            entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        except OSError:
            unreadable.append(folder)
            continue
        for entry in entries:
            if is_litter(entry.name) or entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append((Path(entry.path), clean("x", f"{folder}/{entry.name}")[1]))
            elif file := _file(entry, folder):
                files.append(file)
    return Tree(tuple(sorted(files, key=lambda file: file.path)), tuple(unreadable))


def _file(entry: os.DirEntry[str], folder: str) -> File | None:
    """None for what is no plain file, or gone this moment."""
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        stat = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return File(Path(entry.path), *clean(entry.name, folder), stat.st_size, stat.st_mtime_ns)
