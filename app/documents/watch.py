"""A folder on disk and the documents that came from it, brought together at every look.

What is known is asked of the database each time, so nothing is lost when this ends. New files are uploaded, changed
ones become revisions, those that stand elsewhere with the same bytes are renamed. A file is taken once two looks in a
row found it the same, so that nothing half-written is read; what vanished is deleted only when that was asked for, and
only after two looks that did not find it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy import or_, select

from app.accounts.types import Viewer
from app.db import tables
from app.documents.accept import accept
from app.documents.delete import delete_document
from app.documents.folder import File, Tree, folder_name, look_at
from app.documents.move import move_document
from app.documents.revisions import listed
from app.documents.types import DocumentView, Stores
from app.errors import BelegError, Invalid, NotFound, OutOfSpace

Place = tuple[str, str]  # folder, name
_PIECE = 1024 * 1024


@dataclass(frozen=True)
class Step:
    """Something that was done, or cannot be. `before` is what a renamed document was called."""

    kind: Literal["new", "changed", "renamed", "deleted", "kept", "refused", "trouble"]
    path: str
    before: str = ""
    reason: str = ""
    document: DocumentView | None = None


@dataclass(frozen=True)
class _Known:
    """A document that came from the folder."""

    id: str
    folder: str
    name: str
    sha256: str

    @property
    def place(self) -> Place:
        return self.folder, self.name


class Watcher:
    """Call `look` again and again. `delete`: what vanished from the folder goes from the collection, too."""

    def __init__(
        self, services: Stores, viewer: Viewer, collection_id: str, root: Path, *, delete: bool = False
    ) -> None:
        self._services, self._viewer, self._collection_id = services, viewer, collection_id
        self._root, self._delete = root, delete
        self._base = folder_name(root)
        if not self._base:
            raise Invalid("The root of the file system cannot be watched.", "Name a folder below it.")
        self._seen: dict[Path, tuple[int, int]] = {}
        self._hashes: dict[Path, tuple[tuple[int, int], str]] = {}
        self._refused: dict[Path, tuple[int, int]] = {}
        self._missed: set[Place] = set()  # not found by the last look
        self._said: set[tuple[str, str]] = set()  # what the last look met already
        self._met: set[tuple[str, str]] = set()
        self.unsettled = 0  # files that are being written
        self.unchanged = 0

    def look(self) -> list[Step]:
        """One look at the folder, and what it led to. Errors: NotFound (the collection is gone, or not the viewer's to
        edit any more)."""
        tree = look_at(self._root)
        files, steps = self._one_a_place(tree)
        known = self._known()
        settled = [file for file in files.values() if self._seen.get(file.path) == file.state]
        self._seen = {file.path: file.state for file in tree.files}
        self.unsettled, self.unchanged = len(files) - len(settled), 0
        gone = {one.place: one for one in known.values() if one.place not in files and not tree.may_hold(one.folder)}
        for file in settled:
            steps += self._take(file, known, gone)
        if not tree.files and known:
            gone = {}
            steps += self._once("trouble", self._base, "The folder is empty or away, so nothing is done about it.")
        steps += self._vanished(gone)
        steps += [step for folder in tree.unreadable for step in self._once("trouble", folder, "It cannot be read.")]
        self._hashes = {file.path: self._hashes[file.path] for file in tree.files if file.path in self._hashes}
        self._said, self._met = self._met, set()
        return steps

    def _one_a_place(self, tree: Tree) -> tuple[dict[Place, File], list[Step]]:
        """Names that differ only in what is not kept of them stand for one document: the first has it."""
        files: dict[Place, File] = {}
        steps: list[Step] = []
        for file in tree.files:
            if files.setdefault(file.place, file) is not file:
                steps += self._once("trouble", str(file.path), "Another file here has the same name.")
        return files, steps

    def _known(self) -> dict[Place, _Known]:
        document = tables.Document
        inside = or_(document.folder == self._base, document.folder.startswith(self._base + "/", autoescape=True))
        query = (
            select(document.id, document.folder, document.name, tables.Content.sha256)
            .join(tables.Content)
            .where(document.collection_id == self._collection_id, document.parent_id.is_(None), inside, listed())
        )
        with self._services.database.session() as db:
            return {known.place: known for known in (_Known(*row) for row in db.execute(query))}

    def _take(self, file: File, known: dict[Place, _Known], gone: dict[Place, _Known]) -> list[Step]:
        if self._refused.get(file.path) == file.state:
            return []
        try:
            return self._bring(file, known.get(file.place), gone)
        except NotFound:
            raise
        except (OutOfSpace, OSError) as error:
            return self._once("trouble", _shown(file.place), str(error))
        except BelegError as error:
            self._refused[file.path] = file.state
            return [Step("refused", _shown(file.place), reason=str(error))]

    def _bring(self, file: File, there: _Known | None, gone: dict[Place, _Known]) -> list[Step]:
        sha256 = self._hash(file)
        if sha256 is None:
            self.unsettled += 1
        elif there is not None and there.sha256 == sha256:
            self.unchanged += 1
        elif there is None and (moved := _same_bytes(gone, sha256, file)):
            return [self._rename(gone.pop(moved.place), file)]
        else:
            return [self._upload(file)]
        return []

    def _hash(self, file: File) -> str | None:
        """None when it changed while it was read."""
        kept = self._hashes.get(file.path)
        if kept is not None and kept[0] == file.state:
            return kept[1]
        digest = hashlib.sha256()
        with file.path.open("rb") as source:
            while piece := source.read(_PIECE):
                digest.update(piece)
        stat = file.path.stat()
        if (stat.st_size, stat.st_mtime_ns) != file.state:
            return None
        self._hashes[file.path] = (file.state, digest.hexdigest())
        return digest.hexdigest()

    def _rename(self, known: _Known, file: File) -> Step:
        view = move_document(self._services, self._viewer, known.id, name=file.name, folder=file.folder)
        return Step("renamed", _shown(file.place), before=_shown(known.place), document=view)

    def _upload(self, file: File) -> Step:
        with file.path.open("rb") as source:
            view = accept(
                self._services, self._viewer, self._collection_id, file.name, source, file.folder, size=file.size
            )
        return Step("changed" if view.revision > 1 else "new", _shown(file.place), document=view)

    def _vanished(self, gone: dict[Place, _Known]) -> list[Step]:
        steps: list[Step] = []
        for place, known in gone.items():
            if place not in self._missed:
                continue
            if self._delete:
                delete_document(self._services, self._viewer, known.id)
                steps.append(Step("deleted", _shown(place)))
            else:
                steps += self._once("kept", _shown(place), "")
        self._missed = set(gone)
        return steps

    def _once(self, kind: Literal["trouble", "kept"], path: str, reason: str) -> list[Step]:
        """Said when it begins, not at every look that meets it again."""
        self._met.add((path, reason))
        return [] if (path, reason) in self._said else [Step(kind, path, reason=reason)]


def _same_bytes(gone: dict[Place, _Known], sha256: str, file: File) -> _Known | None:
    """What vanished and had these bytes: rather of the same name, then of the same folder."""
    found = [known for known in gone.values() if known.sha256 == sha256]
    return min(found, key=lambda known: (known.name != file.name, known.folder != file.folder), default=None)


def _shown(place: Place) -> str:
    return "/".join(part for part in place if part)
