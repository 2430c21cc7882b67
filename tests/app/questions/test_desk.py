"""The desk from a question to a stored answer: streaming, pausing, stopping, failing, going on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from app.db import tables
from app.documents.delete import delete_document
from app.errors import Conflict, Invalid, NotFound
from app.questions import conversations, record
from app.questions import desk as desk_module
from app.questions.desk import AnswerDesk
from app.questions.events import Done, Event, Failed, Retrieved, Rewritten, Snapshot, Statement, Stopped, Token, Waiting
from app.questions.types import AnswerView
from ingestion.index.store import Index
from tests.app.questions.conftest import DIM, World

LEAVE = "Employees receive 30 days of paid leave per year. Unused leave can be carried over until 31 March 2027."
TRAVEL = "The daily allowance for travel in Germany is 28 EUR. Receipts are kept for ten years."
COPIED = "Employees receive 30 days of paid leave per year"
FIRST = "How many days of leave do employees receive?"


def run(world: World, test: Callable[[AnswerDesk], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        world.engine.gate = asyncio.Event()
        desk = AnswerDesk(world)
        await desk.start()
        try:
            async with asyncio.timeout(30):
                return await test(desk)
        finally:
            await desk.close()

    return asyncio.run(main())


async def listen(desk: AnswerDesk, world: World, answer_id: str, after: int = 0) -> list[Event]:
    return [event async for event in desk.events(world.ada, answer_id, after)]


def state_of(world: World, answer_id: str) -> str:
    with world.database.session() as db:
        row = db.get(tables.Answer, answer_id)
        return row.state if row else ""


async def until(holds: Callable[[], bool]) -> None:
    """Waits for something that has no event of its own (the test's time limit ends it)."""
    while not holds():  # noqa: ASYNC110
        await asyncio.sleep(0.01)


def shown(events: list[Event]) -> tuple[list[str], str]:
    """What a page shows that follows the events: statements, and the pending text."""
    statements: list[str] = []
    pending = ""
    for event in events:
        if isinstance(event, Token):
            pending += event.text
        elif isinstance(event, Statement):
            assert event.index == len(statements)
            statements.append(event.view.text)
            pending = ""
        elif isinstance(event, Snapshot):
            statements, pending = [s.text for s in event.answer.statements], event.answer.pending
    return statements, pending


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


def test_nobody_listens_pauses_and_goes_on_where_it_was(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_module, "ABSENCE_SECONDS", 0.05)
    content = world.add_document("handbook.pdf", [LEAVE, TRAVEL])
    text = f"{COPIED} [D{content}.0]. Receipts are kept for ten years [D{content}.1]."
    world.engine.script = lambda _: text
    world.engine.hold_after = 13

    async def go(desk: AnswerDesk) -> AnswerView:
        asked = await desk.ask(world.ada, world.collection, FIRST)
        heard: list[Event] = []
        events = desk.events(world.ada, asked.id)
        async for event in events:
            heard.append(event)
            if isinstance(event, Statement):
                break
        await events.aclose()
        await until(lambda: not world.engine.running)
        await asyncio.sleep(0.05)
        paused = await desk.answer(world.ada, asked.id)
        assert paused.state == "paused"
        assert [s.verdict for s in paused.statements] == ["proved"]
        world.engine.hold_after = None
        more = await listen(desk, world, asked.id, after=heard[-1].seq)
        assert isinstance(more[0], Snapshot)
        assert more[0].seq > heard[-1].seq
        assert shown([*heard, *more])[0] == [
            "Employees receive 30 days of paid leave per year.",
            "Receipts are kept for ten years.",
        ]
        return more[-1].answer

    answer = run(world, go)
    assert (answer.state, answer.verdict) == ("done", "proved")
    first, second = world.engine.calls
    assert not first[1]
    assert second[1]
    assert second[0][:-1] == first[0]
    assert [len(s.citations) for s in answer.statements] == [1, 1]


def test_stop_keeps_what_arrived(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE])
    world.engine.script = lambda _: f"{COPIED} [D{content}.0]. Unused leave is lost."
    world.engine.hold_after = 12

    async def go(desk: AnswerDesk) -> list[Event]:
        asked = await desk.ask(world.ada, world.collection, FIRST)
        listening = asyncio.create_task(listen(desk, world, asked.id))
        await until(lambda: world.engine.running > 0)
        await asyncio.sleep(0.05)
        stopped = await desk.stop(world.ada, asked.id)
        assert stopped.state == "stopped"
        assert world.engine.running == 0
        assert (await desk.stop(world.ada, asked.id)) == stopped
        return await listening

    events = run(world, go)
    assert isinstance(events[-1], Stopped)
    assert [s.verdict for s in events[-1].answer.statements] == ["proved", "unproved"]


def test_stop_of_a_paused_answer_keeps_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_module, "ABSENCE_SECONDS", 0.05)
    content = world.add_document("handbook.pdf", [LEAVE])
    world.engine.script = lambda _: f"{COPIED} [D{content}.0]. Unused leave is lost."
    world.engine.hold_after = 12

    async def go(desk: AnswerDesk) -> AnswerView:
        asked = await desk.ask(world.ada, world.collection, FIRST)
        events = desk.events(world.ada, asked.id)
        while not isinstance(await anext(events), Statement):
            pass
        await events.aclose()
        await until(lambda: state_of(world, asked.id) == "paused")
        assert world.engine.running == 0
        return await desk.stop(world.ada, asked.id)

    answer = run(world, go)
    assert answer.state == "stopped"
    assert answer.text.startswith("Employees receive 30 days of paid leave per year. Unused")
    assert answer.statements[0].citations[0].quote
    assert len(world.engine.calls) == 1


def test_engine_breaks_in_mid_answer_and_retry_asks_again(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE])
    world.engine.script = lambda _: f"{COPIED} [D{content}.0]. Unused leave is"
    world.engine.breaks_after = 11

    async def go(desk: AnswerDesk) -> tuple[list[Event], list[Event]]:
        asked = await desk.ask(world.ada, world.collection, FIRST)
        failed = await listen(desk, world, asked.id)
        assert isinstance(failed[-1], Failed)
        assert failed[-1].answer.statements[0].verdict == "proved"
        assert "engine" in failed[-1].message
        world.engine.breaks_after = None
        world.engine.script = lambda _: f"{COPIED} [D{content}.0]."
        again = await desk.retry(world.ada, asked.id)
        assert (again.id, again.state, again.text) == (asked.id, "waiting", "")
        return failed, await listen(desk, world, asked.id, after=failed[-1].seq)

    failed, events = run(world, go)
    assert events[0].seq > failed[-1].seq
    assert isinstance(events[-1], Done)
    assert events[-1].answer.verdict == "proved"
    assert events[-1].answer.error == ""


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


def test_who_lost_the_collection_lost_the_conversation(world: World) -> None:
    world.add_document("handbook.pdf", [LEAVE])
    with world.database.session() as db:
        db.add(tables.Share(collection_id=world.collection, user_id=world.bob.user_id))

    async def go(desk: AnswerDesk) -> None:
        asked = await desk.ask(world.bob, world.collection, FIRST)
        answer = await desk.result(world.bob, asked.id)
        with world.database.session() as db:
            db.query(tables.Share).delete()
        with pytest.raises(NotFound):
            await desk.answer(world.bob, asked.id)
        with pytest.raises(NotFound):
            await desk.ask(world.bob, world.collection, FIRST, answer.conversation_id)

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


def test_a_crash_leaves_answers_that_go_on(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE])
    world.engine.script = lambda _: f"{COPIED} [D{content}.0]."

    async def ask(desk: AnswerDesk) -> str:
        answer = await desk.result(world.ada, (await desk.ask(world.ada, world.collection, FIRST)).id)
        return answer.id

    answer_id = run(world, ask)
    with world.database.session() as db:  # as a killed process leaves it
        row = db.get(tables.Answer, answer_id)
        assert row is not None
        row.state, row.text, row.statements, row.verdict = "streaming", "Employees receive 30 days", [], ""

    async def go_on(desk: AnswerDesk) -> list[Event]:
        assert (await desk.answer(world.ada, answer_id)).state == "paused"
        return await listen(desk, world, answer_id, after=7)

    events = run(world, go_on)
    assert isinstance(events[0], Snapshot)
    assert events[0].answer.pending == "Employees receive 30 days"
    assert events[-1].answer.verdict == "proved"
    with world.database.session() as db:
        assert db.query(tables.Citation).filter_by(answer_id=answer_id).count() == 1


def test_deleted_while_paused_leaves_nothing_of_it(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE])
    world.engine.script = lambda _: "NOT IN THE DOCUMENTS"

    async def ask(desk: AnswerDesk) -> AnswerView:
        return await desk.result(world.ada, (await desk.ask(world.ada, world.collection, FIRST)).id)

    answer = run(world, ask)
    assert answer.nearest[0].quote
    with world.database.session() as db:
        document = db.query(tables.Document).filter_by(content_id=content).one().id
    delete_document(world, world.ada, document)

    async def look(desk: AnswerDesk) -> AnswerView:
        return await desk.answer(world.ada, answer.id)

    (near,) = run(world, look).nearest
    assert near.deleted
    assert (near.quote, near.document_id) == ("", None)


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


def test_closing_pauses(world: World) -> None:
    world.add_document("handbook.pdf", [LEAVE])
    world.engine.hold_after = 0

    async def go(desk: AnswerDesk) -> str:
        asked = await desk.ask(world.ada, world.collection, FIRST)
        listening = asyncio.create_task(listen(desk, world, asked.id))
        await until(lambda: world.engine.running > 0)
        await desk.close()
        assert not any(isinstance(e, (Done, Stopped, Failed)) for e in await listening)
        return asked.id

    answer_id = run(world, go)
    assert world.engine.running == 0
    with world.database.session() as db:
        row = db.get(tables.Answer, answer_id)
        assert row is not None
        assert row.state == "paused"


def test_deleting_a_conversation_in_mid_answer_ends_it(world: World) -> None:
    content = world.add_document("handbook.pdf", [LEAVE])
    world.engine.script = lambda _: f"{COPIED} [D{content}.0]. " + "More words. " * 5000
    world.engine.delay = 0.02

    async def go(desk: AnswerDesk) -> None:
        asked = await desk.ask(world.ada, world.collection, FIRST)
        listening = asyncio.create_task(listen(desk, world, asked.id))
        await until(lambda: world.engine.running > 0)
        with world.database.session() as db:
            conversations.delete_conversation(db, world.ada, asked.conversation_id)
        with pytest.raises(NotFound):
            await listening

    run(world, go)
    assert world.engine.running == 0


def test_a_full_disk_ends_the_answer_and_says_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    content = world.add_document("handbook.pdf", [LEAVE])
    world.engine.script = lambda _: f"{COPIED} [D{content}.0]. " + "More words. " * 5000
    world.engine.delay = 0.01

    def full(*_: object) -> bool:
        raise OperationalError("UPDATE answers", {}, Exception("database or disk is full"))

    async def go(desk: AnswerDesk) -> list[Event]:
        asked = await desk.ask(world.ada, world.collection, FIRST)
        monkeypatch.setattr(record, "write", full)
        return await listen(desk, world, asked.id)

    events = run(world, go)
    assert isinstance(events[-1], Failed)
    assert "stored" in events[-1].message
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
