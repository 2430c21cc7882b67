"""All pages together."""

from __future__ import annotations

from fastapi import APIRouter

from web.pages import (
    account,
    administration,
    collection,
    conversation,
    documents,
    engine,
    home,
    moving,
    nearby,
    sharing,
    sign_in,
    source,
)

router = APIRouter()
for part in (
    sign_in,
    home,
    collection,
    documents,
    moving,
    sharing,
    conversation,
    source,
    nearby,
    account,
    administration,
    engine,
):
    router.include_router(part.router)
