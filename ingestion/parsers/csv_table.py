"""CSV as one table: delimiter and encoding found out, values left exactly as they are written."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from ingestion.parsers.encoding import read_text
from ingestion.parsers.lines import broken, one_line
from ingestion.parsers.tables import names_columns, table
from ingestion.types import Block, Line, Page, Parsed, Refused, Warning

DELIMITERS = (",", ";", "\t", "|")
_HEAD = 30  # rows in which column names are looked for
_NONE = "\x1f"  # cuts nothing: a list in one column
_SWALLOWED_ROWS = 5
_UNBALANCED = Warning("unbalanced_quotes", "A quotation mark is never closed; all quotation marks were read as text.")
_LOOKED_AT = 200  # rows that decide on the delimiter
_LONGEST_CELL = 2**24  # characters; Python's own limit of 131,072 refuses honest files


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page with one table. Raises `Refused` "empty", "unknown_type" (not text), "damaged" (no CSV)."""
    rows, delimiter, warnings = _rows(read_text(path))
    start = _names_at(rows)
    head, rows = rows[:start], rows[start:]
    body = _unnamed(rows, delimiter) if _is_misnamed(rows) else table(rows)
    found = tuple(filter(None, [table(head, headers=0), body]))
    if not found:
        raise Refused("empty", "This table has no filled cell. Check the original and upload it again.")
    on_page(1, 1)
    return Parsed("csv", "text", (Page(1, found),), has_pages=False, warnings=(*warnings, *_ragged(rows)))


def _rows(text: str) -> tuple[list[list[str]], str, tuple[Warning, ...]]:
    """The rows, the delimiter between their cells, and what to say of them."""
    text = text.removeprefix("\ufeff").lstrip("\r\n")
    delimiter, text = _declared_delimiter(text)
    csv.field_size_limit(_LONGEST_CELL)
    delimiter = delimiter or _delimiter(text)
    try:
        rows = list(_reader(text, delimiter))
        if text.count('"') % 2 and _swallowed(rows):
            return list(_reader(text, delimiter, quotes=False)), delimiter, (_UNBALANCED,)
        return rows, delimiter, ()
    except csv.Error as error:
        raise Refused(
            "damaged",
            "This CSV file cannot be read as a table (%(cause)s). Export it anew.",
            cause=str(error),
        ) from error


def _names_at(rows: list[list[str]]) -> int:
    """Where the column names stand, below what banks and other programs write first: whose account, of which days."""
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows[: _HEAD * 3]]
    most = max(filled, default=0)
    at = next((at for at, count in enumerate(filled[: _HEAD + 1]) if count == most), 0)
    is_head = at > 0 and most > 2 and all(count < most for count in filled[:at]) and len(rows) > at + 1
    return at if is_head and min(filled[:at]) * 2 <= most and names_columns([rows[at][:most], *rows[at + 1 :]]) else 0


def _is_misnamed(rows: list[list[str]]) -> bool:
    """The first row has fewer cells than all others, which have the same number: which names belong to which values
    nobody can tell."""
    widths = {len(row) for row in rows[1:] if row}
    return len(widths) == 1 and bool(rows[0]) and len(rows[0]) < widths.pop()


def _unnamed(rows: list[list[str]], delimiter: str) -> Block | None:
    """The rows as they are written, so that no value stands under a name that is not its own."""
    written = (delimiter.join(_quoted(one_line(cell), delimiter) for cell in row) for row in rows)
    pieces = tuple(Line(piece) for row in written if row.strip(delimiter) for piece in broken(row))
    return Block("table", pieces) if pieces else None


def _quoted(cell: str, delimiter: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if delimiter in cell else cell


def _declared_delimiter(text: str) -> tuple[str, str]:
    """Excel's own first line `sep=;` and the text after it."""
    first, _, rest = text.partition("\n")
    name, _, value = first.strip().strip('"').partition("=")
    if name.lower() == "sep" and len(value) == 1:
        return value, rest
    return "", text


def _delimiter(text: str) -> str:
    """The delimiter that cuts most rows into the same number of cells, and into the most cells."""
    best = max(DELIMITERS, key=lambda delimiter: _evenness(text, delimiter))
    return best if _evenness(text, best)[0] else _NONE


def _evenness(text: str, delimiter: str) -> tuple[float, int]:
    widths: Counter[int] = Counter()
    try:
        for row, _ in zip(_reader(text, delimiter), range(_LOOKED_AT), strict=False):
            if row:
                widths[len(row)] += 1
    except csv.Error:
        return (0.0, 0)
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
    return (count / widths.total() if width > 1 else 0.0, width)


def _reader(text: str, delimiter: str, quotes: bool = True) -> Iterator[list[str]]:
    source = io.StringIO(text, newline="")
    if quotes:
        return csv.reader(source, delimiter=delimiter, skipinitialspace=True)
    return csv.reader(source, delimiter=delimiter, quoting=csv.QUOTE_NONE, skipinitialspace=True)


def _swallowed(rows: list[list[str]]) -> bool:
    """True if an opening quotation mark without its closing one took the rest of the file into one cell."""
    return bool(rows and rows[-1]) and rows[-1][-1].count("\n") >= _SWALLOWED_ROWS


def _ragged(rows: list[list[str]]) -> tuple[Warning, ...]:
    widths = Counter(len(row) for row in rows if any(cell.strip() for cell in row))
    if len(widths) < 2:
        return ()
    usual = widths.most_common(1)[0][0]
    odd = sum(count for width, count in widths.items() if width != usual)
    return (
        Warning(
            "ragged_rows",
            f"{odd} rows have more or fewer cells than the other rows; all were kept as they are.",
        ),
    )
