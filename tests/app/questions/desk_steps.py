"""What tests of the desk do with it: run it, listen, wait, and see what a page would show."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from app.db import tables
from app.questions.desk import AnswerDesk
from app.questions.events import Event, Snapshot, Statement, Token
from tests.app.questions.conftest import World

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
