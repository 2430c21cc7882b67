"""`beleg ask`: a question on the command line, answered with its proof, for people or as JSON for programs."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.markup import escape

from app.cli.bundles import ModelFolders, prepare_models
from app.config import Settings
from app.engine import EngineHandle, OwnEngine, find_running
from app.errors import EngineFailed
from app.folders import make_folders
from app.questions.types import AnswerView, CitationView, StatementView

if TYPE_CHECKING:  # imported where they are used: they take seconds
    from app.accounts.types import Viewer
    from app.services import Services

errors = Console(stderr=True, highlight=False)
ENGINE_WAIT_SECONDS = 600


def ask(
    question: str = typer.Argument(help="What you want to know."),
    collection: str = typer.Option(..., "--collection", "-c", help="Name or id of the collection to ask in."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON for programs."),
    person: str = typer.Option("", "--as", help="Ask as this person; without it, as the first administrator."),
) -> None:
    """Ask a question in a collection. Uses the engine of a running `beleg up`, else starts one for this question."""
    settings = Settings()
    make_folders(settings)
    with open_services(settings) as services:
        answer = asyncio.run(_answer(services, person, collection, question))
    if answer.state == "failed":
        raise EngineFailed(answer.error or "The engine stopped while answering.", answer.hint)
    if as_json:
        print(json.dumps(as_dict(answer), ensure_ascii=False))
    else:
        _show(answer)


@contextmanager
def open_services(settings: Settings) -> Iterator[Services]:
    """Services on the running engine, or on one of our own that lives as long as the block."""
    running = find_running(settings)
    folders = prepare_models(settings, errors)
    with open_services_on(settings, folders, running or OwnEngine(settings, folders.model)) as services:
        yield services


@contextmanager
def open_services_on(settings: Settings, folders: ModelFolders, engine: EngineHandle) -> Iterator[Services]:
    """Services on this engine, once it is ready; the engine is let go of at the end."""
    from app.services import Services

    try:
        services = Services(settings, engine, folders.embedder, folders.model)
        wait_until_ready(engine)
        yield services
    finally:
        engine.stop()


def wait_until_ready(engine: EngineHandle) -> None:
    """Says what it waits for; raises EngineFailed when the engine gave up or ten minutes are over."""
    begun = time.monotonic()
    with errors.status("Waiting for the engine ...") as line:
        while (status := engine.status()).state != "ready":
            waited = time.monotonic() - begun
            if status.state == "failed" or waited > ENGINE_WAIT_SECONDS:
                raise EngineFailed("The engine did not start: %(detail)s", "Run `beleg doctor`.", detail=status.detail)
            line.update(f"The engine is starting ({waited:.0f} s) {status.detail}")
            time.sleep(0.25)


async def _answer(services: Services, person: str, collection: str, question: str) -> AnswerView:
    try:
        viewer, collection_id = await asyncio.to_thread(_who_and_where, services, person, collection)
        await services.desk.start()
        asked = await services.desk.ask(viewer, collection_id, question)
        return await services.desk.result(viewer, asked.id)
    finally:
        await services.close()


def _who_and_where(services: Services, person: str, collection: str) -> tuple[Viewer, str]:
    from app.accounts.first import local_viewer
    from app.cli.collection import collection_named

    with services.database.session() as db:
        viewer = local_viewer(db, person)
        return viewer, collection_named(db, viewer, collection).id


def as_dict(answer: AnswerView) -> dict[str, Any]:
    """The JSON of one answer, the same here and in the API."""
    trace = answer.trace
    return {
        "answer": answer.text,
        "verdict": answer.verdict,
        "statements": [_statement(statement) for statement in answer.statements if statement.kind == "statement"],
        "nearest": [_citation(citation) for citation in answer.nearest],
        "trace": {
            "prompt_tokens": trace.prompt_tokens,
            "cached_tokens": trace.cached_tokens,
            "queue_ms": trace.queue_ms,
            "retrieval_ms": trace.retrieval_ms,
            "first_token_ms": trace.first_token_ms,
            "total_ms": trace.total_ms,
        },
    }


def _statement(statement: StatementView) -> dict[str, Any]:
    return {
        "text": statement.text,
        "verdict": statement.verdict,
        "reasons": [str(reason) for reason in statement.reasons],
        "citations": [_citation(citation) for citation in statement.citations],
    }


def _citation(citation: CitationView) -> dict[str, Any]:
    return {"document": citation.document, "page": citation.page, "quote": citation.quote}


def _show(answer: AnswerView) -> None:
    console = Console(highlight=False)
    sources: list[CitationView] = []
    for statement in answer.statements:
        numbers = [_number(sources, citation) for citation in statement.citations]
        marks = "".join(f" [cyan]\\[{number}][/]" for number in numbers)
        doubt = (
            " [yellow](unproved: " + escape("; ".join(map(str, statement.reasons))) + ")[/]"
            if statement.verdict == "unproved"
            else ""
        )
        console.print(escape(statement.lead + statement.text) + marks + doubt, end="", soft_wrap=True)
    if not answer.statements:
        console.print(escape(answer.text), soft_wrap=True)
    console.print("\n")
    for number, citation in enumerate(sources or answer.nearest, 1):
        page = f", page {citation.page}" if citation.page else ""
        console.print(
            f"[cyan]\\[{number}][/] [bold]{escape(citation.document)}[/]{page}: {escape(citation.quote)}",
            soft_wrap=True,
        )


def _number(sources: list[CitationView], citation: CitationView) -> int:
    if citation not in sources:
        sources.append(citation)
    return sources.index(citation) + 1
