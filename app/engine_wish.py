"""Another model is wished for: a note from the administration page or `beleg serve --switch`, carried out by whichever
process runs the engines.

    page, command -> run/engine-wish.json "asked" -> fetched, checked -> one engine after the other -> "done" | "failed"
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import structlog

from app.config import Settings
from app.errors import Conflict, Invalid

log = structlog.get_logger()
LOOK_SECONDS = 1.0
LONGEST_NAME = 300
State = Literal["asked", "changing", "done", "failed"]


@dataclass(frozen=True)
class EngineWish:
    """A model wished for, and what became of it. Times are epoch seconds."""

    model: str
    state: State
    asked_at: float
    detail: str = ""

    @property
    def open(self) -> bool:
        return self.state in {"asked", "changing"}


def ask_for_model(settings: Settings, model: str) -> EngineWish:
    """Leave the wish. Raises Invalid for no name, Conflict while another is carried out or nobody runs an engine."""
    name = model.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Invalid("No model is named.", "Name a bundle, a hub id (org/name) or a folder.", field="model")
    if settings.engine_url:
        raise Conflict("The engine at BELEG_ENGINE_URL is somebody else's.", "Change its model where it is run.")
    current = read_wish(settings)
    if current is not None and current.open:
        raise Conflict("The engine is being changed to another model already.", "Wait until that is done.")
    wish = EngineWish(name, "asked", time.time())
    _write(settings, wish)
    return wish


def read_wish(settings: Settings) -> EngineWish | None:
    try:
        return EngineWish(**json.loads(_path(settings).read_text()))
    except (OSError, ValueError, TypeError):
        return None


class WishKeeper:
    """A thread that looks for wishes and calls `change(model name)`, which raises when it cannot be done."""

    def __init__(self, settings: Settings, change: Callable[[str], None]) -> None:
        self._settings, self._change = settings, change
        self._ended = threading.Event()
        self._forget_interrupted()
        threading.Thread(target=self._watch, name="engine-wishes", daemon=True).start()

    def stop(self) -> None:
        self._ended.set()

    def _forget_interrupted(self) -> None:
        wish = read_wish(self._settings)
        if wish is not None and wish.open:
            _write(self._settings, replace(wish, state="failed", detail="Beleg was stopped before that was done."))

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            wish = read_wish(self._settings)
            if wish is not None and wish.state == "asked":
                self._carry_out(replace(wish, state="changing"))

    def _carry_out(self, wish: EngineWish) -> None:
        _write(self._settings, wish)
        log.info("changing the model", model=wish.model)
        try:
            self._change(wish.model)
        except Exception as error:  # whatever went wrong is told to whoever wished
            log.warning("the model was not changed", model=wish.model, reason=str(error))
            _write(self._settings, replace(wish, state="failed", detail=str(error)))
        else:
            log.info("the model was changed", model=wish.model)
            detail = f"Set BELEG_MODEL={wish.model} to keep it after the next start."
            _write(self._settings, replace(wish, state="done", detail=detail))


def _path(settings: Settings) -> Path:
    return settings.run_dir / "engine-wish.json"


def _write(settings: Settings, wish: EngineWish) -> None:
    path = _path(settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    made.write_text(json.dumps(asdict(wish)))
    os.replace(made, path)
