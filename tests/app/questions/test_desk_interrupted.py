"""Answers that are interrupted at the desk: paused, stopped, deleted, broken, and what becomes of them."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy.exc import OperationalError

from app.db import tables
from app.documents.delete import delete_document
from app.errors import NotFound
from app.questions import conversations, record
from app.questions import desk as desk_module
from app.questions.desk import AnswerDesk
from app.questions.events import Done, Event, Failed, Snapshot, Statement, Stopped
from app.questions.types import AnswerView
from tests.app.questions.conftest import World
from tests.app.questions.desk_steps import COPIED, FIRST, LEAVE, TRAVEL, listen, run, shown, state_of, until


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
