"""`/metrics` for Prometheus: what each engine tells, with the replica's name added, and Beleg's own figures.

No label holds a name of a person or a document, or anything that was asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import httpx
import psutil
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from sqlalchemy import func, select

from app.db import tables
from app.db.session import Database
from app.services import Services
from models.engine.certificates import certificates
from models.engine.gauges import authorization, metrics_url
from models.engine.group_memory import group_memory
from models.types import Replica

ENGINE_SECONDS = 2.0
LARGEST = 8 << 20  # bytes of one engine's metrics
CONTENT_TYPE = CONTENT_TYPE_LATEST
OURS = "beleg_"


@dataclass(frozen=True)
class Told:
    """What a replica said, or nothing within the time."""

    replica: Replica
    families: tuple[Metric, ...] | None


@dataclass(frozen=True)
class Shelf:
    """What the database says: documents by the state people see, files waiting to be read, passages that are found."""

    received: int
    reading: int
    ready: int
    refused: int
    queue: int
    passages: int


async def exposition(services: Services) -> bytes:
    """All of it in Prometheus' text format. Waits `ENGINE_SECONDS` at most for the engines, all at a time."""
    told, own = await asyncio.gather(
        _ask_all(services.engine_handle.replicas()), asyncio.to_thread(lambda: list(_own(services)))
    )
    families = [*own, *_of_replicas(told), *_merged(told)]
    return await asyncio.to_thread(generate_latest, _Collected(families))


class _Collected(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


# -- the engines' --------------------------------------------------------------------------------------------------


async def _ask_all(replicas: Iterable[Replica]) -> list[Told]:
    trusted = await asyncio.to_thread(certificates)
    async with httpx.AsyncClient(timeout=ENGINE_SECONDS, trust_env=False, verify=trusted) as http:
        return list(await asyncio.gather(*(_ask(http, replica) for replica in replicas)))


async def _ask(http: httpx.AsyncClient, replica: Replica) -> Told:
    if replica.status.state in ("off", "failed"):
        return Told(replica, None)
    try:
        async with asyncio.timeout(ENGINE_SECONDS):
            text = await _fetched(http, replica)
        return Told(replica, await asyncio.to_thread(_with_replica, text, replica.name))
    except (TimeoutError, httpx.HTTPError, ValueError):
        return Told(replica, None)


async def _fetched(http: httpx.AsyncClient, replica: Replica) -> str:
    headers = authorization(replica.key)
    async with http.stream("GET", metrics_url(replica.base_url), headers=headers) as reply:
        reply.raise_for_status()
        read = bytearray()
        async for piece in reply.aiter_bytes():
            read += piece
            if len(read) > LARGEST:
                raise ValueError("more metrics than any engine has")
    return read.decode("utf-8", "replace")


def _with_replica(text: str, name: str) -> tuple[Metric, ...]:
    """The engine's families, each sample labelled. None of them may pass for one of ours. Errors: ValueError."""
    families = tuple(one for one in text_string_to_metric_families(text) if not one.name.startswith(OURS))
    for family in families:
        family.samples = [one._replace(labels={**one.labels, "replica": name}) for one in family.samples]
    return families


def _merged(told: Iterable[Told]) -> list[Metric]:
    """Families of all engines: one of a name, as the format asks for."""
    merged: dict[str, Metric] = {}
    for one in told:
        for family in one.families or ():
            merged.setdefault(family.name, Metric(family.name, family.documentation, family.type)).samples.extend(
                family.samples
            )
    return list(merged.values())


def _of_replicas(told: Iterable[Told]) -> Iterator[Metric]:
    up = GaugeMetricFamily("beleg_engine_up", "Whether the engine told its metrics in time.", labels=["replica"])
    restarts = GaugeMetricFamily(
        "beleg_engine_restarts", "How often the engine had to be started again.", labels=["replica"]
    )
    memory = GaugeMetricFamily(
        "beleg_engine_memory_bytes", "Memory of the engine's processes, where it is our own.", labels=["replica"]
    )
    for one in told:
        replica = one.replica
        up.add_metric([replica.name], float(one.families is not None))
        restarts.add_metric([replica.name], replica.status.restarts)
        held = group_memory(replica.note) if replica.note else None
        if held is not None:
            memory.add_metric([replica.name], held)
    yield from (up, restarts, memory)


# -- our own -------------------------------------------------------------------------------------------------------


def _own(services: Services) -> Iterator[Metric]:
    yield from services.desk.figures.registry.collect()
    inside, outside = services.desk.at_the_engine()
    yield _gauge("beleg_answers_streaming", "Answers that have a place at the engine.", inside)
    yield _gauge("beleg_answers_waiting", "Answers that wait for a place, or for the engine.", outside)
    shelf = read_shelf(services.database)
    documents = GaugeMetricFamily("beleg_documents", "Documents, by state.", labels=["state"])
    for state in ("received", "reading", "ready", "refused"):
        documents.add_metric([state], getattr(shelf, state))
    yield documents
    yield _gauge("beleg_reading_queue", "Files that wait to be read.", shelf.queue)
    yield _gauge("beleg_index_passages", "Passages that are found.", shelf.passages)
    if services.models.ready:  # else asking for the index would wait for them
        yield _gauge("beleg_index_generation", "Generation of the search index in use.", services.index.refresh())
    yield _gauge("beleg_memory_bytes", "Memory of this process.", psutil.Process().memory_info().rss)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def read_shelf(database: Database) -> Shelf:
    content, document = tables.Content, tables.Document
    named = select(content.state, func.count()).join(document, document.content_id == content.id)
    with database.session() as db:
        states = dict(db.execute(named.group_by(content.state)).all())
        queue = db.scalar(select(func.count()).where(content.state == "queued"))
        found = select(func.sum(content.passage_count)).where(content.state == "ready", content.generation > 0)
        passages = db.scalar(found)
    return Shelf(
        received=states.get("queued", 0),
        reading=states.get("reading", 0) + states.get("indexing", 0),
        ready=states.get("ready", 0),
        refused=states.get("refused", 0),
        queue=queue or 0,
        passages=passages or 0,
    )
