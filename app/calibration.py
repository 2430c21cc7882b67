"""Text to calibrate a quantization with: the passages of a collection, or a file."""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.types import Viewer
from app.collections.access import contents_allowed
from app.collections.types import CollectionView
from app.db import tables
from app.errors import Invalid, TooLarge
from models.quantize.types import Text

FILE_LIMIT = 256 << 20  # bytes; a thousandth of it is enough
JSON_LINES = (".jsonl", ".ndjson")


def collection_text(db: Session, viewer: Viewer, collection: CollectionView) -> Text:
    """What the viewer may search in a collection, in reading order."""
    contents = contents_allowed(db, viewer, collection.id)
    passage = tables.Passage
    rows = select(passage.text).where(passage.content_id.in_(contents)).order_by(passage.content_id, passage.ordinal)
    return Text(tuple(db.scalars(rows)), f"collection {collection.name}")


def file_text(path: Path) -> Text:
    """The paragraphs of a text file, or the `text` of each line of a JSONL file. Raises Invalid, TooLarge."""
    if path.stat().st_size > FILE_LIMIT:
        raise TooLarge(
            "%(name)s is larger than %(limit)d MiB.",
            "A few megabytes are plenty; cut it.",
            name=path.name,
            limit=FILE_LIMIT >> 20,
        )
    try:
        text = path.read_text("utf-8-sig")
    except (UnicodeDecodeError, OSError) as error:
        raise Invalid(
            "%(name)s cannot be read as text.",
            "Name a text file in UTF-8 or a JSONL file; other documents go into a collection first: beleg ingest.",
            name=path.name,
        ) from error
    lines = _json_lines(path, text) if path.suffix.lower() in JSON_LINES else text.split("\n\n")
    return Text(tuple(line for line in lines if line.strip()), str(path))


def _json_lines(path: Path, text: str) -> list[str]:
    return [_text_of(path, number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _text_of(path: Path, number: int, line: str) -> str:
    try:
        entry = json.loads(line)
        found = entry if isinstance(entry, str) else entry["text"]
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, str):
        raise Invalid(
            "Line %(number)d of %(name)s has no text.",
            'Each line is a string in JSON, or an object with a field "text".',
            number=number,
            name=path.name,
        )
    return found
