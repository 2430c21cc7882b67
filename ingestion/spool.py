"""Takes the files that lie in a file from the child that reads it into a folder, piece by piece and within limits."""

from __future__ import annotations

from pathlib import Path

from ingestion.process import MIB, Limits
from ingestion.types import Attachment, Refused, Warning

TOO_MANY = (
    "The file holds more than %(most)s files, more than are taken out of one. Upload them in smaller parts, or ask the "
    "administrator to raise BELEG_UNPACK_FILES."
)
TOO_MUCH = (
    "The file unpacks to more than %(mib)s MiB, more than is taken out of one. Upload it in smaller parts, or ask the "
    "administrator to raise BELEG_UNPACK_MIB."
)
TOO_LARGE = "The file %(name)s in it was left out: it has more than %(mib)s MiB, the limit here."


class Spool:
    """One for each try of reading. `folder` None: the files are not wanted."""

    def __init__(self, folder: Path | None, limits: Limits) -> None:
        self.folder = folder
        self.attachments: list[Attachment] = []
        self.warnings: list[Warning] = []
        self._limits = limits
        self._bytes = 0
        self._size = 0

    def begin(self, name: str, folder: str) -> None:
        """The next file. Raises `Refused` "too_large" when there were too many."""
        if self.folder is None:
            raise ValueError("not asked for")
        if len(self.attachments) + len(self.warnings) >= self._limits.attached_files:
            raise Refused("too_large", TOO_MANY, most=self._limits.attached_files)
        path = self.folder / f"{len(self.attachments):06d}"
        path.unlink(missing_ok=True)
        path.touch()
        self.attachments.append(Attachment(name, folder=folder, path=path))
        self._size = 0

    def add(self, piece: bytes) -> None:
        """More of the file that was begun last. One that is too large is left out, with a warning. Raises `Refused`
        "inflates" when all together are too large."""
        self._bytes += len(piece)
        if self._bytes > self._limits.attached_mib * MIB:
            raise Refused("inflates", TOO_MUCH, mib=self._limits.attached_mib)
        if self._size < 0:
            return
        self._size += len(piece)
        one = self.attachments[-1]
        assert one.path is not None
        if self._size > self._limits.attachment_mib * MIB:
            self._leave_out(one)
        else:
            with one.path.open("ab") as file:
                file.write(piece)

    def _leave_out(self, one: Attachment) -> None:
        assert one.path is not None
        one.path.unlink(missing_ok=True)
        self.attachments.pop()
        name = f"{one.folder}/{one.name}".strip("/")
        values = {"name": name, "mib": self._limits.attachment_mib}
        self.warnings.append(Warning("attachment_too_large", TOO_LARGE % values))
        self._size = -1
