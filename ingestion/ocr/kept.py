"""Recognised pages of one file, kept until it is read to its end: whoever is interrupted at page 390 goes on there.

One compressed file a page, under its own checksum and the name of the recogniser (program, languages, our preparation)
that read it. What is damaged, or was read by another recogniser, is as if it were not there.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from ingestion.ocr.results import Read

log = logging.getLogger(__name__)

MIB = 1024 * 1024
LARGEST, MOST = 1 * MIB, 256 * MIB  # of one page, of all pages of a file; what is beyond is recognised again
INFLATED = 64 * MIB
SUFFIX = ".page"


class KeptPages:
    """In `folder`, which is made when the first page is kept. `on_new` is told of each page that is."""

    def __init__(self, folder: Path, on_new: Callable[[], None] = lambda: None) -> None:
        self._folder = folder
        self._on_new = on_new
        self._left: int | None = None

    @property
    def any(self) -> bool:
        return self._folder.is_dir() and any(self._folder.glob(f"*{SUFFIX}"))

    def pages(self, recogniser: str) -> Iterator[tuple[int, Read]]:
        """What `recogniser` read before."""
        for path in self._folder.glob(f"*{SUFFIX}"):
            try:
                number = int(path.stem)
                read = _unpacked(path, number, recogniser)
            except Exception as error:
                log.warning("a kept page is not used: %s", type(error).__name__)
                continue
            if read is not None:
                yield number, read

    def keep(self, recogniser: str, number: int, read: Read) -> None:
        """As far as there is room: that a page cannot be kept is no reason not to read it."""
        data = _packed(number, recogniser, read)
        try:
            if len(data) > min(LARGEST, self._room()):
                return
            self._folder.mkdir(parents=True, exist_ok=True)
            partial = self._folder / f"{number}.{os.getpid()}"
            partial.write_bytes(data)
            os.replace(partial, self._folder / f"{number}{SUFFIX}")
        except OSError as error:
            log.warning("a recognised page is not kept: %s", error)
            return
        self._left = self._room() - len(data)
        self._on_new()

    def _room(self) -> int:
        if self._left is None:
            self._left = MOST - sum(path.stat().st_size for path in self._folder.glob("*"))
        return self._left


def _packed(number: int, recogniser: str, read: Read) -> bytes:
    body = zlib.compress(json.dumps({"page": number, "recogniser": recogniser, **asdict(read)}).encode(), 1)
    return hashlib.sha256(body).digest() + body


def _unpacked(path: Path, number: int, recogniser: str) -> Read | None:
    """None where it is damaged or another's."""
    if path.stat().st_size > LARGEST:
        return None
    data = path.read_bytes()
    digest, body = data[:32], data[32:]
    if hashlib.sha256(body).digest() != digest:
        return None
    value = json.loads(zlib.decompressobj().decompress(body, INFLATED))
    if (value.pop("page"), value.pop("recogniser")) != (number, recogniser):
        return None
    return Read(**value)
