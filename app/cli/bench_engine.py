"""`beleg bench engine`: what the engine does at once, what Beleg adds in front of it, who waits for whom."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import typer

from app.cli.ask import errors
from app.cli.bundles import prepare_models
from app.config import Settings
from app.errors import Invalid


class Part(StrEnum):
    """What can be measured by itself, in the order it is."""

    OVERHEAD = "overhead"
    BATCHING = "batching"
    POLICIES = "policies"


def engine(
    *,
    model: str = typer.Option("", help="Serve this model: a bundle's name, a hub id or a folder; empty: BELEG_MODEL."),
    picture: Path | None = typer.Option(None, help="Draw the figures into this SVG file."),
    quick: bool = typer.Option(False, help="Fewer and shorter requests: minutes less, and less sure."),
    only: list[Part] = typer.Option([], help="Measure this part only; may be given again."),
    prompt_words: int = typer.Option(0, min=0, help="Words of a prompt when batching is measured; 0: as usual, 60."),
    again: Path | None = typer.Option(None, help="Measure nothing: draw the picture of this JSON, printed before."),
) -> None:
    """Tokens/s and time to first token for 1 to 16 at once against one at a time and whole batches; milliseconds Beleg
    adds; scheduling policies under a flood. Starts engines of its own, or uses BELEG_ENGINE_URL."""
    from app.benchmarks.engine.measure import Folders, measure
    from app.benchmarks.engine.picture import draw
    from app.benchmarks.engine.size import FULL, QUICK

    if picture is not None and not picture.parent.is_dir():
        raise Invalid("There is no folder %(folder)s.", "Make it first.", folder=str(picture.parent))
    if again is None:
        settings = Settings()
        settings = settings.model_copy(update={"model": model}) if model else settings
        size = QUICK if quick else FULL
        size = replace(size, prompt_words=prompt_words) if prompt_words else size
        ready = prepare_models(settings, errors)
        figures = measure(
            settings, Folders(ready.embedder, ready.model), size, [part.value for part in only or Part], _teller()
        )
    else:
        figures = json.loads(again.read_text(encoding="utf-8"))
    if picture is not None:
        picture.write_text(draw(figures), encoding="utf-8")
    print(json.dumps(figures, indent=1, ensure_ascii=False))


def _teller() -> Callable[[str], None]:
    """Says what goes on, on standard error: the whole takes its time."""
    begun = time.monotonic()
    return lambda what: errors.print(f"{time.monotonic() - begun:5.0f} s  {what}", markup=False)
