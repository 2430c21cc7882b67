"""For administrators: how each replica of the engine is doing, asked for again every five seconds."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response

from app.accounts.types import Viewer
from app.engine_report import report
from app.engine_wish import ask_for_model, read_wish
from app.services import Services
from web.deps import ServicesDep
from web.errors import no_such_page
from web.language import words_for
from web.pages.person import PersonDep
from web.pages.view import go, is_part, render
from web.plots import plots

router = APIRouter()
Text = Annotated[str, Form(max_length=2000)]


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
    drawn = {one.name: plots(one, told.at, words) for one in told.replicas}
    return render(request, template, told=told, drawn=drawn, wish=read_wish(services.settings), own=_own(services))


@router.post("/administration/engine/model")
def change_model(request: Request, services: ServicesDep, operator: OperatorDep, model: Text = "") -> Response:
    """Leaves the wish; whoever runs the engines carries it out, and the page tells how far that is."""
    ask_for_model(services.settings, model)
    return go(request, "/administration/engine")


def _own(services: Services) -> bool:
    """Whether the engines are run by this Beleg, so that their model can be changed from here."""
    return not services.settings.engine_url
