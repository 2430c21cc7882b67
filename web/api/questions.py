"""Asking, and what becomes of a question: the answer, its events, stop and retry."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Request, Response

from app.accounts.types import Viewer
from app.services import Services
from web.api import present, shapes
from web.deps import ServicesDep, ViewerDep
from web.language import words_for
from web.listening import events_of, result_while_listening
from web.messages import Words
from web.sse import After, EventStream, encode, last_event_id

router = APIRouter(tags=["Questions"])
AnswerId = Annotated[str, Path(description="Id of the answer.")]
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; as server-sent events they are named as in `event` of their JSON data and end with "
        "done, stopped or failed.",
        "content": {"text/event-stream": {}},  # a schema would be of the whole stream, which JSON Schema cannot say
    }
}


@router.post("/ask", summary="Ask the documents of a collection", response_model=shapes.Answer, responses=_STREAM)
async def ask(request: Request, services: ServicesDep, viewer: ViewerDep, given: shapes.Question) -> Any:
    """With `stream` the reply is `text/event-stream`, otherwise JSON once the answer is complete. An answer is
    written only while somebody listens; it is kept, and goes on where it was when somebody listens again."""
    view = await services.desk.ask(viewer, given.collection, given.question, given.conversation)
    if given.stream:
        return _stream(services, viewer, view.id, 0, words_for(request))
    return present.answer(await result_while_listening(request, services, viewer, view.id), words_for(request))


@router.get("/answers/{answer_id}", summary="An answer as it stands now")
async def get_answer(request: Request, services: ServicesDep, viewer: ViewerDep, answer_id: AnswerId) -> shapes.Answer:
    return present.answer(await services.desk.answer(viewer, answer_id), words_for(request))


@router.get(
    "/answers/{answer_id}/events", summary="Events so far, then live", response_class=Response, responses=_STREAM
)
async def get_events(
    request: Request,
    services: ServicesDep,
    viewer: ViewerDep,
    answer_id: AnswerId,
    after: After = 0,
    last_event: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
) -> Response:
    await services.desk.answer(viewer, answer_id)
    return _stream(services, viewer, answer_id, last_event_id(last_event, after), words_for(request))


@router.post("/answers/{answer_id}/stop", summary="Stop writing; what has arrived is kept")
async def stop(request: Request, services: ServicesDep, viewer: ViewerDep, answer_id: AnswerId) -> shapes.Answer:
    return present.answer(await services.desk.stop(viewer, answer_id), words_for(request))


@router.post("/answers/{answer_id}/retry", status_code=202, summary="Ask the same question again in its place")
async def retry(request: Request, services: ServicesDep, viewer: ViewerDep, answer_id: AnswerId) -> shapes.Answer:
    return present.answer(await services.desk.retry(viewer, answer_id), words_for(request))


def _stream(services: Services, viewer: Viewer, answer_id: str, after: int, words: Words) -> Response:
    async def events() -> AsyncIterator[bytes]:
        async for happened in events_of(services, viewer, answer_id, after):
            fields = present.event(happened, words)
            yield encode(fields["event"], json.dumps(fields, ensure_ascii=False), happened.seq)

    return EventStream(events())
