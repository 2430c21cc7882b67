"""The start page: collections and a form for a new one; and the notice on how the engine is."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response

from app.collections import edit
from app.collections.access import readable
from web.deps import ServicesDep
from web.pages.person import PersonDep
from web.pages.view import go, render

router = APIRouter()


@router.get("/")
def home(request: Request, services: ServicesDep, person: PersonDep) -> Response:
    with services.database.session() as db:
        collections = readable(db, person)
    return render(request, "home.html", collections=collections)


@router.post("/collections")
def create(
    request: Request, services: ServicesDep, person: PersonDep, name: Annotated[str, Form(max_length=2000)] = ""
) -> Response:
    with services.database.session() as db:
        collection = edit.create(db, person, name)
    return go(request, f"/collections/{collection.id}/documents")


@router.get("/engine")
def engine(
    request: Request, services: ServicesDep, person: PersonDep, was: Annotated[str, Query(max_length=20)] = ""
) -> Response:
    """The notice while the engine is not ready; empty when it is. It asks for itself again."""
    status = services.engine_status()
    return render(request, "parts/engine.html", engine=status, was=was, seconds=time.time() - status.since)
