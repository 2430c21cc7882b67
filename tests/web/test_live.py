"""How answers become pieces of a page: numbering, copying, catching up after a reload; and the event stream itself."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from starlette.requests import Request

from app.questions.events import Done, Event, Failed, Snapshot, Statement, Stopped, Token
from app.questions.types import AnswerView, CitationView, Reason, StatementView, Trace
from web import sse
from web.messages import words
from web.pages.answers import shown
from web.pages.live import LiveAnswer


def citation(document: str = "d1", ordinal: int = 0, page: int | None = 1, quote: str = "a\nquote") -> CitationView:
    return CitationView(document, f"{document}.pdf", page, quote, ordinal, 0, len(quote))


def statement(text: str, *citations: CitationView, lead: str = "", verdict: str = "proved") -> StatementView:
    return StatementView(text, verdict, (), citations, lead)  # type: ignore[arg-type]


def answer(*statements: StatementView, state: str = "streaming", pending: str = "", **more: object) -> AnswerView:
    text = "".join(one.lead + one.text for one in statements)
    return AnswerView(
        "a1", "c1", 0, "Why?", "", state, text, "proved", statements, (), "", "", Trace(), 0.0, pending, **more  # type: ignore[arg-type]
    )  # fmt: skip


def test_sources_are_numbered_in_the_order_they_are_cited():
    view = shown(
        answer(
            statement("One.", citation("d2"), citation("d2", quote="other words")),
            statement("Two.", citation("d1"), citation("d2"), lead=" "),
        ),
        words("en"),
    )
    assert [[chip.number for chip in row.chips] for row in view.rows] == [[1], [2, 1]]
    assert [(chip.number, chip.citation.document) for chip in view.sources] == [(1, "d2.pdf"), (2, "d1.pdf")]
    assert view.rows[1].chips[1].address == "/answers/a1/sources/1/1"


def test_list_items_and_table_rows():
    rows = shown(
        answer(
            statement("first", lead="\n- "), statement("second", lead="\n2. "), statement("a | b |", lead="\n| "),
            StatementView("## Title", "", lead="\n\n", kind="connective"),
        ),
        words("en"),
    ).rows  # fmt: skip
    assert [row.marker for row in rows] == ["•", "2.", "", ""]
    assert rows[2].cells == ("a", "b")
    assert rows[3].text == "Title"


def test_copy_holds_question_answer_doubts_and_sources():
    gone = replace(citation("d3"), document_id=None, document="", quote="", deleted=True)
    doubtful = StatementView("It is 5.", "unproved", (Reason("figure_missing", "x"),), (), " ")
    view = shown(answer(statement("It is 4.", citation()), doubtful, statement("Old.", gone, lead=" ")), words("de"))
    assert view.copy == (
        "Why?\n\nIt is 4. [1] It is 5. (nicht belegt) Old. [2]\n\n"
        "Quellen\n[1] d1.pdf, Seite 1: “a quote”\n[2] ein gelöschtes Dokument"
    )


def request() -> Request:
    return Request({"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b"", "app": None})


def sent(pieces: list[bytes]) -> list[tuple[str, str]]:
    """Name and data of encoded events."""
    found = []
    for piece in b"".join(pieces).decode().split("\n\n"):
        if piece:
            name = re.search(r"^event: (.*)$", piece, re.MULTILINE)[1]
            found.append((name, "\n".join(re.findall(r"^data: (.*)$", piece, re.MULTILINE))))
    return found


def play(view: AnswerView, *events: Event, again: bool = False) -> list[tuple[str, str]]:
    live = LiveAnswer(request(), view)
    pieces = live.from_event() if again else live.from_start()
    return sent([piece for event in events for piece in pieces(event)])


ONE, TWO = statement("One.", citation("d1")), statement("Two.", citation("d2"), lead=" ")


def test_a_new_listener_gets_every_event():
    done = answer(ONE, TWO, state="done")
    events = (Token(1, "One."), Statement(2, 0, ONE), Token(3, " <b>"), Statement(4, 1, TWO), Done(5, done))
    got = play(answer(), *events)
    assert [name for name, _ in got] == ["token", "statement", "token", "statement", "final", "end"]
    assert got[2][1] == " &lt;b&gt;"
    assert 'aria-label="Source 2: d2.pdf, page 1"' in got[3][1]
    assert 'id="written-a1"' not in got[4][1]  # what is on the page stays untouched
    assert 'hx-swap-oob="delete"' in got[4][1]


def test_after_a_reload_what_was_missed_is_one_piece():
    stored = answer(ONE, pending=" Tw")
    events = (Token(1, "One."), Statement(2, 0, ONE), Token(3, " Tw"), Token(4, "o."), Statement(5, 1, TWO))
    got = play(stored, *events)
    assert [name for name, _ in got] == ["snapshot", "token", "statement"]
    assert "One." in got[0][1]
    assert " Tw</span>" in got[0][1]


def test_an_answer_that_ended_meanwhile_is_shown_whole():
    got = play(answer(ONE), Done(9, answer(ONE, TWO, state="done")))
    assert [name for name, _ in got] == ["final", "end"]
    assert 'id="written-a1"' in got[0][1]
    assert "Two." in got[0][1]


def test_a_lost_connection_goes_on_without_repeating():
    got = play(answer(ONE), Token(3, " Two."), Statement(4, 1, TWO), again=True)
    assert [name for name, _ in got] == ["token", "statement"]
    assert 'aria-label="Source 2: d2.pdf, page 1"' in got[1][1]


def test_a_snapshot_replaces_everything():
    got = play(answer(), Snapshot(7, answer(ONE, pending=" T")), Stopped(8, answer(ONE, state="stopped")))
    assert [name for name, _ in got] == ["snapshot", "final", "end"]
    assert "You stopped this answer." in got[1][1]


def test_a_declined_answer_takes_the_place_of_what_was_written():
    declined = replace(answer(state="done"), verdict="declined", text="Not there.", nearest=(citation(),))
    got = play(answer(), Token(1, "NOT"), Done(2, declined))
    assert "Not there." in got[1][1]
    assert "/answers/a1/nearest/0" in got[1][1]


def test_a_failure_says_what_and_how_to_go_on():
    failed = replace(answer(ONE, state="failed"), error="The engine stopped.", hint="Try again.")
    got = play(answer(), Failed(1, "The engine stopped.", "Try again.", failed))
    assert "The engine stopped." in got[0][1]
    assert "/answers/a1/retry" in got[0][1]


@pytest.mark.parametrize(
    ("header", "after", "begin"),
    [(None, 0, 0), (None, 4, 4), ("7", 4, 7), ("x", 4, 4), ("-1", 0, 0), ("9" * 30, 2, 2), ("²", 1, 1)],
)
def test_where_to_go_on(header, after, begin):
    assert sse.last_event_id(header, after) == begin


def test_an_event_cannot_break_out_of_its_lines():
    assert sse.encode("token", "a\nevent: evil\r\rdata", 3) == (
        b"id: 3\nevent: token\ndata: a\ndata: event: evil\ndata: \ndata: data\n\n"
    )


async def respond(events: AsyncIterator[bytes], leave_after: float | None = None) -> list[dict]:
    messages: list[dict] = []
    left = asyncio.Event()

    async def receive() -> dict:
        if leave_after is not None:
            await asyncio.sleep(leave_after)
        else:
            await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict) -> None:
        messages.append(message)

    await sse.EventStream(events)({"type": "http"}, receive, send)  # type: ignore[arg-type]
    return messages


def test_a_stream_ends_with_its_events():
    async def events():
        yield b"1"
        yield b"2"

    messages = asyncio.run(respond(events()))
    assert [message.get("body") for message in messages[1:]] == [b": hello\n\n", b"1", b"2", b""]
    assert dict(messages[0]["headers"])[b"content-type"] == b"text/event-stream; charset=utf-8"


def test_a_silent_stream_gives_signs_of_life_and_ends_at_once_when_nobody_listens(monkeypatch):
    monkeypatch.setattr(sse, "ALIVE_SECONDS", 0.02)
    closed = asyncio.Event()

    async def events():
        try:
            await asyncio.sleep(60)
            yield b"never"
        finally:
            closed.set()

    messages = asyncio.run(respond(events(), leave_after=0.3))
    assert b": still here\n\n" in [message.get("body") for message in messages]
    assert closed.is_set()


def test_an_error_in_a_stream_is_not_swallowed():
    async def events():
        yield b"1"
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        asyncio.run(respond(events()))


def test_a_listener_that_takes_nothing_is_left(monkeypatch):
    monkeypatch.setattr(sse, "SEND_SECONDS", 0.05)
    closed = asyncio.Event()

    async def events():
        try:
            while True:
                yield b"x"
        finally:
            closed.set()

    async def run() -> None:
        async def receive() -> dict:
            await asyncio.sleep(60)
            return {}

        async def send(message: dict) -> None:
            if message.get("body") == b"x":
                await asyncio.sleep(60)

        await sse.EventStream(events())({"type": "http"}, receive, send)  # type: ignore[arg-type]

    asyncio.run(run())
    assert closed.is_set()


@pytest.mark.parametrize("turns", range(6))
def test_a_listener_that_leaves_just_when_a_piece_was_sent_is_not_overlooked(turns):
    closed = asyncio.Event()

    async def events():
        try:
            yield b"x"
            await asyncio.sleep(60)
        finally:
            closed.set()

    async def run() -> None:
        sent, left = asyncio.Event(), asyncio.Event()

        async def receive() -> dict:
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict) -> None:
            if message.get("body") == b"x":
                await sent.wait()

        stream = asyncio.ensure_future(sse.EventStream(events())({"type": "http"}, receive, send))  # type: ignore[arg-type]
        await asyncio.sleep(0.01)
        left.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        sent.set()
        await asyncio.wait({stream}, timeout=2)
        assert stream.done()

    asyncio.run(run())
    assert closed.is_set()
