"""What people see of documents, and what these functions need of the running services."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from app.config import Settings
from app.db.session import Database
from ingestion.health import Health
from ingestion.types import Mark

DocumentState = Literal["received", "reading", "ready", "refused"]


class Stores(Protocol):
    """The part of `Services` that documents need."""

    @property
    def settings(self) -> Settings: ...

    @property
    def database(self) -> Database: ...


@dataclass(frozen=True)
class WarningView:
    """Something that was not read. `text` is the English sentence; `page` None means the whole file."""

    code: str
    text: str
    page: int | None = None


@dataclass(frozen=True)
class DocumentView:
    """A document as its readers see it.

    `state`: received -> reading (page `pages_read` of `pages_total`, 0 while unknown) -> ready | refused.
    `outcome`: "" until read, then text | partial | ocr | refused. `refusal` is the English sentence; the
    pages translate `refusal_template` and fill it from `refusal_values`. `same_name`: another document of the
    collection has the same name and folder, so lists show the time as well. `existed`: the upload was already
    there (set by `accept` only). `size` is bytes, times are epoch seconds, `passages` is 0 until it is read.
    `health` tells how well it was read (None: refused, being read, or read before there were reports);
    `attention`: somebody should look at it.

    `revision` counts from 1; all share `series`, and `newest_id` is the last one uploaded (itself, as a rule).
    `replaced_at`: since when it is not searched any more, because a newer revision is, or because what it came in has
    it no more. `searched_revision` is the one that searches look at now, None while none is ready.
    """

    id: str
    collection_id: str
    name: str
    folder: str
    size: int
    format: str
    state: DocumentState
    outcome: str
    has_pages: bool
    pages_read: int
    pages_total: int
    passages: int
    refusal: str
    refusal_code: str
    refusal_template: str
    refusal_values: dict[str, Any]
    refusal_hint: str
    warnings: tuple[WarningView, ...]
    title: str
    language: str
    parent_id: str | None
    uploaded_by: str
    sha256: str
    created_at: float
    changed_at: float
    same_name: bool = False
    existed: bool = False
    series: str = ""
    revision: int = 1
    replaced_at: float | None = None
    newest_id: str = ""
    searched_revision: int | None = None
    health: Health | None = None
    attention: bool = False


@dataclass(frozen=True)
class RevisionView:
    """One revision of a document: `searched` is the one that answers rest on now."""

    id: str
    revision: int
    size: int
    state: DocumentState
    uploaded_by: str
    sha256: str
    created_at: float
    searched: bool


@dataclass(frozen=True)
class Changes:
    """Documents that changed at or after `since`; ask again with `since=until`. `total` is how many documents the
    collection has (when it differs from what a page shows, something was deleted: load the list again)."""

    documents: tuple[DocumentView, ...]
    total: int
    until: float


@dataclass(frozen=True)
class StateCounts:
    """How many documents of a collection are in each state; `attention`: refused, or read with gaps or doubts."""

    received: int = 0
    reading: int = 0
    ready: int = 0
    refused: int = 0
    attention: int = 0


@dataclass(frozen=True)
class PageSizeView:
    """A page's size in PDF points (0 where it has no picture) and its name, if it has one (a sheet, a slide)."""

    number: int
    label: str
    width: float
    height: float


@dataclass(frozen=True)
class PassageText:
    """A passage's text without its marks. `page` is None where the format has no pages."""

    ordinal: int
    text: str
    headings: tuple[str, ...]
    page: int | None


@dataclass(frozen=True)
class PassageView:
    """A passage with what is needed to show where it stands.

    `marks` cover `text` line by line: characters [start, end), the page, and the box on it in PDF points from
    the top left (None where there is nothing to point at). `page`, `label`, `page_width`, `page_height` are
    those of the page the passage begins on; `pages` are all it touches. `page` is None where the format has
    no pages. `neighbours`: the passages right before and after it, as far as there are any.
    `replaced`: the document is an earlier revision of `newest_id` (or is itself no longer where it came from).
    """

    document_id: str
    document_name: str
    ordinal: int
    page: int | None
    label: str
    headings: tuple[str, ...]
    text: str
    marks: tuple[Mark, ...]
    page_width: float
    page_height: float
    pages: tuple[PageSizeView, ...] = ()
    neighbours: tuple[PassageText, ...] = ()
    revision: int = 1
    replaced: bool = False
    newest_id: str = ""


@dataclass(frozen=True)
class Neighbours:
    """What stands right before and after passage `ordinal`, in the document's order."""

    document_id: str
    ordinal: int
    before: tuple[PassageText, ...]
    after: tuple[PassageText, ...]


@dataclass(frozen=True)
class DocumentText:
    """Passages [first, first + len(passages)) of a document, in order; `total` is how many it has."""

    document_id: str
    document_name: str
    first: int
    total: int
    passages: tuple[PassageText, ...] = field(default=())
