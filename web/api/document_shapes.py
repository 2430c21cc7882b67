"""What the API takes and gives of documents: how they were read, their revisions, their passages."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from web.api.shapes import Given, Problem, Shape


class DocumentWarning(Shape):
    code: str
    text: str
    page: int | None


PageRanges = list[tuple[int, int]]


class Skipped(Shape):
    code: str
    text: str
    pages: PageRanges = Field(description="First and last numbers; empty for the whole file.")


class Health(Shape):
    """How well a document was read. Pages are given as ranges: first and last number."""

    pages: int = Field(description="0 where the format has no pages.")
    pages_without_text: PageRanges = Field(description="Pages that yielded none, blank ones too.")
    pages_recognised: PageRanges = Field(description="Pages that were recognised (OCR).")
    confidence: float | None = Field(description="How sure recognition was (0 to 100), null where there was none.")
    pages_unsure: PageRanges = Field(description="Recognised pages that have to be compared with the original.")
    tables: int
    headings: int
    language: str = Field(description="ISO 639-1; empty when unclear.")
    passages: int | None
    skipped: list[Skipped] = Field(description="What was not read, or otherwise than it looks, and why.")
    reasons: list[Literal["partial", "low_confidence", "pages_without_text"]] = Field(
        description="Why somebody should look at the document; empty when all is well."
    )


class Refusal(Shape):
    code: str
    reason: str
    hint: str


class Document(Shape):
    id: str
    collection: str = Field(validation_alias="collection_id")
    name: str
    folder: str
    size: int = Field(description="Bytes.")
    format: str
    state: Literal["received", "reading", "ready", "refused"]
    outcome: str = Field(description="Empty until read, then text, partial, ocr or refused.")
    pages_read: int
    pages_total: int = Field(description="0 while unknown.")
    passages: int
    refusal: Refusal | None = Field(None, description="Why it could not be read, when `state` is refused.")
    warnings: list[DocumentWarning]
    title: str
    language: str
    parent: str | None = Field(validation_alias="parent_id", description="The mail or archive it came in.")
    sha256: str
    created_at: datetime
    health: Health | None = Field(description="Null until read, and for what was read before there were reports.")
    attention: bool = Field(description="Somebody should look at it: refused, or read with gaps or doubts.")
    existed: bool = Field(False, description="The same file was there already; nothing was stored twice.")
    revision: int = Field(description="From 1: other bytes under the same name and folder are the next revision.")
    newest: str = Field(validation_alias="newest_id", description="Id of the newest revision, as a rule this one.")
    searched_revision: int | None = Field(description="The one that searches look at: the newest that is ready.")
    replaced_at: datetime | None = Field(
        description="Since when this one is not searched any more: a newer revision is, or its archive has it no more."
    )


class Revision(Shape):
    id: str
    revision: int
    size: int
    state: Literal["received", "reading", "ready", "refused"]
    uploaded_by: str
    sha256: str
    created_at: datetime
    searched: bool


class WholeDocument(Document):
    revisions: list[Revision] = Field(description="Newest first, this one among them.")


class DocumentChange(Given):
    """What is left out stays as it is."""

    name: str | None = Field(None, min_length=1, max_length=400)
    folder: str | None = Field(None, max_length=1000, description="Empty: in no folder.")
    collection: str | None = Field(None, min_length=1, max_length=64, description="Id of the one it is to be in.")


class NotAccepted(BaseModel):
    """A file that was not stored."""

    name: str
    folder: str
    problem: Problem


class Uploaded(BaseModel):
    new: int
    changed: int = Field(description="Other bytes under a known name: the next revision of that document.")
    unchanged: int = Field(description="Known already, name and bytes.")
    documents: list[Document]
    not_accepted: list[NotAccepted]


class DocumentList(BaseModel):
    documents: list[Document]
    total: int


class Box(Shape):
    x0: float
    y0: float
    x1: float
    y1: float


class Mark(Shape):
    start: int
    end: int
    page: int
    box: Box | None = Field(description="PDF points from the top left of the page.")
    cells: str = Field(description="Cells of a sheet, such as A5:D5; empty elsewhere.")


class Passage(Shape):
    document_id: str
    document: str = Field(validation_alias="document_name")
    ordinal: int
    page: int | None
    headings: list[str]
    text: str
    marks: list[Mark]
    page_width: float
    page_height: float
    revision: int = Field(description="Of the document.")
    replaced: bool = Field(description="The document is an earlier revision: searches look at a newer one.")
    newest: str = Field(validation_alias="newest_id", description="Id of the document's newest revision.")


class PassageText(Shape):
    ordinal: int
    page: int | None
    headings: list[str]
    text: str


class Neighbours(Shape):
    document_id: str
    ordinal: int
    before: list[PassageText] = Field(description="In the document's order: the last one stands right before.")
    after: list[PassageText]
