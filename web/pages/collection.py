"""A collection's first tab: ask, and earlier conversations."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from app.collections.access import find
from app.documents.read import counts
from app.questions.conversations import list_conversations
from web.deps import ServicesDep
from web.pages.person import PersonDep
from web.pages.view import go, render

router = APIRouter()


@router.get("/collections/{collection_id}")
def show(request: Request, services: ServicesDep, person: PersonDep, collection_id: str) -> Response:
    with services.database.session() as db:
        collection = find(db, person, collection_id)
        conversations = list_conversations(db, person, collection_id)
        states = counts(db, person, collection_id)
    return render(request, "collection.html", collection=collection, conversations=conversations, states=states)


@router.post("/collections/{collection_id}/ask")
async def ask(
    request: Request,
    services: ServicesDep,
    person: PersonDep,
    collection_id: str,
    question: Annotated[str, Form()] = "",
) -> Response:
    answer = await services.desk.ask(person, collection_id, question)
    return go(request, f"/conversations/{answer.conversation_id}")
