"""Mailboxes (mbox, RFC 4155): every mail in it is handed on as a mail of its own; the list of subjects is the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from email.errors import MessageError
from email.header import decode_header, make_header
from itertools import islice
from pathlib import Path

from ingestion.parsers.encoding import decode
from ingestion.parsers.lines import one_line
from ingestion.types import Attachment, Block, FilesOnDemand, Line, Page, Parsed, Refused

MOST_MAILS = 100_000
HEAD = 16_384  # bytes of a mail in which its subject is looked for
LONGEST_NAME = 120
_SUBJECT = re.compile(rb"^subject:[ \t]*((?:.*\r?\n)(?:[ \t].*\r?\n)*)", re.IGNORECASE | re.MULTILINE)
NO_MAILS = "This mailbox holds no mails. Export it again and upload the new file."
TOO_MANY = "The mailbox holds more than %(most)s mails. Export it in smaller parts and upload those."


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page: the list of mails. Raises `Refused`: "damaged", "too_large"."""
    starts = list(islice(_starts(path), MOST_MAILS + 1))
    if not starts:
        raise Refused("damaged", NO_MAILS)
    if len(starts) > MOST_MAILS:
        raise Refused("too_large", TOO_MANY, most=MOST_MAILS)
    on_page(1, 1)
    mails = Mails(path, starts)
    page = Page(1, (Block("list", tuple(Line(name) for name in mails.names)),))
    return Parsed("mbox", "text", (page,), has_pages=False, attachments=mails)


class Mails(FilesOnDemand):
    """The mails that begin at `starts`, read when asked for."""

    def __init__(self, path: Path, starts: Sequence[int]) -> None:
        self._path = path
        self._spans = list(zip(starts, [*starts[1:], path.stat().st_size], strict=True))
        self.names = [_name(at, self._bytes(at, HEAD)) for at in range(len(starts))]

    def __len__(self) -> int:
        return len(self._spans)

    def one(self, at: int) -> Attachment:
        return Attachment(self.names[at], self._bytes(at).replace(b"\n>From ", b"\nFrom "))

    def _bytes(self, at: int, most: int = -1) -> bytes:
        """The mail without the line that begins it."""
        start, end = self._spans[at]
        with self._path.open("rb") as file:
            file.seek(start)
            data = file.read(end - start if most < 0 else min(most, end - start))
        return data.partition(b"\n")[2]


def _starts(path: Path) -> Iterator[int]:
    """Where mails begin: at lines `From ...` after an empty line."""
    at, empty = 0, True
    with path.open("rb") as file:
        while line := file.readline(1 << 20):
            if empty and line.startswith(b"From "):
                yield at
            empty = not line.strip()
            at += len(line)


def _name(at: int, head: bytes) -> str:
    """The mail's place in the box and its subject, as the name of a file."""
    match = _SUBJECT.search(head.partition(b"\n\n")[0] + b"\n")
    raw = one_line(decode(match.group(1))) if match else ""
    try:
        subject = str(make_header(decode_header(raw)))
    except (ValueError, LookupError, MessageError):
        subject = raw
    subject = re.sub(r"[/\\]", "-", one_line(subject))[:LONGEST_NAME].strip()
    return f"{at + 1:05d} {subject or 'mail'}.eml"
