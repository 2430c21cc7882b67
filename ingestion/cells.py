"""References to the cells of a sheet as spreadsheet programs write them: "B7", "A5:D5"."""

from __future__ import annotations

import re
from collections.abc import Iterable

_REFERENCE = re.compile(r"([A-Z]{1,4})(\d{1,8})(?::([A-Z]{1,4})(\d{1,8}))?")


def reference(row: int, first: int, last: int) -> str:
    """Cells `first` to `last` of `row`, all counted from 0."""
    start = f"{_letters(first)}{row + 1}"
    return start if first == last else f"{start}:{_letters(last)}{row + 1}"


def around(references: Iterable[str]) -> str:
    """The smallest range that holds all references; "" where there are none."""
    corners = [corner for text in references if (match := _REFERENCE.fullmatch(text)) for corner in _corners(match)]
    if not corners:
        return ""
    columns, rows = zip(*corners, strict=True)
    start, end = f"{_letters(min(columns))}{min(rows)}", f"{_letters(max(columns))}{max(rows)}"
    return start if start == end else f"{start}:{end}"


def _corners(match: re.Match[str]) -> list[tuple[int, int]]:
    column, row, last_column, last_row = match.groups()
    corners = [(_number(column), int(row))]
    return [*corners, (_number(last_column), int(last_row))] if last_column else corners


def _letters(column: int) -> str:
    letters = ""
    while column >= 0:
        column, rest = divmod(column, 26)
        letters = chr(ord("A") + rest) + letters
        column -= 1
    return letters


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
