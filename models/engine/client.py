"""Asks a vLLM over its OpenAI API, streaming. Whoever stops reading stops the engine: closing or cancelling a stream
closes the connection, and vLLM drops a request whose connection is closed.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Sequence
from typing import Any, TypeVar, cast

import httpx
import openai
from openai import AsyncOpenAI, AsyncStream

from models.engine.certificates import certificates
from models.types import Chunk, Message, Usage

CONNECT_SECONDS = 5.0
FIRST_TOKEN_SECONDS = 300.0  # waiting in the engine's queue and reading a long prompt on a slow machine
BETWEEN_TOKENS_SECONDS = 60.0
ASK_SECONDS = 5.0

T = TypeVar("T")


class EngineError(Exception):
    """The engine did not do what it was asked. The text says why, without anything secret."""


class EngineUnreachable(EngineError):
    """Nothing answers at the engine's address (it is starting, restarting, or elsewhere), or nothing came in time."""


class EngineBusy(EngineError):
    """Its queue is full; the same request can succeed later."""


class EngineRefused(EngineError):
    """It will not take this request (a 4xx): too long a prompt, a wrong key, another model's name."""


class EngineBroke(EngineError):
    """It stopped in the middle of an answer. What was received until then stays true."""


class EngineClient:
    """A vLLM at `base_url` (ends in `/v1`) serving `model`. Nothing connects before the first call; use it in one
    event loop and `close` it there. Times are limits in seconds."""

    def __init__(
        self,
        base_url: str,
        model: str,
        key: str = "",
        *,
        first_token: float = FIRST_TOKEN_SECONDS,
        between_tokens: float = BETWEEN_TOKENS_SECONDS,
    ) -> None:
        self.base_url, self.model = base_url.rstrip("/"), model
        self._first_token, self._between_tokens = first_token, between_tokens
        self._key = key
        longest = max(first_token, between_tokens) + 5
        self._openai = AsyncOpenAI(
            base_url=self.base_url,
            api_key=key or "none",
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                timeout=openai.Timeout(longest, connect=CONNECT_SECONDS), trust_env=False
            ),
        )

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        continue_last: bool = False,
        cache_salt: str | None = None,
    ) -> AsyncGenerator[Chunk, None]:
        """Pieces of the answer to `messages` as they are generated; the last ones carry `finish` and `usage`.

        `continue_last` goes on in the middle of the last message (the assistant's) instead of opening a new turn.
        `cache_salt` keeps the prompt's cached blocks apart from those of other salts. Nothing is retried.
        Raises an EngineError.
        """
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if stop:
            body["stop"] = list(stop)
        if cache_salt:
            body["cache_salt"] = cache_salt
        if continue_last:
            body |= {"add_generation_prompt": False, "continue_final_message": True}
        upstream = await self._opened(body)
        try:
            async for chunk in self._pieces(upstream):
                yield chunk
        finally:
            await upstream.close()

    async def _opened(self, body: dict[str, Any]) -> AsyncStream[object]:
        """Plain JSON comes back: making openai's models of every token would cost more than all else we do with it."""
        opening = self._openai.post(
            "/chat/completions", body=body, cast_to=object, stream=True, stream_cls=AsyncStream[object]
        )
        try:
            return await _within(opening, self._first_token)
        except openai.APIStatusError as error:
            raise _refusal(error) from error
        except openai.APIConnectionError as error:
            raise EngineUnreachable(f"The engine at {self.base_url} does not answer.") from error
        except TimeoutError as error:
            raise EngineUnreachable(f"The engine did not answer within {self._first_token:.0f} s.") from error

    async def _pieces(self, upstream: AsyncStream[object]) -> AsyncGenerator[Chunk, None]:
        limit, finished = self._first_token, False
        source = aiter(upstream)
        while True:
            try:
                chunk = _chunk(cast(dict[str, Any], await _within(anext(source), limit)))
            except StopAsyncIteration:
                break
            except TimeoutError as error:
                raise EngineBroke(f"The engine sent nothing for {limit:.0f} s.") from error
            except Exception as error:  # of openai, or of whichever HTTP library it uses
                raise EngineBroke("The engine stopped in the middle of the answer.") from error
            if chunk.text:
                limit = self._between_tokens
            finished = finished or chunk.finish is not None
            if chunk.text or chunk.finish or chunk.usage:
                yield chunk
        if not finished:
            raise EngineBroke("The engine stopped in the middle of the answer.")

    async def alive(self) -> bool:
        """Whether the engine says it is healthy."""
        try:
            return (await self._get("/health")).status_code == 200
        except EngineError:
            return False

    async def running(self) -> int:
        """Requests the engine computes at this moment. Raises EngineUnreachable."""
        text = (await self._get("/metrics")).text
        return int(sum(float(n) for n in re.findall(r"^vllm:num_requests_running\{.*?\} (\S+)$", text, re.MULTILINE)))

    async def model_length(self) -> int:
        """Longest prompt and answer together, in tokens, that the engine takes. Raises EngineError."""
        try:
            models = (await self._get("/v1/models")).raise_for_status().json()["data"]
            lengths = {entry["id"]: int(entry["max_model_len"]) for entry in models}
            return lengths.get(self.model) or next(iter(lengths.values()))
        except (httpx.HTTPStatusError, KeyError, TypeError, ValueError, StopIteration) as error:
            raise EngineRefused(f"The engine at {self.base_url} does not say what it serves.") from error

    async def close(self) -> None:
        """Closes all connections, open streams with them."""
        await self._openai.close()

    async def _get(self, path: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            trusted = await asyncio.to_thread(certificates)
            async with httpx.AsyncClient(headers=headers, timeout=ASK_SECONDS, trust_env=False, verify=trusted) as http:
                return await http.get(self.base_url.removesuffix("/v1") + path)
        except httpx.HTTPError as error:
            raise EngineUnreachable(f"The engine at {self.base_url} does not answer.") from error


async def _within(waited: Awaitable[T], seconds: float) -> T:
    async with asyncio.timeout(seconds):
        return await waited


def _refusal(error: openai.APIStatusError) -> EngineError:
    text = _message(error)
    if error.status_code in {429, 503}:
        return EngineBusy(f"The engine has too much to do: {text}")
    if error.status_code < 500:
        return EngineRefused(f"The engine refused the request ({error.status_code}): {text}")
    return EngineUnreachable(f"The engine failed ({error.status_code}): {text}")


def _message(error: openai.APIStatusError) -> str:
    body = error.body
    text = body.get("message") if isinstance(body, dict) else None
    return str(text or error.message)[:500]


def _chunk(piece: dict[str, Any]) -> Chunk:
    """Of a `chat.completion.chunk` (OpenAI's API reference, "Streaming"). Raises what it likes where it is none."""
    usage = _usage(piece.get("usage"))
    if not piece["choices"]:
        return Chunk("", usage=usage)
    choice = piece["choices"][0]
    return Chunk((choice.get("delta") or {}).get("content") or "", choice.get("finish_reason"), usage)


def _usage(usage: dict[str, Any] | None) -> Usage | None:
    if usage is None:
        return None
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    return Usage(usage["prompt_tokens"], usage["completion_tokens"], cached)
