"""What `beleg inspect` reads of the files in a file: each in a child of its own, as it would be after an upload."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ingestion.sandbox import Limits, parse
from ingestion.types import Attachment, Parsed, Refused

DEEPEST = 3  # files in files in files, as after an upload
MOST_FILES = 100
NOT_READ = "Only the first %d files in it are read here; after an upload all are."
TOO_DEEP = "It lies too deep in other files, what is in it is not read."
NO_TIME = "There was no time left to read it here."


@dataclass(frozen=True)
class Inside:
    """A file in the file. `name` tells the way to it; `parsed` None when it would be refused or is not read, for the
    reason `why`."""

    name: str
    parsed: Parsed | None = None
    why: str = ""


class Unpacker:
    """Reads what is in a file, and in that, in order, into a folder that the caller removes."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._deadline = time.monotonic() + limits.seconds
        self._spools = 0
        self._files = 0

    def read(self, path: Path, name: str) -> Parsed:
        """A file, with the files in it kept beside. Raises `Refused`."""
        self._spools += 1
        spool = self._folder / str(self._spools)
        spool.mkdir()
        limits = replace(self._limits, seconds=max(1.0, self._deadline - time.monotonic()))
        return parse(path, name, limits, spool=spool)

    def inside(self, parsed: Parsed, above: tuple[str, ...] = ()) -> Iterator[Inside]:
        """Everything in a file that was read, outer files before inner ones."""
        for one in parsed.attachments:
            self._files += 1
            name = " > ".join((*above, f"{one.folder}/{one.name}".strip("/")))
            if self._files > MOST_FILES:
                yield Inside(name, why=NOT_READ % MOST_FILES)
                return
            found = self._read(one, name)
            yield found
            if found.parsed is None or not found.parsed.attachments:
                continue
            if len(above) + 1 < DEEPEST:
                yield from self.inside(found.parsed, (*above, name.split(" > ")[-1]))
            else:
                yield Inside(name, why=TOO_DEEP)

    def _read(self, one: Attachment, name: str) -> Inside:
        if time.monotonic() > self._deadline or one.path is None:
            return Inside(name, why=NO_TIME)
        try:
            return Inside(name, self.read(one.path, one.name))
        except Refused as refused:
            return Inside(name, why=str(refused))
