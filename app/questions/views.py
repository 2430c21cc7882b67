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


def _view(row: tables.Answer, citations: dict[int, list[CitationView]], sources: dict[Key, Source]) -> AnswerView:
    statements = tuple(_statement(kept, citations[place]) for place, kept in enumerate(row.statements))
    notes = notes_of(row.trace)
    tongue = language(row.question)
    nearest = tuple(_nearest(kept, sources) for kept in row.nearest)
    pending = "" if row.state in ENDED else _pending(row.text)
    error, _, hint = row.error.partition("\n")
    shown = "".join(s.lead + s.text for s in statements) + pending
    return AnswerView(
        id=row.id,
        conversation_id=row.conversation_id,
        position=row.position,
        question=row.question,
        standalone=row.standalone,
        state=cast(AnswerState, row.state),
        text=declined_text(notes, tongue, bool(nearest)) if row.verdict == "declined" else shown.strip(),
        verdict=cast(AnswerVerdict, row.verdict),
        statements=() if row.verdict == "declined" else statements,
        nearest=nearest,
        error=error,
        hint=hint,
        trace=trace_of(row.trace),
        created_at=row.created_at,
        pending=pending,
        language=tongue,
        unread=notes.unread,
        cut=notes.cut,
    )


def declined_text(notes: Notes, tongue: str, close: bool) -> str:
    if notes.declined in ("empty", "reading"):
        return decline.nothing_to_search(tongue, int(notes.declined == "reading"))
    return decline.not_found(tongue, close)


def _pending(text: str) -> str:
    splitter = Splitter()
    splitter.feed(text)
    return "" if decline.may_become_refusal(splitter.rest) else showable(splitter.rest)


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
