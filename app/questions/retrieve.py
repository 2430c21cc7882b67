"""Finds the passages for a question. What may be read is asked of the database first and applied inside the search."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from app.accounts.types import Viewer
from app.collections.access import contents_allowed
from app.errors import NotReady
from app.questions.sources import Key, load_sources, unread_documents
from app.questions.spans import Source
from app.questions.types import AnswerServices
from ingestion.index.types import IndexLost, Query

_DEPTH = 4  # passages looked at for each one that goes into the prompt: near copies fall out
_RRF = 60
_RAW_WEIGHT = 0.5
INDEX_LOST = "The search index is damaged, so nothing can be found."
INDEX_REMEDY = "Your documents are safe. Ask your administrator to run `beleg reindex`."


@dataclass(frozen=True)
class Found:
    """Passages, most relevant first. `searched` is false when there was nothing the viewer could have been answered
    from; `unread` counts documents still being read. `embed_ms` is the part spent in the embedder."""

    passages: tuple[Source, ...]
    searched: bool
    unread: int
    embed_ms: float


def retrieve(services: AnswerServices, viewer: Viewer, collection_id: str, question: str, standalone: str) -> Found:
    """Searches with the question as asked and, for a follow-up, with its standalone form too; both rankings are fused
    (reciprocal rank, the raw one with half the weight). Blocks: call it in a thread. Errors: NotFound, NotReady (the
    index is damaged)."""
    with services.database.session() as db:
        allowed = contents_allowed(db, viewer, collection_id)
        unread = unread_documents(db, collection_id)
    if not allowed:
        return Found((), False, unread, 0.0)
    questions = [(standalone, 1.0), (question, _RAW_WEIGHT)] if standalone else [(question, 1.0)]
    keys, embed_ms = _search(services, allowed, questions)
    with services.database.session() as db:
        sources = load_sources(db, collection_id, keys)
    passages = tuple(sources[key] for key in keys if key in sources)
    return Found(passages, True, unread, embed_ms)


def _search(
    services: AnswerServices, allowed: frozenset[int], questions: Sequence[tuple[str, float]]
) -> tuple[list[Key], float]:
    limit = services.settings.prompt_passages * _DEPTH
    scores: dict[Key, float] = {}
    embed_ms = 0.0
    embedder, index = services.models.embedder, services.index
    for text, weight in questions:
        begun = time.perf_counter()
        vector = embedder.question(text)
        embed_ms += (time.perf_counter() - begun) * 1000
        try:
            hits = index.search(Query(text, vector, allowed, limit))
        except IndexLost as error:
            raise NotReady(INDEX_LOST, INDEX_REMEDY, code="index_damaged") from error
        for rank, hit in enumerate(hits, start=1):
            key = (hit.content_id, hit.ordinal)
            scores[key] = scores.get(key, 0.0) + weight / (_RRF + rank)
    ordered = sorted(scores, key=lambda key: (-scores[key], key))
    return ordered[:limit], embed_ms
