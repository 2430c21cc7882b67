"""`beleg bench`: measures on this machine and prints JSON. Absolute times are this machine's; compare ratios."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import typer

from app.cli import bench_engine
from app.cli.ask import errors, open_services_on
from app.cli.bundles import prepare_embedder, prepare_models
from app.config import Settings
from app.documents.limits import parse_limits
from app.engine import OwnEngine, find_running

app = typer.Typer(help="Measure on this machine; prints JSON.", no_args_is_help=True)
app.command("engine")(bench_engine.engine)


@app.command("first-run")
def first_run() -> None:
    """Seconds and bytes of each step of the first `make run`, as recorded."""
    from app.benchmarks.first_run import measure

    _print(measure(Settings()))


@app.command()
def ingest(
    path: Path = typer.Argument(help="A file, a folder of files, or a question set."),
    against: Path | None = typer.Option(
        None, help="Compare with pypdf, markitdown and docling on one core: the Python that has them installed."
    ),
) -> None:
    """Pages/s parsed, passages/s embedded, seconds until searchable, peak memory."""
    from app.benchmarks.dataset import document_files
    from app.benchmarks.ingest import measure
    from app.benchmarks.rivals import compare

    settings = Settings()
    if against is not None:
        with tempfile.TemporaryDirectory() as made:
            _print(compare(against, parse_limits(settings), document_files(path, Path(made))))
        return
    folders = prepare_models(settings, errors)
    with tempfile.TemporaryDirectory() as made:
        _print(measure(settings, folders, document_files(path, Path(made))))


@app.command()
def ask(
    path: Path = typer.Argument(help="A question set: docs/ or docs.jsonl, and questions.jsonl."),
    limit: int = typer.Option(24, help="Questions to ask, spread over the set."),
    reading: bool = typer.Option(False, help="Ask twice more: with nothing to read, and while documents are read."),
) -> None:
    """Milliseconds of all but the engine, time to first token, model calls a question; alone and eight at once."""
    from app.benchmarks.ask import measure
    from app.benchmarks.dataset import document_files, questions
    from app.benchmarks.sandboxed import scratch

    settings = Settings()
    folders = prepare_models(settings, errors)
    chosen = questions(path)
    chosen = chosen[:: max(1, len(chosen) // limit)][:limit]
    running = find_running(settings)
    with tempfile.TemporaryDirectory() as made, scratch(settings) as bench:
        files = document_files(path, Path(made))
        for file in files:
            bench.accept(file)
        bench.wait()
        engine = running or OwnEngine(bench.settings, folders.model)
        with open_services_on(bench.settings, folders, engine) as services:
            _print(asyncio.run(measure(services, bench, chosen, files if reading else ())))


@app.command()
def search(
    paths: list[Path] = typer.Argument(help="Question sets: docs.jsonl and questions.jsonl."),
    documents: Path | None = typer.Option(
        None, help="Ask these questions of another set's documents: the same questions in another language."
    ),
) -> None:
    """Share of questions whose passage is found first, or among the first five: by words, the embedder, and both."""
    from app.benchmarks.search import measure
    from models.embedder import load_embedder

    settings = Settings()
    _print(measure(load_embedder(prepare_embedder(settings, errors)), paths, documents))


def _print(figures: dict[str, Any]) -> None:
    print(json.dumps(figures, indent=1, ensure_ascii=False))
