"""For administrators: how each replica of the engine is doing, asked for again every five seconds."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from app.accounts.types import Viewer
from app.engine_report import report
from web.deps import ServicesDep
from web.errors import no_such_page
from web.language import words_for
from web.pages.person import PersonDep
from web.pages.view import is_part, render
from web.plots import plots

router = APIRouter()


def get_operator(person: PersonDep) -> Viewer:
    """For others there is no such page."""
    if not person.is_admin:
        raise no_such_page()
    return person


OperatorDep = Annotated[Viewer, Depends(get_operator)]


@router.get("/administration/engine")
def show(request: Request, services: ServicesDep, operator: OperatorDep) -> Response:
    told = report(services.engine_handle.replicas(), services.engine_watch)
    words = words_for(request)
    template = "parts/engine_figures.html" if is_part(request) else "engine.html"
    return render(request, template, told=told, drawn={one.name: plots(one, told.at, words) for one in told.replicas})
