"""The client, the token counts and the supervision against a real vLLM."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import fields

import httpx
import psutil
import pytest

from models.engine.client import EngineClient, EngineRefused
from models.engine.gauges import Gauges, fetch
from models.engine.group_memory import group_memory
from models.tokens import EngineTokenizer, load_tokenizer
from models.types import Chunk, Message, Replica
from tests.conftest import TestEngine, wait_ready

pytestmark = pytest.mark.engine

CONVERSATIONS = [
    [Message("user", "Hi")],
    [Message("system", "Be brief."), Message("user", "Wie geht’s?  Ünïcödé ✓\n\n- a\n- b\n")],
    [
        Message("system", "You answer from passages.\n\n[D3.12]\n```\ncode\n```"),
        Message("user", " leading and trailing "),
        Message("assistant", "Yes. <|im_end|> is no end here."),
        Message("user", "word " * 500),
    ],
    [Message("user", "")],
]


@asynccontextmanager
async def client_of(engine: TestEngine) -> AsyncIterator[EngineClient]:
    client = EngineClient(engine.base_url, engine.model, engine.key)
    try:
        yield client
    finally:
        await client.close()


async def answer(client: EngineClient, messages: list[Message], **options: object) -> list[Chunk]:
    return [chunk async for chunk in client.stream(messages, **{"max_tokens": 8, **options})]  # type: ignore[arg-type]


def test_an_answer_streams_and_ends_with_its_usage(engine: TestEngine) -> None:
    async def go() -> list[Chunk]:
        async with client_of(engine) as client:
            return await answer(client, [Message("user", "Count to twenty.")])

    chunks = asyncio.run(go())
    assert len([chunk for chunk in chunks if chunk.text]) > 1
    assert [chunk.finish for chunk in chunks if chunk.finish] == ["length"]
    usage = chunks[-1].usage
    assert usage is not None
    assert usage.completion_tokens == 8


@pytest.mark.parametrize("messages", CONVERSATIONS, ids=["short", "german", "long", "empty"])
def test_counts_are_the_engines_own(engine: TestEngine, messages: list[Message]) -> None:
    async def go() -> list[Chunk]:
        async with client_of(engine) as client:
            return await answer(client, messages, max_tokens=1)

    usage = asyncio.run(go())[-1].usage
    assert usage is not None
    local = load_tokenizer(engine.folder)
    asked = EngineTokenizer(engine.base_url, engine.model, engine.key)
    assert local.count_chat(messages) == usage.prompt_tokens
    assert asked.count_chat(messages) == usage.prompt_tokens
    text = messages[-1].content
    assert local.count(text) == asked.count(text)


def test_the_same_prompt_again_reports_its_cached_tokens(engine: TestEngine) -> None:
    messages = [Message("user", "The ferry leaves at nine. " * 20 + "When does it leave?")]

    async def go(salt: str) -> int | None:
        async with client_of(engine) as client:
            usage = (await answer(client, messages, cache_salt=salt))[-1].usage
        assert usage is not None
        return usage.cached_tokens

    assert asyncio.run(go("one")) == 0
    assert (asyncio.run(go("one")) or 0) > 64
    assert asyncio.run(go("two")) == 0, "another salt shares nothing"


def test_a_partial_answer_is_continued_in_the_middle(engine: TestEngine) -> None:
    begun = [Message("user", "Count from one to ten."), Message("assistant", "One, two, three,")]

    async def go() -> str:
        async with client_of(engine) as client:
            return "".join(chunk.text for chunk in await answer(client, begun, continue_last=True))

    assert asyncio.run(go()).lstrip().startswith("four")


def test_stop_strings_end_an_answer(engine: TestEngine) -> None:
    begun = [Message("user", "Count from one to ten."), Message("assistant", "One, two, three,")]

    async def go() -> list[Chunk]:
        async with client_of(engine) as client:
            return await answer(client, begun, continue_last=True, stop=["five"])

    chunks = asyncio.run(go())
    assert "five" not in "".join(chunk.text for chunk in chunks)
    assert [chunk.finish for chunk in chunks if chunk.finish] == ["stop"]


@pytest.mark.parametrize("how", ["close", "cancel"])
def test_whoever_stops_reading_stops_the_engine(engine: TestEngine, how: str) -> None:
    messages = [Message("user", "Tell a very long story about a lighthouse.")]

    async def read(client: EngineClient, enough: asyncio.Event) -> None:
        async with aclosing(client.stream(messages, max_tokens=4000)) as stream:
            async for _ in stream:
                if enough.is_set():
                    return

    async def go() -> tuple[int, int]:
        async with client_of(engine) as client:
            enough = asyncio.Event()
            task = asyncio.create_task(read(client, enough))
            during = await running_becomes(client, 1)
            enough.set() if how == "close" else task.cancel()
            await asyncio.wait([task], timeout=10)
            return during, await running_becomes(client, 0)

    assert asyncio.run(go()) == (1, 0)


async def running_becomes(client: EngineClient, wanted: int) -> int:
    """How many requests run, as soon as it is what is wanted, after five seconds at most: the engine's figures lag."""
    end = time.monotonic() + 5.0
    for _ in range(10_000):
        running = await client.running()
        if running == wanted or time.monotonic() > end:
            break
    return running


def test_a_prompt_that_is_too_long_is_refused_with_the_engines_words(engine: TestEngine) -> None:
    async def go() -> None:
        async with client_of(engine) as client:
            await answer(client, [Message("user", "word " * 9000)])

    with pytest.raises(EngineRefused, match="maximum context length"):
        asyncio.run(go())


def test_a_wrong_key_is_refused(engine: TestEngine) -> None:
    async def go() -> None:
        client = EngineClient(engine.base_url, engine.model, "wrong")
        try:
            await answer(client, [Message("user", "Hi")])
        finally:
            await client.close()

    with pytest.raises(EngineRefused):
        asyncio.run(go())


def test_it_says_how_long_a_prompt_may_be(engine: TestEngine) -> None:
    async def go() -> tuple[int, bool]:
        async with client_of(engine) as client:
            return await client.model_length(), await client.alive()

    assert asyncio.run(go()) == (8192, True)


def test_its_figures_grow_with_what_it_does(engine: TestEngine) -> None:
    def look() -> Gauges:
        with httpx.Client(trust_env=False) as http:
            return fetch(http, Replica("engine", engine.base_url, engine.key, engine.server.status()))

    async def go() -> None:
        async with client_of(engine) as client:
            await answer(client, [Message("user", "Count to twenty.")])

    before = look()
    asyncio.run(go())
    end = time.monotonic() + 5  # the engine's figures lag
    while (after := look()).generated_tokens == before.generated_tokens and time.monotonic() < end:
        time.sleep(0.1)
    missing = [field.name for field in fields(Gauges) if getattr(after, field.name) is None]
    assert missing == []
    assert after.generated_tokens == (before.generated_tokens or 0) + 8
    assert (after.finished or {})["length"] == (before.finished or {})["length"] + 1


def test_its_memory_is_that_of_all_its_processes(engine: TestEngine) -> None:
    held = group_memory(engine.note)
    assert held is not None
    assert held > 1 << 30, "weights, KV cache and two Pythons"


def test_the_key_stands_on_no_command_line(engine: TestEngine) -> None:
    for process in psutil.Process().children(recursive=True):
        assert engine.key not in " ".join(process.cmdline())


def test_a_killed_engine_comes_back(engine: TestEngine) -> None:
    """Stands last in this file: the others need the engine up."""
    api = next(
        process
        for process in psutil.Process().children(recursive=True)
        if "vllm.entrypoints.openai.api_server" in process.cmdline() and "models.engine.guard" not in process.cmdline()
    )
    workers = api.children(recursive=True)
    before = engine.server.status().restarts
    api.kill()
    end = time.monotonic() + 30
    while engine.server.status().state == "ready" and time.monotonic() < end:
        time.sleep(0.1)
    assert engine.server.status().state == "restarting"
    assert "killed" in engine.server.status().detail
    wait_ready(engine.server)
    assert engine.server.status().restarts == before + 1
    assert not [p for p in workers if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
    health = engine.base_url.removesuffix("/v1") + "/health"
    assert httpx.get(health, trust_env=False).status_code == 200
