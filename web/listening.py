"""Listening to an answer on behalf of a browser or program, for as long as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from app.accounts.types import Viewer
from app.questions.conversations import get_conversation
from app.questions.events import Event
from app.questions.types import AnswerView
from app.services import Services


async def events_of(services: Services, viewer: Viewer, answer_id: str, after: int) -> AsyncIterator[Event]:
    """The desk's events; its iterator is closed at once when the listener goes."""
    events = cast(Any, services.desk.events(viewer, answer_id, after))
    try:
        async for event in events:
            yield event
    finally:
        await events.aclose()


async def result_while_listening(request: Request, services: Services, viewer: Viewer, answer_id: str) -> AnswerView:
    """The finished answer. When the client goes away nobody listens any more, and the desk stops writing."""
    waiting = asyncio.ensure_future(services.desk.result(viewer, answer_id))
    leaving = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({waiting, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            raise ClientDisconnect
        return waiting.result()
    finally:
        leaving.cancel()
        waiting.cancel()
        await asyncio.gather(waiting, leaving, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def stop_running(services: Services, viewer: Viewer, conversation_id: str) -> None:
    """Stops what is still being written in a conversation, before it is deleted."""
    for answer_id in await run_in_threadpool(_unfinished, services, viewer, conversation_id):
        await services.desk.stop(viewer, answer_id)


def _unfinished(services: Services, viewer: Viewer, conversation_id: str) -> list[str]:
    with services.database.session() as db:
        answers = get_conversation(db, viewer, conversation_id).answers
    return [answer.id for answer in answers if not answer.ended]
