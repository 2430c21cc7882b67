"""A conversation: questions and answers, live while they are written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Form, Header, Request, Response
from starlette.concurrency import run_in_threadpool

from app.accounts.types import Viewer
from app.collections.access import find
from app.collections.types import CollectionView
from app.questions.conversations import delete_conversation, get_conversation
from app.questions.types import ConversationView
from app.services import Services
from web.deps import ServicesDep
from web.language import words_for
from web.listening import events_of, stop_running
from web.pages.answers import shown
from web.pages.live import LiveAnswer
from web.pages.person import PersonDep
from web.pages.view import go, is_part, render
from web.sse import After, EventStream, last_event_id

router = APIRouter()


@router.get("/conversations/{conversation_id}")
def show(request: Request, services: ServicesDep, person: PersonDep, conversation_id: str) -> Response:
    conversation, collection = _load(services, person, conversation_id)
    words = words_for(request)
    answers = [shown(view, words) for view in conversation.answers]
    return render(request, "conversation.html", conversation=conversation, collection=collection, answers=answers)


def _load(services: Services, person: Viewer, conversation_id: str) -> tuple[ConversationView, CollectionView]:
    with services.database.session() as db:
        conversation = get_conversation(db, person, conversation_id)
        return conversation, find(db, person, conversation.collection_id)


@router.post("/conversations/{conversation_id}/ask")
async def ask(
    request: Request,
    services: ServicesDep,
    person: PersonDep,
    conversation_id: str,
    question: Annotated[str, Form()] = "",
) -> Response:
    conversation, _ = await run_in_threadpool(_load, services, person, conversation_id)
    answer = await services.desk.ask(person, conversation.collection_id, question, conversation_id)
    if is_part(request):
        return render(request, "parts/answer.html", answer=shown(answer, words_for(request)))
    return go(request, f"/conversations/{conversation_id}#answer-{answer.id}")


@router.get("/answers/{answer_id}/events")
async def events(
    request: Request,
    services: ServicesDep,
    person: PersonDep,
    answer_id: str,
    after: After = 0,
    last_event: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
) -> Response:
    """The answer's events as pieces of the page (the API has them as JSON)."""
    live = LiveAnswer(request, await services.desk.answer(person, answer_id))
    begin = last_event_id(last_event, after)
    pieces = live.from_start() if begin == 0 else live.from_event()

    async def send() -> AsyncIterator[bytes]:
        async for event in events_of(services, person, answer_id, begin):
            for piece in pieces(event):
                yield piece

    return EventStream(send())


@router.post("/answers/{answer_id}/stop")
async def stop(request: Request, services: ServicesDep, person: PersonDep, answer_id: str) -> Response:
    answer = await services.desk.stop(person, answer_id)
    if is_part(request):
        return Response(status_code=204)  # the stream of events brings the end
    return go(request, f"/conversations/{answer.conversation_id}#answer-{answer_id}")


@router.post("/answers/{answer_id}/retry")
async def retry(request: Request, services: ServicesDep, person: PersonDep, answer_id: str) -> Response:
    answer = await services.desk.retry(person, answer_id)
    if is_part(request):
        return render(request, "parts/answer.html", answer=shown(answer, words_for(request)))
    return go(request, f"/conversations/{answer.conversation_id}#answer-{answer.id}")


@router.get("/conversations/{conversation_id}/delete")
def confirm(request: Request, services: ServicesDep, person: PersonDep, conversation_id: str) -> Response:
    conversation, collection = _load(services, person, conversation_id)
    return render(
        request, "confirm/conversation.html", part=is_part(request), conversation=conversation, collection=collection
    )


@router.post("/conversations/{conversation_id}/delete")
async def delete(request: Request, services: ServicesDep, person: PersonDep, conversation_id: str) -> Response:
    conversation, _ = await run_in_threadpool(_load, services, person, conversation_id)
    await stop_running(services, person, conversation_id)
    await run_in_threadpool(_delete, services, person, conversation_id)
    return go(request, f"/collections/{conversation.collection_id}")


def _delete(services: Services, person: Viewer, conversation_id: str) -> None:
    with services.database.session() as db:
        delete_conversation(db, person, conversation_id)
