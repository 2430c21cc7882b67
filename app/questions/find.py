"""The turn a question becomes: made standalone if it leans on the conversation, searched for, passages chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from app.questions.doubt import doubtful
from app.questions.events import Retrieved, Rewritten
from app.questions.layout import LAYOUTS
from app.questions.progress import Asked
from app.questions.prompt import Turn
from app.questions.retrieve import Found, retrieve
from app.questions.rewrite import is_standalone, make_standalone
from app.questions.select import select
from app.questions.spans import Source, spoken, whole
from app.questions.trace import Notes
from app.questions.verify import cite
from app.questions.work import Work
from models.engine.client import EngineError

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Prepared:
    """`turn` is None when there is nothing to answer from; `notes` then say why."""

    turn: Turn | None
    standalone: str
    notes: Notes


async def find(work: Work, asked: Asked) -> Prepared:
    """Rewrites a follow-up, searches, selects, lays out. Errors: NotFound, NotReady."""
    standalone = await _standalone(work, asked)
    work.watch.start("retrieval_ms")
    found = await work.threads.long(
        retrieve, work.services, work.viewer, asked.collection_id, asked.question, standalone
    )
    work.watch.stop("retrieval_ms")
    work.watch.embedded(found.embed_ms)
    if not found.passages:
        return Prepared(None, standalone, Notes((), found.unread, _why(found)))
    turn = _choose(work, asked, found.passages, standalone)
    return Prepared(turn, standalone, Notes(turn.hint, found.unread, doubtful=turn.doubtful))


def turn_before_pause(asked: Asked) -> Turn:
    """The turn as it was laid out before a pause: the prompt is the same bytes again."""
    tongue = spoken(asked.question, asked.passages)
    return Turn(
        question=asked.question,
        passages=asked.passages,
        hint=asked.notes.hint,
        asked_at=asked.asked_at,
        language=tongue,
        standalone=asked.standalone,
        doubtful=asked.notes.doubtful,
    )


async def _standalone(work: Work, asked: Asked) -> str:
    """The question as it is searched for when that is not as asked; "" otherwise, also when rewriting failed."""
    if asked.standalone or not asked.history or is_standalone(asked.question):
        return asked.standalone
    async with work.place():
        work.watch.start("rewrite_ms")
        try:
            standalone = await make_standalone(
                work.services.engine, asked.collection, asked.history, asked.question, asked.language
            )
        except EngineError as error:
            log.warning("rewriting failed", answer=asked.answer_id, error=str(error))
            standalone = ""
        work.watch.stop("rewrite_ms")
    if standalone:
        work.log.add(lambda seq: Rewritten(seq, standalone))
    return standalone


def _choose(work: Work, asked: Asked, found: Sequence[Source], standalone: str) -> Turn:
    """A follow-up keeps the passages that already stand in the conversation and adds at most half as many new ones."""
    most = work.services.settings.prompt_passages
    known = {passage.id for turn in asked.history for passage in turn.passages}
    chosen = select(found, most)
    new = [passage for passage in chosen if passage.id not in known][: (most + 1) // 2 if known else most]
    meant = [passage for passage in chosen if passage.id in known or passage in new]
    work.log.add(lambda seq: Retrieved(seq, tuple(cite(whole(passage)) for passage in meant)))
    ordered = LAYOUTS[work.layout](new)
    return Turn(
        question=asked.question,
        passages=tuple(ordered),
        hint=tuple(passage.id for passage in meant),
        asked_at=asked.asked_at,
        language=spoken(asked.question, ordered),
        standalone=standalone,
        doubtful=doubtful(standalone or asked.question, meant),
    )


def _why(found: Found) -> str:
    if found.searched:
        return "not_found"
    return "reading" if found.unread else "empty"
