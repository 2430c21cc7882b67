"""What stands before and after a passage, one passage at a time, for whoever reads a source."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from app.documents.read import neighbours
from web.deps import ServicesDep
from web.pages.person import PersonDep
from web.pages.view import render

router = APIRouter(prefix="/documents/{document_id}/passages/{ordinal}")
Ordinal = Annotated[int, Path(ge=0, le=1_000_000_000)]


@router.get("/before")
def before(request: Request, services: ServicesDep, person: PersonDep, document_id: str, ordinal: Ordinal) -> Response:
    near = neighbours(services, person, document_id, ordinal).before
    return render(request, "parts/nearby.html", document_id=document_id, side="before", near=near)


@router.get("/after")
def after(request: Request, services: ServicesDep, person: PersonDep, document_id: str, ordinal: Ordinal) -> Response:
    near = neighbours(services, person, document_id, ordinal).after
    return render(request, "parts/nearby.html", document_id=document_id, side="after", near=near)
