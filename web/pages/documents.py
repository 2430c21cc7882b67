"""Documents for people: the list with live states, upload, viewer, download, delete."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from app.accounts.types import Viewer
from app.collections.access import find
from app.collections.types import CollectionView
from app.documents import read
from app.documents.delete import delete_document
from app.documents.types import DocumentView
from app.services import Services
from web import downloads
from web.accepting import Accepted, accept_all
from web.deps import ServicesDep
from web.pages.person import PersonDep
from web.pages.view import go, is_part, render

router = APIRouter()
A_PAGE = 100  # documents in a list
PASSAGES = 40  # of a document's text
Number = Annotated[int, Query(ge=1, le=1_000_000)]


@router.get("/collections/{collection_id}/documents")
def show(
    request: Request,
    services: ServicesDep,
    person: PersonDep,
    collection_id: str,
    page: Number = 1,
    attention: bool = False,
) -> Response:
    return _list(request, services, person, collection_id, page=page, attention=attention)


def _list(
    request: Request,
    services: Services,
    person: Viewer,
    collection_id: str,
    *,
    page: int = 1,
    attention: bool = False,
    results: list[Accepted] | None = None,
) -> Response:
    since = time.time()
    with services.database.session() as db:
        collection = find(db, person, collection_id)
        offset = (page - 1) * A_PAGE
        documents = read.list_documents(db, person, collection_id, limit=A_PAGE, offset=offset, attention=attention)
        states = read.counts(db, person, collection_id)
    return render(
        request,
        "documents.html",
        collection=collection,
        documents=documents,
        states=states,
        since=since,
        page=page,
        pages=max(1, -(-(states.attention if attention else collection.documents) // A_PAGE)),
        attention=attention,
        limit_mib=services.settings.upload_mib,
        results=results or [],
    )


@router.post("/collections/{collection_id}/documents")
async def upload(request: Request, services: ServicesDep, person: PersonDep, collection_id: str) -> Response:
    results = [result async for result in accept_all(request, services, person, collection_id)]
    if is_part(request):
        collection = await run_in_threadpool(_collection, services, person, collection_id)
        return render(request, "parts/uploaded.html", results=results, collection=collection)
    if all(result.document for result in results):
        return go(request, f"/collections/{collection_id}/documents")
    return await run_in_threadpool(_list, request, services, person, collection_id, results=results)


def _collection(services: Services, person: Viewer, collection_id: str) -> CollectionView:
    with services.database.session() as db:
        return find(db, person, collection_id)


@router.get("/collections/{collection_id}/documents/changes")
def changes(
    request: Request,
    services: ServicesDep,
    person: PersonDep,
    collection_id: str,
    since: Annotated[float, Query(ge=0, allow_inf_nan=False)] = 0,
    total: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Response:
    """Rows that changed, each to take the place of the old one; the part that asks for them asks again."""
    with services.database.session() as db:
        collection = find(db, person, collection_id)
        changed = read.changes(db, person, collection_id, since)
        states = read.counts(db, person, collection_id)
    return render(
        request,
        "parts/changes.html",
        collection=collection,
        changed=changed,
        states=states,
        total=total,
    )


@router.get("/documents/{document_id}")
def view(request: Request, services: ServicesDep, person: PersonDep, document_id: str, page: Number = 1) -> Response:
    with services.database.session() as db:
        document = read.get_document(db, person, document_id)
        collection = find(db, person, document.collection_id)
        revisions = read.revisions(db, person, document_id)
    pictures = document.format == "pdf" and document.state == "ready"
    pages = _pages(document, pictures)
    page, text = min(page, pages), None
    if not pictures and document.state == "ready":
        first = (page - 1) * PASSAGES
        text = read.document_text(services, person, document_id, first=first, limit=PASSAGES)
    return render(
        request,
        "document.html",
        document=document,
        collection=collection,
        page=page,
        pages=pages,
        pictures=pictures,
        text=text,
        revisions=revisions,
    )


def _pages(document: DocumentView, pictures: bool) -> int:
    return max(1, document.pages_total if pictures else -(-document.passages // PASSAGES))


@router.get("/documents/{document_id}/original")
def original(services: ServicesDep, person: PersonDep, document_id: str) -> Response:
    return downloads.original_file(services, person, document_id)


@router.get("/documents/{document_id}/pages/{page}.png")
async def picture(
    services: ServicesDep, person: PersonDep, document_id: str, page: Annotated[int, Path(ge=1, le=1_000_000)]
) -> Response:
    return await downloads.picture(services, person, document_id, page)


@router.get("/documents/{document_id}/delete")
def confirm(request: Request, services: ServicesDep, person: PersonDep, document_id: str) -> Response:
    with services.database.session() as db:
        document = read.get_document(db, person, document_id)
        collection = find(db, person, document.collection_id, edit=True)
        revisions = read.revisions(db, person, document_id)
    return render(
        request,
        "confirm/document.html",
        part=is_part(request),
        document=document,
        collection=collection,
        revisions=revisions,
    )


@router.post("/documents/{document_id}/delete")
def delete(request: Request, services: ServicesDep, person: PersonDep, document_id: str) -> Response:
    with services.database.session() as db:
        collection_id = read.get_document(db, person, document_id).collection_id
    delete_document(services, person, document_id)
    return go(request, f"/collections/{collection_id}/documents")
