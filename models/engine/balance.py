"""Several engines as one: each request goes to one of those that are ready, the same conversation to the same one.

Who asks again finds the KV blocks of the conversation where they were computed; only an engine with clearly more to
do than another is passed by. A request that an engine did not begin to answer goes to the next.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from models.engine.client import EngineBusy, EngineClient, EngineError, EngineUnreachable
from models.types import Chunk, Message, Replica

MORE = 2  # requests more than the least busy one, from which on an engine is passed by


class BalancedClient:
    """Asks those of `replicas` that are ready. Use it in one event loop and `close` it there."""

    def __init__(self, replicas: Callable[[], tuple[Replica, ...]]) -> None:
        self._replicas = replicas
        self._clients: dict[str, EngineClient] = {}
        self._running: Counter[str] = Counter()

    @property
    def model(self) -> str:
        """The name of what is served; of the first engine while they are being changed."""
        return self._ready()[0].status.model

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        continue_last: bool = False,
        cache_salt: str | None = None,
        near: str = "",
    ) -> AsyncGenerator[Chunk, None]:
        """As `EngineClient.stream`. Requests with the same `near` go to the same engine while it is not overloaded."""
        failure: EngineError | None = None
        for replica in self._order(near):
            client = self._client(replica)
            stream = client.stream(
                messages,
                max_tokens=max_tokens,
                temperature=temperature,
                stop=stop,
                continue_last=continue_last,
                cache_salt=cache_salt,
            )
            self._running[replica.base_url] += 1
            try:
                async with aclosing(stream) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
            except (EngineUnreachable, EngineBusy) as error:  # raised before the first chunk only
                failure = error
            finally:
                self._running[replica.base_url] -= 1
        raise failure or EngineUnreachable("No engine is ready.")

    async def model_length(self) -> int:
        """Longest prompt and answer together that each engine takes, in tokens. Raises EngineError."""
        return min([await self._client(replica).model_length() for replica in self._ready()])

    async def alive(self) -> bool:
        """Whether any engine says it is healthy."""
        return any([await self._client(replica).alive() for replica in self._ready()])

    async def running(self) -> int:
        """Requests that the engines compute at this moment. Raises EngineUnreachable."""
        return sum([await self._client(replica).running() for replica in self._ready()])

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()

    def _order(self, near: str) -> list[Replica]:
        """By rendezvous hashing (Thaler and Ravishankar 1998), so that one engine less moves only its own
        conversations; overloaded ones last. Without `near` the least busy first."""
        ready = self._ready()
        if not near:
            return sorted(ready, key=lambda one: self._running[one.base_url])
        least = min(self._running[one.base_url] for one in ready)
        return sorted(
            ready, key=lambda one: (self._running[one.base_url] - least > MORE, _weight(one.name, near)), reverse=False
        )

    def _ready(self) -> list[Replica]:
        """Those that take requests; all where none is ready, so that trying tells what is wrong."""
        replicas = self._replicas()
        accepting = [one for one in replicas if one.accepting]
        return [one for one in accepting if one.status.state == "ready"] or accepting or list(replicas)

    def _client(self, replica: Replica) -> EngineClient:
        client = self._clients.get(replica.base_url)
        if client is None:
            client = self._clients[replica.base_url] = EngineClient(replica.base_url, replica.status.model, replica.key)
        client.model = replica.status.model
        return client


def _weight(engine: str, near: str) -> bytes:
    return hashlib.blake2b(f"{engine.removesuffix('-b')}\0{near}".encode(), digest_size=8).digest()
