"""JSON and JSON Lines as text: no value without its key, arrays of like records as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ingestion.parsers.encoding import read_text
from ingestion.parsers.json_values import NotJson, Value, load, load_lines, word
from ingestion.parsers.lines import block, lines, one_line, paragraphs
from ingestion.parsers.tables import table
from ingestion.types import Block, Line, Page, Parsed, Refused, Warning

MOST_LINES = 500_000
MOST_COLUMNS = 40
WIDEST_CELL = 200  # characters; records with longer values are written one below the other
HEADINGS = 3  # levels of keys that become headings; below, a key is written with those above it
DEEPEST_PATH = 8  # keys that are written before a value
BROKEN = Warning("broken_json", "This is no valid JSON; it was read as plain text.")
TOO_LONG = Warning("too_many_values", f"The file holds more than {MOST_LINES} values; those after them were not read.")

Record = tuple[tuple[str, Value], ...]


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page. What is no JSON is read as plain text, with a warning. Raises `Refused` "empty", "unknown_type"."""
    text = read_text(path)
    on_page(1, 1)
    try:
        found, warnings = bounded(blocks(_loaded(text)))
    except NotJson:
        found, warnings = tuple(paragraphs(text)), (BROKEN,)
    if not found:
        raise Refused("empty", "This file holds no value. Check the original and upload it again.")
    return Parsed("json", "text", (Page(1, found),), has_pages=False, warnings=warnings)


def _loaded(text: str) -> Value:
    try:
        return load(text)
    except NotJson:
        return load_lines(text)


def bounded(found: Iterator[Block]) -> tuple[tuple[Block, ...], tuple[Warning, ...]]:
    """As many blocks as may be, and a warning if there were more."""
    kept: list[Block] = []
    count = 0
    for item in found:
        count += len(item.lines)
        if count > MOST_LINES:
            return tuple(kept), (TOO_LONG,)
        kept.append(item)
    return tuple(kept), ()


def blocks(value: Value, level: int = 1) -> Iterator[Block]:
    """The blocks of a value under headings of `level` - 1."""
    if isinstance(value, tuple) and level <= HEADINGS:
        yield from _object(value, level)
    elif isinstance(value, list):
        yield from _array(value, level)
    else:
        yield from _lines_block(_written(value, ()))


def _object(value: Record, level: int) -> Iterator[Block]:
    """Plain values first, as they stand; what holds others follows under its key as heading."""
    yield from _lines_block(
        line for key, inner in value if not _is_large(inner) for line in _written(inner, (one_line(key),))
    )
    for key, inner in value:
        if _is_large(inner):
            yield from filter(None, [block("heading", key, level=level)])
            yield from blocks(inner, level + 1)


def _array(values: list[Value], level: int) -> Iterator[Block]:
    records = [value for value in values if isinstance(value, tuple)]
    if len(records) == len(values) > 1 and _is_flat(records):
        yield from _as_table(records)
    elif records:
        for value in values:
            yield from _lines_block(_written(value, ()))
    elif all(isinstance(value, list) and not any(map(_is_large, value)) for value in values) and len(values) > 1:
        rows = [[_cell(cell) for cell in value] for value in values if isinstance(value, list)]
        yield from filter(None, [table(rows)])
    else:
        yield from _lines_block(line for value in values for line in _written(value, ()))


def _is_large(value: Value) -> bool:
    """Does it hold values that hold others, or many?"""
    if isinstance(value, tuple):
        return bool(value)
    return isinstance(value, list) and any(isinstance(inner, list | tuple) and inner for inner in value)


def _is_flat(records: Sequence[Record]) -> bool:
    """Do the records fit into the rows of one table?"""
    columns = {key for record in records for key, _ in record}
    return len(columns) <= MOST_COLUMNS and all(
        len(record) == len(dict(record))
        and all(not isinstance(value, list | tuple) and len(word(value)) <= WIDEST_CELL for _, value in record)
        for record in records
    )


def _as_table(records: Sequence[Record]) -> Iterator[Block]:
    columns = list(dict.fromkeys(key for record in records for key, _ in record))
    rows = [[_cell(dict(record).get(column, "")) for column in columns] for record in records]
    yield from filter(None, [table([columns, *rows], headers=1)])


def _cell(value: Value) -> str:
    if isinstance(value, list):
        return ", ".join(_cell(inner) for inner in value)
    return "" if value is None or isinstance(value, tuple) else word(value)


def _lines_block(found: Iterator[Line]) -> Iterator[Block]:
    kept = tuple(found)
    if kept:
        yield Block("paragraph", kept)


def _written(value: Value, path: tuple[str, ...]) -> Iterator[Line]:
    """`key.key: value` for each plain value in `value`, in order and without recursion."""
    waiting: list[tuple[Value, tuple[str, ...]]] = [(value, path)]
    while waiting:
        value, path = waiting.pop()
        if isinstance(value, tuple) and value:
            waiting += [(inner, (*path, one_line(key))[-DEEPEST_PATH:]) for key, inner in reversed(value)]
        elif isinstance(value, list) and any(isinstance(inner, list | tuple) for inner in value):
            numbered = [(inner, _numbered(path, at)) for at, inner in enumerate(value, start=1)]
            waiting += reversed(numbered)
        else:
            yield from _plain(value, path)


def _numbered(path: tuple[str, ...], at: int) -> tuple[str, ...]:
    return (*path[:-1], f"{path[-1]} {at}") if path else (str(at),)


def _plain(value: Value, path: tuple[str, ...]) -> Iterator[Line]:
    """A value, or an array of plain ones, after its key."""
    key = ".".join(filter(None, path))
    text = _cell(value) if isinstance(value, list) else "" if isinstance(value, tuple) else word(value)
    yield from lines(f"{key}: {text}" if key else text)
