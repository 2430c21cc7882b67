"""The health report of a content as the database keeps it, and which documents somebody should look at."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, and_, or_

from app.db import tables
from ingestion.health import Health, Range, Skipped

# Refused, or read with gaps or doubts. Contents read before there were reports have none ({}).
NEEDS_ATTENTION: ColumnElement[bool] = or_(
    tables.Content.state == "refused",
    and_(tables.Content.state == "ready", tables.Content.health["attention"].as_boolean().is_(True)),
)


def values_of(health: Health) -> dict[str, Any]:
    return {**asdict(health), "attention": bool(health.reasons)}


def health_of(values: dict[str, Any]) -> Health | None:
    """None where the content was read before there were reports, or was not read."""
    if not values:
        return None
    return Health(
        pages=values["pages"],
        pages_without_text=_ranges(values["pages_without_text"]),
        pages_recognised=_ranges(values["pages_recognised"]),
        confidence=values["confidence"],
        pages_unsure=_ranges(values["pages_unsure"]),
        tables=values["tables"],
        headings=values["headings"],
        language=values["language"],
        passages=values["passages"],
        skipped=tuple(Skipped(one["code"], one["text"], _ranges(one["pages"])) for one in values["skipped"]),
        reasons=tuple(values["reasons"]),
    )


def _ranges(pairs: list[list[int]]) -> tuple[Range, ...]:
    return tuple((first, last) for first, last in pairs)
