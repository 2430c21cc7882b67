"""Fetching the model bundles with progress bars, for every command that needs a model."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from app.cli.timings import FirstRun
from app.config import Settings
from app.errors import Invalid
from models.bundles import BundleError, prepare


@dataclass(frozen=True)
class ModelFolders:
    """Ready-made folders. `model` is None when an engine elsewhere serves the model."""

    embedder: Path
    model: Path | None


class Bars:
    """Draws one bar a step. Implements `models.bundles.Progress`."""

    def __init__(self, console: Console, first_run: FirstRun | None) -> None:
        self._bars = Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[share]}"), TimeElapsedColumn(),
            console=console, transient=False,
        )  # fmt: skip
        self._tasks: dict[str, TaskID] = {}
        self._begun: dict[str, float] = {}
        self._first_run = first_run

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def step(self, name: str, done: int, total: int) -> None:
        """`done` of `total` bytes (or parts) of a step; `total` 0 while it is unknown."""
        if name not in self._tasks:
            self._begun[name] = time.monotonic()
            self._tasks[name] = self._bars.add_task(name, total=None, share="")
            if not self._bars.console.is_terminal:  # bars are drawn at the end only there: say what is going on
                self._bars.console.print(f"{name} ...")
        share = f"{100 * done // total:3d} %" if total else ""
        self._bars.update(self._tasks[name], completed=done, total=total or None, share=share)
        if total and done >= total and self._first_run and name in self._begun:
            self._first_run.add(name, time.monotonic() - self._begun.pop(name), total)


def prepare_embedder(settings: Settings, console: Console) -> Path:
    """The embedder alone, for what needs no language model."""
    try:
        with Bars(console, None) as bars:
            return prepare(settings.embedder, settings.models_dir, bars)
    except BundleError as error:
        raise Invalid(str(error), error.hint) from error


def prepare_models(settings: Settings, console: Console, first_run: FirstRun | None = None) -> ModelFolders:
    """Embedder and, unless another engine serves it, language model: fetched, verified and converted where needed."""
    try:
        with Bars(console, first_run) as bars:
            embedder = prepare(settings.embedder, settings.models_dir, bars)
            model = None if settings.engine_url else prepare(settings.model, settings.models_dir, bars)
    except BundleError as error:
        raise Invalid(str(error), error.hint) from error
    return ModelFolders(embedder, model)
