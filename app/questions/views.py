"""Answers as people see them, made from their rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db import tables
from app.questions import decline
from app.questions.progress import Asked, Progress
from app.questions.sources import Key, load_sources
from app.questions.spans import Source
from app.questions.statements import Splitter, showable
from app.questions.trace import Notes, notes_of, trace_of
from app.questions.types import (
    ENDED,
    AnswerState,
    AnswerVerdict,
    AnswerView,
    CitationView,
    Reason,
    StatementView,
)
from app.questions.words import language


def answer_views(db: Session, collection_id: str, rows: Sequence[tables.Answer]) -> tuple[AnswerView, ...]:
    """Views of answers of one collection, in the order of the rows."""
    citations = _citations(db, [row.id for row in rows])
    sources = load_sources(db, collection_id, (key for row in rows for key in _nearest_keys(row)))
    return tuple(_view(row, citations[row.id], sources) for row in rows)


def statement_row(view: StatementView) -> dict[str, Any]:
    """A statement as kept in the answer's row; its citations are rows of their own."""
    return {
        "text": view.text,
        "lead": view.lead,
        "kind": view.kind,
        "verdict": view.verdict,
        "reasons": [asdict(reason) for reason in view.reasons],
    }


def nearest_row(citation: CitationView, source: Source) -> list[Any]:
    """A near passage as kept: places only, so that a deleted document leaves no text behind."""
    return [source.document_id, source.content_id, citation.ordinal, citation.start, citation.end]


def asked_of(row: tables.Answer, collection_id: str, collection: str) -> Asked:
    """A question from its row, without passages and history."""
    return Asked(
        answer_id=row.id,
        conversation_id=row.conversation_id,
        position=row.position,
        collection_id=collection_id,
        collection=collection,
        question=row.question,
        standalone=row.standalone or "",
        language=language(row.question),
        asked_at=row.created_at,
        text=row.text or "",
        notes=notes_of(row.trace or {}),
        trace=trace_of(row.trace or {}),
    )


def live_view(asked: Asked, progress: Progress) -> AnswerView:
    """An answer as it stands in memory: the same as its stored view."""
    return _compose(asked, progress, tuple(citation for citation, _ in progress.nearest))


def _view(row: tables.Answer, citations: dict[int, list[CitationView]], sources: dict[Key, Source]) -> AnswerView:
    progress = Progress(
        state=cast(AnswerState, row.state),
        text=row.text,
        statements=tuple(_statement(kept, citations[place]) for place, kept in enumerate(row.statements)),
        trace=trace_of(row.trace),
        notes=notes_of(row.trace),
        standalone=row.standalone,
        verdict=cast(AnswerVerdict, row.verdict),
        error=row.error,
    )
    return _compose(asked_of(row, "", ""), progress, tuple(_nearest(kept, sources) for kept in row.nearest))


def _compose(asked: Asked, progress: Progress, nearest: tuple[CitationView, ...]) -> AnswerView:
    declined = progress.verdict == "declined"
    pending = "" if progress.state in ENDED else _pending(progress.text, bool(progress.statements))
    shown = "".join(statement.lead + statement.text for statement in progress.statements) + pending
    error, _, hint = progress.error.partition("\n")
    return AnswerView(
        id=asked.answer_id,
        conversation_id=asked.conversation_id,
        position=asked.position,
        question=asked.question,
        standalone=progress.standalone,
        state=progress.state,
        text=_declined(progress.notes, asked.language, bool(nearest)) if declined else shown.strip(),
        verdict=progress.verdict,
        statements=() if declined else progress.statements,
        nearest=nearest,
        error=error,
        hint=hint,
        trace=progress.trace,
        created_at=asked.asked_at,
        pending=pending,
        language=asked.language,
        unread=progress.notes.unread,
        cut=progress.notes.cut,
    )


def _declined(notes: Notes, tongue: str, close: bool) -> str:
    if notes.declined in ("empty", "reading"):
        return decline.nothing_to_search(tongue, int(notes.declined == "reading"))
    return decline.not_found(tongue, close)


def _pending(text: str, begun: bool) -> str:
    splitter = Splitter()
    splitter.feed(text)
    return "" if not begun and decline.may_become_refusal(splitter.rest) else showable(splitter.rest)


def _statement(kept: dict[str, Any], citations: list[CitationView]) -> StatementView:
    reasons = tuple(Reason(**reason) for reason in kept["reasons"])
    return StatementView(kept["text"], kept["verdict"], reasons, tuple(citations), kept["lead"], kept["kind"])


def _nearest_keys(row: tables.Answer) -> list[Key]:
    return [(kept[1], kept[2]) for kept in row.nearest]


def _nearest(kept: list[Any], sources: dict[Key, Source]) -> CitationView:
    document_id, content_id, ordinal, start, end = kept
    source = sources.get((content_id, ordinal))
    if source is None:
        return CitationView(None, "", None, "", ordinal, start, end, True, f"D{content_id}.{ordinal}")
    page, quote = source.page_at(start), source.text[start:end]
    return CitationView(document_id, source.document, page, quote, ordinal, start, end, False, source.id)


def _citations(db: Session, answers: Sequence[str]) -> dict[str, dict[int, list[CitationView]]]:
    found: dict[str, dict[int, list[CitationView]]] = defaultdict(lambda: defaultdict(list))
    query = select(tables.Citation).where(tables.Citation.answer_id.in_(answers))
    for row in db.scalars(query.order_by(tables.Citation.statement, tables.Citation.position)):
        found[row.answer_id][row.statement].append(_citation(row))
    return found


def _citation(row: tables.Citation) -> CitationView:
    return CitationView(
        document_id=row.document_id,
        document=row.document_name,
        page=row.page,
        quote=row.quote,
        ordinal=row.ordinal,
        start=row.start,
        end=row.end,
        deleted=row.document_id is None,
        source=f"D{row.content_id}.{row.ordinal}",
    )
