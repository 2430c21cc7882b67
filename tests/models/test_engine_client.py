"""The client against an address that misbehaves: a small HTTP server whose answers the test writes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from models.engine.client import (
    EngineBroke,
    EngineBusy,
    EngineClient,
    EngineError,
    EngineRefused,
    EngineUnreachable,
)
from models.types import Chunk, Message, Usage

HI = [Message("user", "Hi")]
Script = Callable[[asyncio.StreamWriter], Coroutine[Any, Any, None]]


@dataclass
class FakeEngine:
    """An HTTP server: `script` writes the answer; what was asked is kept."""

    script: Script
    url: str = ""
    asked: list[str] = field(default_factory=list)
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next((int(line[15:]) for line in head.splitlines() if line.lower().startswith("content-length:")), 0)
        self.asked.append(head + (await reader.readexactly(length)).decode())
        await self.script(writer)
        await writer.drain()
        if await reader.read(1) == b"":
            self.closed.set()
        writer.close()


@asynccontextmanager
async def engine_that(script: Script) -> AsyncIterator[FakeEngine]:
    engine = FakeEngine(script)
    server = await asyncio.start_server(engine.serve, "127.0.0.1", 0)
    engine.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield engine
    finally:
        server.close()


def answers(status: str, body: dict[str, Any]) -> Script:
    async def script(writer: asyncio.StreamWriter) -> None:
        data = json.dumps(body).encode()
        writer.write(
            f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n".encode()
        )
        writer.write(data)

    return script


def streams(*events: dict[str, Any] | str, then: str = "ends") -> Script:
    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for event in events:
            line = f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()
            writer.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            await writer.drain()
        if then == "ends":
            writer.write(b"0\r\n\r\n")
        elif then == "breaks":
            writer.close()

    return script


def piece(text: str, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def usage(**details: Any) -> dict[str, Any]:
    counted = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7, **details}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": counted}


def ask(script: Script, limit: float = 20, **options: Any) -> tuple[list[Chunk], EngineError | None, FakeEngine]:
    """What arrived, how it ended, and the engine that was asked."""

    async def go() -> tuple[list[Chunk], EngineError | None, FakeEngine]:
        async with engine_that(script) as engine:
            client = EngineClient(engine.url, "m", "secret", first_token=limit, between_tokens=limit)
            chunks: list[Chunk] = []
            try:
                async for chunk in client.stream(HI, **{"max_tokens": 9, **options}):
                    chunks.append(chunk)
            except EngineError as error:
                return chunks, error, engine
            finally:
                await client.close()
            return chunks, None, engine

    return asyncio.run(go())


def test_pieces_finish_and_usage() -> None:
    chunks, error, engine = ask(
        streams(
            piece("Ja"), piece(", "), piece("gut", "stop"), usage(prompt_tokens_details={"cached_tokens": 3}), "[DONE]"
        )
    )
    assert error is None
    assert "".join(chunk.text for chunk in chunks) == "Ja, gut"
    assert chunks[-1].usage == Usage(5, 2, 3)
    assert "authorization: bearer secret" in engine.asked[0].lower()


@pytest.mark.parametrize("details", [{}, {"prompt_tokens_details": None}, {"prompt_tokens_details": {}}])
def test_cached_tokens_nobody_named_are_unknown(details: dict[str, Any]) -> None:
    chunks, error, _ = ask(streams(piece("a", "stop"), usage(**details), "[DONE]"))
    assert error is None
    assert chunks[-1].usage == Usage(5, 2, None)


def test_what_is_sent() -> None:
    _, _, engine = ask(streams(piece("a", "stop"), "[DONE]"), continue_last=True, cache_salt="s", stop=["\n"])
    sent = json.loads(engine.asked[0].split("\r\n\r\n", 1)[1])
    assert sent == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "max_tokens": 9,
        "temperature": 0.0,
        "stop": ["\n"],
        "stream": True,
        "stream_options": {"include_usage": True},
        "add_generation_prompt": False,
        "continue_final_message": True,
        "cache_salt": "s",
    }
    _, _, engine = ask(streams(piece("a", "stop"), "[DONE]"))
    assert not {"stop", "cache_salt", "add_generation_prompt"} & set(
        json.loads(engine.asked[0].split("\r\n\r\n", 1)[1])
    )


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("400 Bad Request", EngineRefused),
        ("401 Unauthorized", EngineRefused),
        ("404 Not Found", EngineRefused),
        ("429 Too Many Requests", EngineBusy),
        ("503 Service Unavailable", EngineBusy),
        ("500 Internal Server Error", EngineUnreachable),
    ],
)
def test_a_status_becomes_a_kind_of_error(status: str, kind: type[EngineError]) -> None:
    chunks, error, engine = ask(answers(status, {"error": {"message": "because of this", "type": "x", "code": 1}}))
    assert chunks == []
    assert type(error) is kind
    assert "because of this" in str(error)
    assert "secret" not in str(error)
    assert len(engine.asked) == 1, "nothing is retried"


def test_nothing_listens() -> None:
    async def go() -> None:
        client = EngineClient("http://127.0.0.1:9/v1", "m")
        try:
            assert not await client.alive()
            with pytest.raises(EngineUnreachable):
                await client.running()
            with pytest.raises(EngineUnreachable, match="does not answer"):
                _ = [chunk async for chunk in client.stream(HI, max_tokens=1)]
        finally:
            await client.close()

    asyncio.run(go())


async def silent(writer: asyncio.StreamWriter) -> None:
    """Takes the question and says nothing."""


@pytest.mark.parametrize(
    ("script", "kind", "text", "patience"),
    [
        (silent, EngineUnreachable, "", True),
        (streams(piece("Ja"), then="hangs"), EngineBroke, "Ja", True),
        (streams(piece("Ja"), then="breaks"), EngineBroke, "Ja", False),
        (streams(piece("Ja")), EngineBroke, "Ja", False),
        (streams(piece("Ja"), "[DONE]"), EngineBroke, "Ja", False),
        (streams(piece("Ja"), {"error": {"message": "EngineCore died", "code": 500}}), EngineBroke, "Ja", False),
        (streams(piece("Ja"), "{not json"), EngineBroke, "Ja", False),
        (streams(piece("Ja"), '["no", "chunk"]'), EngineBroke, "Ja", False),
        (streams(piece("Ja"), {"object": "something else"}), EngineBroke, "Ja", False),
        (streams(then="hangs"), EngineBroke, "", True),
    ],
    ids=[
        "silent",
        "hangs",
        "breaks",
        "ends",
        "done early",
        "error event",
        "no json",
        "a list",
        "no chunk",
        "opens and hangs",
    ],
)
def test_what_arrived_stays_when_it_breaks(script: Script, kind: type[EngineError], text: str, patience: bool) -> None:
    chunks, error, _ = ask(script, limit=1 if patience else 20)
    assert type(error) is kind
    assert "".join(chunk.text for chunk in chunks) == text


def test_closing_early_closes_the_connection() -> None:
    async def go() -> None:
        async with engine_that(streams(piece("Ja"), piece("Ja"), then="hangs")) as engine:
            client = EngineClient(engine.url, "m")
            stream = client.stream(HI, max_tokens=9)
            assert (await anext(stream)).text == "Ja"
            await stream.aclose()
            async with asyncio.timeout(5):
                await engine.closed.wait()
            await client.close()

    asyncio.run(go())


def test_a_proxy_in_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    _, error, _ = ask(streams(piece("a", "stop"), "[DONE]"))
    assert error is None


def test_what_runs_is_read_from_the_metrics() -> None:
    text = '# HELP x\nvllm:num_requests_running{engine="0"} 2.0\nvllm:num_requests_running{engine="1"} 1.0\n'

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-length: {len(text)}\r\n\r\n{text}".encode())

    async def go() -> int:
        async with engine_that(script) as engine:
            client = EngineClient(engine.url, "m")
            try:
                return await client.running()
            finally:
                await client.close()

    assert asyncio.run(go()) == 3


@pytest.mark.parametrize("body", [{}, {"data": []}, {"data": [{"id": "m"}]}])
def test_an_engine_that_does_not_say_its_length(body: dict[str, Any]) -> None:
    async def go() -> None:
        async with engine_that(answers("200 OK", body)) as engine:
            client = EngineClient(engine.url, "m")
            try:
                await client.model_length()
            finally:
                await client.close()

    with pytest.raises(EngineRefused):
        asyncio.run(go())
