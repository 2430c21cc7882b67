"""What is loaded at the start is no longer looked through for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from app.cli.up import settle
from app.errors import NotReady


class Loaded:
    embedder = "loaded"


class Broken:
    @property
    def embedder(self) -> str:
        raise NotReady("The language models could not be loaded.")


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.parametrize("models", [Loaded(), Broken()])
def test_once_the_models_are_there_or_failed_what_is_loaded_is_set_aside(models: object) -> None:
    before = gc.get_freeze_count()
    settle(models)  # type: ignore[arg-type]
    assert gc.get_freeze_count() > before + 1000
    assert len(gc.get_objects()) < 1000
