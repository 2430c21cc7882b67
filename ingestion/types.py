"""What reading a file yields: pages made of blocks made of lines, then passages cut from them. Plain data.

Coordinates are PDF points, origin at the top left of the page as shown (rotation applied), y downwards.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, overload

BlockKind = Literal["heading", "paragraph", "list", "table", "note", "code", "metadata"]
Outcome = Literal["text", "partial", "ocr", "refused"]
PIECE = 1 << 20  # bytes that a file is handed on in


@dataclass(frozen=True)
class Box:
    """A rectangle on a page, in points."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True)
class Line:
    """One line as printed. `box` is None where the format has no pages to point at; `cells` are those of a sheet that
    it was made of ("A5:D5")."""

    text: str
    box: Box | None = None
    cells: str = ""


@dataclass(frozen=True)
class Block:
    """A paragraph, heading, list item or table row group. A table's `header` is the text of its header row
    (repeated in every passage cut from the table); `level` is the heading level from 1."""

    kind: BlockKind
    lines: tuple[Line, ...]
    level: int = 0
    header: str = ""

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True)
class Page:
    """`number` counts from 1 and is what a person sees (PDF page, slide, sheet); `label` names it when it has a name.
    `width` and `height` are points, 0 where no picture of the page can be drawn. `confidence` is how sure text
    recognition was of the page's words on average (0 to 100), None where the text was not recognised but read."""

    number: int
    blocks: tuple[Block, ...]
    label: str = ""
    width: float = 0
    height: float = 0
    confidence: float | None = None

    @property
    def text(self) -> str:
        return "\n\n".join(block.text for block in self.blocks)


@dataclass(frozen=True)
class Attachment:
    """A file inside a file (attached to a mail, or in an archive, there in `folder`), handed on as a document of its
    own. Its bytes are `data`, or lie in the file `path`."""

    name: str
    data: bytes = field(default=b"", repr=False)
    folder: str = ""
    path: Path | None = None

    def pieces(self) -> Iterator[bytes]:
        """The bytes, of which there may be many."""
        for start in range(0, len(self.data), PIECE):
            yield self.data[start : start + PIECE]


class FilesOnDemand(Sequence[Attachment]):
    """Files inside a file that are read when they are asked for; `one(at)` gives one of them."""

    @abstractmethod
    def one(self, at: int) -> Attachment: ...

    @overload
    def __getitem__(self, at: int) -> Attachment: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Attachment]: ...
    def __getitem__(self, at: int | slice) -> Attachment | Sequence[Attachment]:
        if isinstance(at, slice):
            return [self.one(number) for number in range(*at.indices(len(self)))]
        return self.one(at)


@dataclass(frozen=True)
class Warning:
    """Something a person should know about what was not read. `code` is stable, `text` is an English sentence,
    `page` None means the whole file."""

    code: str
    text: str
    page: int | None = None


@dataclass(frozen=True)
class Parsed:
    """A file, read. `has_pages` says whether page numbers mean anything to a person (a text file has none)."""

    format: str
    outcome: Outcome
    pages: tuple[Page, ...]
    has_pages: bool = True
    title: str = ""
    language: str = ""
    warnings: tuple[Warning, ...] = ()
    attachments: Sequence[Attachment] = ()


class Refused(Exception):
    """A file that cannot be read. `code` is stable ("password_protected", "empty", "damaged", "too_large",
    "unknown_type", "no_text", "inflates", "too_slow", "too_much_memory", "crashed"); `reason` is a template the
    uploader can act on, filled from `values` (kept apart so that the pages can translate it)."""

    def __init__(self, code: str, reason: str, **values: str | int | float) -> None:
        super().__init__(reason % values if values else reason)
        self.code = code
        self.reason = reason
        self.values = values


@dataclass(frozen=True)
class Mark:
    """Characters [start, end) of a passage's text and where they stand on `page`. One mark a printed line; `cells`
    where the page is a sheet."""

    start: int
    end: int
    page: int
    box: Box | None
    cells: str = ""


@dataclass(frozen=True)
class Passage:
    """What is retrieved. `text` is canonical (same content, same bytes); `marks` cover it line by line;
    `headings` is the path of headings above it, outermost first."""

    ordinal: int
    text: str
    headings: tuple[str, ...]
    marks: tuple[Mark, ...]
    tokens: int

    @property
    def page(self) -> int:
        return self.marks[0].page if self.marks else 1
