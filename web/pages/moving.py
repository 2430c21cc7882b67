"""Renaming a document and moving it, in a dialog or on a page of its own."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from app.collections.access import find, readable
from app.documents.move import move_document
from app.documents.read import get_document
from web.deps import ServicesDep
from web.pages.person import PersonDep
from web.pages.view import go, is_part, render

router = APIRouter()


@router.get("/documents/{document_id}/move")
def ask(request: Request, services: ServicesDep, person: PersonDep, document_id: str) -> Response:
    with services.database.session() as db:
        document = get_document(db, person, document_id)
        find(db, person, document.collection_id, edit=True)
        collections = [one for one in readable(db, person) if one.may_edit]
    return render(request, "move.html", part=is_part(request), document=document, collections=collections)


@router.post("/documents/{document_id}/move")
def move(
    request: Request,
    services: ServicesDep,
    person: PersonDep,
    document_id: str,
    name: Annotated[str, Form()] = "",
    folder: Annotated[str, Form()] = "",
    collection: Annotated[str, Form()] = "",
) -> Response:
    moved = move_document(services, person, document_id, name=name, folder=folder, collection_id=collection or None)
    return go(request, f"/collections/{moved.collection_id}/documents")
