"""What the desk counts for `/metrics`: how answers ended, what was refused, who is at the engine."""

from __future__ import annotations

from typing import Any

import pytest

from app.errors import Invalid
from app.questions.desk import AnswerDesk
from models.engine.client import EngineRefused
from tests.app.questions.conftest import World
from tests.app.questions.desk_steps import COPIED, FIRST, LEAVE, listen, run, until


def counted(desk: AnswerDesk, name: str, **labels: str) -> float | None:
    return desk.figures.registry.get_sample_value(name, labels)


def stopped(desk: AnswerDesk) -> float:
    """Whatever the verdict: it depends on whether a statement had begun."""
    (family,) = (one for one in desk.figures.registry.collect() if one.name == "beleg_questions")
    return sum(one.value for one in family.samples if one.name.endswith("_total") and one.labels["state"] == "stopped")


def test_each_answer_is_counted_by_how_it_ended(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE])

    async def go(desk: AnswerDesk) -> Any:
        assert counted(desk, "beleg_questions_total", state="done", verdict="proved") == 0
        for script in (f"{COPIED} [D{content}.0].", "NOT IN THE DOCUMENTS", "NOT IN THE DOCUMENTS"):
            world.engine.script = lambda _, script=script: script
            await listen(desk, world, (await desk.ask(world.ada, world.collection, FIRST)).id)
        world.engine.error = EngineRefused("no")
        await listen(desk, world, (await desk.ask(world.ada, world.collection, FIRST)).id)
        await until(lambda: counted(desk, "beleg_questions_total", state="failed", verdict="none") == 1)
        assert counted(desk, "beleg_questions_total", state="done", verdict="proved") == 1
        assert counted(desk, "beleg_questions_total", state="done", verdict="declined") == 2
        assert counted(desk, "beleg_first_token_seconds_count") == 3
        assert counted(desk, "beleg_own_seconds_count") == 3

    run(world, go)


def test_what_is_not_taken_in_is_counted_by_its_code(world: World) -> None:
    async def go(desk: AnswerDesk) -> Any:
        with pytest.raises(Invalid):
            await desk.ask(world.ada, world.collection, "   ")
        assert counted(desk, "beleg_questions_refused_total", code="question_empty") == 1

    run(world, go)


def test_who_has_a_place_and_who_waits(world: World) -> None:
    world.settings = world.settings.model_copy(update={"answers_at_once": 1})
    world.add_document("handbook.pdf", [LEAVE])
    world.engine.script = lambda _: "One word after another. " * 3
    world.engine.hold_after = 2

    async def go(desk: AnswerDesk) -> Any:
        assert desk.at_the_engine() == (0, 0)
        asked = [await desk.ask(world.ada, world.collection, FIRST) for _ in range(3)]
        await until(lambda: desk.at_the_engine() == (1, 2))
        world.engine.gate.set()
        for one in asked:
            await listen(desk, world, one.id)
        await until(lambda: desk.at_the_engine() == (0, 0))

    run(world, go)


def test_a_stopped_answer_gives_its_place_back(world: World) -> None:
    world.settings = world.settings.model_copy(update={"answers_at_once": 1})
    world.add_document("handbook.pdf", [LEAVE])
    world.engine.script = lambda _: "One word after another. " * 3
    world.engine.hold_after = 2

    async def go(desk: AnswerDesk) -> Any:
        first, second = [await desk.ask(world.ada, world.collection, FIRST) for _ in range(2)]
        await until(lambda: desk.at_the_engine() == (1, 1))
        await desk.stop(world.ada, second.id)
        assert desk.at_the_engine() == (1, 0)
        await desk.stop(world.ada, first.id)
        assert desk.at_the_engine() == (0, 0)
        assert stopped(desk) == 2

    run(world, go)
