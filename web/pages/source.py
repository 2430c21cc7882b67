"""The source panel: where a citation stands, with exactly its lines marked, on the page or in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from starlette.concurrency import run_in_threadpool

from app.accounts.types import Viewer
from app.documents.marks import cells_of
from app.documents.read import passage
from app.documents.types import PageSizeView, PassageView
from app.errors import NotFound
from app.questions.types import CitationView
from app.services import Services
from web.deps import ServicesDep
from web.errors import no_such_page
from web.pages.person import PersonDep
from web.pages.view import is_part, render

router = APIRouter(prefix="/answers/{answer_id}")
PAD = 1.0  # points around a line, so that the mark does not cut letters
Index = Annotated[int, Path(ge=0, le=10_000)]


@dataclass(frozen=True)
class Line:
    """A marked line: a rectangle in the page's points."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class MarkedPage:
    """A page picture and the lines to mark on it."""

    page: PageSizeView
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Source:
    """A citation where it stands. Without page pictures `before`, `marked` and `after` are the passage's text."""

    citation: CitationView
    view: PassageView
    pages: tuple[MarkedPage, ...]
    before: str
    marked: str
    after: str
    cells: str


@router.get("/sources/{statement}/{position}")
async def cited(
    request: Request, services: ServicesDep, person: PersonDep, answer_id: str, statement: Index, position: Index
) -> Response:
    answer = await services.desk.answer(person, answer_id)
    if statement >= len(answer.statements) or position >= len(answer.statements[statement].citations):
        raise no_such_page()
    citation = answer.statements[statement].citations[position]
    return await _show(request, services, person, citation, answer.conversation_id)


@router.get("/nearest/{position}")
async def near(request: Request, services: ServicesDep, person: PersonDep, answer_id: str, position: Index) -> Response:
    answer = await services.desk.answer(person, answer_id)
    if position >= len(answer.nearest):
        raise no_such_page()
    return await _show(request, services, person, answer.nearest[position], answer.conversation_id)


async def _show(
    request: Request, services: Services, person: Viewer, citation: CitationView, conversation_id: str
) -> Response:
    source = await run_in_threadpool(_load, services, person, citation)
    template = "parts/source.html" if is_part(request) else "source.html"
    return render(request, template, source=source, citation=citation, conversation_id=conversation_id)


def _load(services: Services, person: Viewer, citation: CitationView) -> Source | None:
    """None when the document was deleted."""
    if citation.document_id is None or citation.deleted:
        return None
    try:
        view = passage(services, person, citation.document_id, citation.ordinal)
    except NotFound:
        return None
    start, end = citation.start, citation.end
    return Source(
        citation=citation,
        view=view,
        pages=_pages(view, start, end),
        before=view.text[:start],
        marked=view.text[start:end],
        after=view.text[end:],
        cells=cells_of(view.marks, start, end),
    )


def _pages(view: PassageView, start: int, end: int) -> tuple[MarkedPage, ...]:
    """The pages that have a picture and a marked line on it."""
    sized = [page for page in view.pages if page.width > 0 and page.height > 0]
    marked = (MarkedPage(page, tuple(_lines(view, page.number, start, end))) for page in sized)
    return tuple(page for page in marked if page.lines)


def _lines(view: PassageView, number: int, start: int, end: int) -> Iterator[Line]:
    for mark in view.marks:
        if mark.page == number and mark.start < end and mark.end > start and mark.box is not None:
            box = mark.box
            yield Line(box.x0 - PAD, box.y0 - PAD, box.x1 - box.x0 + 2 * PAD, box.y1 - box.y0 + 2 * PAD)
