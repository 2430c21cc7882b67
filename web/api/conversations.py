"""Conversations: yours alone, in one collection."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.concurrency import run_in_threadpool

from app.accounts.types import Viewer
from app.questions.conversations import delete_conversation, get_conversation, list_conversations
from app.services import Services
from web.api import present, shapes
from web.api.collections import CollectionId
from web.deps import ServicesDep, ViewerDep
from web.language import words_for
from web.listening import stop_running

router = APIRouter(tags=["Conversations"])
ConversationId = Annotated[str, Path(description="Id of the conversation.")]


@router.get("/collections/{collection_id}/conversations", summary="Your conversations in a collection, newest first")
def list_all(services: ServicesDep, viewer: ViewerDep, collection_id: CollectionId) -> list[shapes.Conversation]:
    with services.database.session() as db:
        return [shapes.Conversation.model_validate(view) for view in list_conversations(db, viewer, collection_id)]


@router.get("/conversations/{conversation_id}", summary="A conversation with its answers")
def get_one(
    request: Request, services: ServicesDep, viewer: ViewerDep, conversation_id: ConversationId
) -> shapes.WholeConversation:
    with services.database.session() as db:
        return present.conversation(get_conversation(db, viewer, conversation_id), words_for(request))


@router.delete("/conversations/{conversation_id}", status_code=204, summary="Delete with all its answers")
async def delete(services: ServicesDep, viewer: ViewerDep, conversation_id: ConversationId) -> None:
    await stop_running(services, viewer, conversation_id)
    await run_in_threadpool(_delete, services, viewer, conversation_id)


def _delete(services: Services, viewer: Viewer, conversation_id: str) -> None:
    with services.database.session() as db:
        delete_conversation(db, viewer, conversation_id)
