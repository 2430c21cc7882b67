"""The desk from a question to a stored answer: streaming, pausing, stopping, failing, going on."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from app.errors import Conflict, Invalid, NotFound
from app.questions import conversations
from app.questions.desk import AnswerDesk
from app.questions.events import Done, Event, Retrieved, Rewritten, Statement, Token, Waiting
from app.questions.types import AnswerView
from ingestion.index.store import Index
from tests.app.questions.conftest import DIM, World
from tests.app.questions.desk_steps import COPIED, FIRST, LEAVE, TRAVEL, listen, run, shown


def test_a_proved_answer_with_its_events(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE, TRAVEL])
    world.engine.script = lambda _: f"{COPIED} [D{content}.0]."

    async def go(desk: AnswerDesk) -> list[Event]:
        asked = await desk.ask(world.ada, world.collection, FIRST)
        assert asked.state == "waiting"
        events = await listen(desk, world, asked.id)
        assert await desk.answer(world.ada, asked.id) == events[-1].answer
        return events

    events = run(world, go)
    assert [type(e) for e in events if not isinstance(e, Token)] == [Retrieved, Statement, Done]
    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    answer = events[-1].answer
    assert (answer.state, answer.verdict) == ("done", "proved")
    assert answer.text == "Employees receive 30 days of paid leave per year."
    (statement,) = answer.statements
    (citation,) = statement.citations
    assert citation.quote == "Employees receive 30 days of paid leave per year."
    assert LEAVE[citation.start : citation.end] == citation.quote
    assert (citation.document, citation.page, citation.deleted) == ("handbook.pdf", 1, False)
    assert answer.trace.cached_tokens == 32
    assert answer.trace.first_token_ms is not None
    assert len(world.engine.calls) == 1
    assert world.engine.running == 0


def test_tokens_never_show_ids_and_replay_is_the_same(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE, TRAVEL])
    world.engine.script = lambda _: (
        f"Employees receive 30 days of paid leave [D{content}.0]. "
        f"The daily allowance is 28 EUR. [D{content}.1]\n\n- Ten years"
    )

    async def go(desk: AnswerDesk) -> tuple[list[Event], list[Event], list[Event]]:
        asked = await desk.ask(world.ada, world.collection, FIRST)
        one, two = await asyncio.gather(listen(desk, world, asked.id), listen(desk, world, asked.id))
        return one, two, await listen(desk, world, asked.id)

    one, two, stored = run(world, go)
    assert one == two
    assert shown(one) == shown(stored)
    assert not any("[D" in event.text for event in one if isinstance(event, Token))
    assert shown(one)[0] == ["Employees receive 30 days of paid leave.", "The daily allowance is 28 EUR.", "Ten years"]


def test_engine_that_starts_is_waited_for(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE])
    world.engine.script = lambda _: f"{COPIED} [D{content}.0]."
    world.state = "starting"

    async def go(desk: AnswerDesk) -> list[Event]:
        asked = await desk.ask(world.ada, world.collection, FIRST)
        listening = asyncio.create_task(listen(desk, world, asked.id))
        await asyncio.sleep(0.3)
        world.state = "ready"
        return await listening

    events = run(world, go)
    assert [type(e) for e in events[:2]] == [Retrieved, Waiting]
    assert events[-1].answer.verdict == "proved"


def test_a_damaged_index_is_said_to_be_one(world: World) -> None:
    """No hits would be a lie: the answer fails with what to do, and nothing is declined."""
    world.add_document("handbook.pdf", [LEAVE])
    for path in world.settings.index_dir.rglob("*.npy"):
        path.write_bytes(b"")
    world.index = Index(world.settings.index_dir, "words", DIM)

    async def go(desk: AnswerDesk) -> AnswerView:
        return await desk.result(world.ada, (await desk.ask(world.ada, world.collection, FIRST)).id)

    answer = run(world, go)
    assert answer.state == "failed"
    assert "damaged" in answer.error
    assert "beleg reindex" in answer.hint


def test_engine_that_gave_up_fails_with_advice(world: World) -> None:
    world.add_document("handbook.pdf", [LEAVE])
    world.state = "failed"

    async def go(desk: AnswerDesk) -> AnswerView:
        return await desk.result(world.ada, (await desk.ask(world.ada, world.collection, FIRST)).id)

    answer = run(world, go)
    assert answer.state == "failed"
    assert answer.error
    assert "doctor" in answer.hint


@pytest.mark.parametrize(
    "refusal", ["NOT IN THE DOCUMENTS", "NOT IN THE DOCUMENTS.", "The passages do not contain this information."]
)
def test_declined_with_the_nearest_passages(world: World, refusal: str) -> None:
    world.add_document("handbook.pdf", [LEAVE, TRAVEL])
    world.engine.script = lambda _: refusal

    async def go(desk: AnswerDesk) -> list[Event]:
        asked = await desk.ask(world.ada, world.collection, "Wie hoch ist die Prämie für Mitarbeitende?")
        return await listen(desk, world, asked.id)

    events = run(world, go)
    answer = events[-1].answer
    with world.database.session() as db:
        assert conversations.get_answer(db, world.ada, answer.id) == answer
    assert answer.verdict == "declined"
    assert answer.language == "de"
    assert answer.text.startswith("Die Dokumente beantworten das nicht")
    assert len(answer.nearest) == 2
    assert all(c.document == "handbook.pdf" and c.quote for c in answer.nearest)
    if refusal.startswith("NOT"):
        assert not any(isinstance(event, Token) for event in events)


@pytest.mark.parametrize(("state", "words"), [(None, "no documents"), ("queued", "still being read")])
def test_nothing_to_answer_from_needs_no_engine(world: World, state: str | None, words: str) -> None:
    if state:
        world.add_document("handbook.pdf", [LEAVE], state=state)

    async def go(desk: AnswerDesk) -> AnswerView:
        return await desk.result(world.ada, (await desk.ask(world.ada, world.collection, FIRST)).id)

    answer = run(world, go)
    assert answer.verdict == "declined"
    assert words in answer.text
    assert answer.unread == (1 if state else 0)
    assert world.engine.calls == []


def test_a_follow_up_is_rewritten_and_appends(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE, TRAVEL])
    first = f"{COPIED} [D{content}.0]."

    def script(messages: Any) -> str:
        last = messages[-1].content
        if last.startswith("Rewrite"):
            return "How high is the daily allowance for travel in Germany?"
        return (
            f"The daily allowance for travel in Germany is 28 EUR [D{content}.1]."
            if "And for travel" in last
            else first
        )

    world.engine.script = script

    async def go(desk: AnswerDesk) -> tuple[AnswerView, list[Event]]:
        one = await desk.result(world.ada, (await desk.ask(world.ada, world.collection, FIRST)).id)
        two = await desk.ask(world.ada, world.collection, "And for travel?", one.conversation_id)
        return one, await listen(desk, world, two.id)

    _, events = run(world, go)
    assert isinstance(events[0], Rewritten)
    answer = events[-1].answer
    assert answer.standalone == "How high is the daily allowance for travel in Germany?"
    assert answer.position == 1
    assert answer.verdict == "proved"
    (prompt_one, *_), (rewriting, _, most), (prompt_two, *_) = world.engine.calls
    assert prompt_two[: len(prompt_one)] == prompt_one
    assert rewriting[: len(prompt_one)] == prompt_one
    assert most <= 60
    assert prompt_two[len(prompt_one)].content == first


def test_a_standalone_follow_up_costs_one_call(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE, TRAVEL])
    world.engine.script = lambda _: f"{COPIED} [D{content}.0]."

    async def go(desk: AnswerDesk) -> AnswerView:
        one = await desk.result(world.ada, (await desk.ask(world.ada, world.collection, FIRST)).id)
        two = await desk.ask(
            world.ada, world.collection, "How long are receipts of employees kept?", one.conversation_id
        )
        return await desk.result(world.ada, two.id)

    assert run(world, go).standalone == ""
    assert len(world.engine.calls) == 2


def test_conflict_while_the_last_is_being_answered(world: World) -> None:
    world.add_document("handbook.pdf", [LEAVE])
    world.engine.hold_after = 0

    async def go(desk: AnswerDesk) -> None:
        asked = await desk.ask(world.ada, world.collection, FIRST)
        with pytest.raises(Conflict):
            await desk.ask(world.ada, world.collection, FIRST, asked.conversation_id)
        with pytest.raises(Conflict):
            await desk.retry(world.ada, asked.id)

    run(world, go)


def test_strangers_find_nothing(world: World) -> None:
    world.add_document("handbook.pdf", [LEAVE])

    async def go(desk: AnswerDesk) -> None:
        with pytest.raises(NotFound):
            await desk.ask(world.bob, world.collection, FIRST)
        asked = await desk.ask(world.ada, world.collection, FIRST)
        answer = await desk.result(world.ada, asked.id)
        for call in (
            desk.answer(world.bob, asked.id),
            desk.stop(world.bob, asked.id),
            desk.retry(world.bob, asked.id),
            desk.result(world.bob, asked.id),
            desk.ask(world.bob, world.collection, FIRST, answer.conversation_id),
        ):
            with pytest.raises(NotFound):
                await call
        with world.database.session() as db:
            assert len(conversations.list_conversations(db, world.ada, world.collection)) == 1
            with pytest.raises(NotFound):
                conversations.get_conversation(db, world.bob, answer.conversation_id)
            with pytest.raises(NotFound):
                conversations.delete_conversation(db, world.bob, answer.conversation_id)

    run(world, go)


@pytest.mark.parametrize("question", ["", " \n\t ", "\x00\x1b", "x" * 20_001])
def test_questions_that_are_none(world: World, question: str) -> None:
    async def go(desk: AnswerDesk) -> None:
        with pytest.raises(Invalid) as caught:
            await desk.ask(world.ada, world.collection, question)
        assert caught.value.field == "question"

    run(world, go)


def test_a_question_longer_than_the_window_is_invalid_at_once(world: World) -> None:
    world.add_document("handbook.pdf", [LEAVE])

    async def go(desk: AnswerDesk) -> None:
        with pytest.raises(Invalid) as caught:
            await desk.ask(world.ada, world.collection, "why " * 4_999)
        assert "too long" in str(caught.value)

    world.settings = world.settings.model_copy(update={"context_tokens": 2048})
    run(world, go)


def test_places_are_limited_and_queued(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE])
    world.settings = world.settings.model_copy(update={"answers_at_once": 2})
    world.engine.script = lambda _: f"{COPIED} [D{content}.0]."
    world.engine.delay = 0.01
    most = 0

    async def go(desk: AnswerDesk) -> list[list[Event]]:
        nonlocal most

        async def watch() -> None:
            nonlocal most
            while True:
                most = max(most, world.engine.running)
                await asyncio.sleep(0.002)

        watching = asyncio.create_task(watch())
        asked = [await desk.ask(world.ada, world.collection, FIRST) for _ in range(6)]
        results = await asyncio.gather(*(listen(desk, world, a.id) for a in asked))
        watching.cancel()
        return list(results)

    results = run(world, go)
    assert most == 2
    assert all(events[-1].answer.verdict == "proved" for events in results)
    assert any(isinstance(event, Waiting) for events in results for event in events)


def test_the_engine_going_round_in_circles_is_ended(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE])
    world.engine.script = lambda _: f"{COPIED} [D{content}.0]. " * 40

    async def go(desk: AnswerDesk) -> AnswerView:
        return await desk.result(world.ada, (await desk.ask(world.ada, world.collection, FIRST)).id)

    answer = run(world, go)
    assert [s.text for s in answer.statements] == ["Employees receive 30 days of paid leave per year."]
    assert answer.verdict == "proved"
    assert world.engine.running == 0


def test_models_that_are_still_loading_hold_up_nothing_else(world: World) -> None:
    world.add_document("handbook.pdf", [LEAVE])
    loaded = threading.Event()

    class Loading:
        @property
        def embedder(self) -> Any:
            loaded.wait(20)
            return world_models.embedder

        @property
        def tokenizer(self) -> Any:
            return world_models.tokenizer

    world_models, world.models = world.models, Loading()  # type: ignore[assignment]

    async def go(desk: AnswerDesk) -> AnswerView:
        asked = [await desk.ask(world.ada, world.collection, FIRST) for _ in range(12)]
        waiting = await desk.answer(world.ada, asked[-1].id)
        loaded.set()
        assert waiting.state == "waiting"
        return await desk.result(world.ada, asked[-1].id)

    assert run(world, go).state == "done"
