"""JSON values as plain Python without loss: objects keep double keys, numbers stay as they are written.

An object is a tuple of (key, value) pairs, an array a list, a number a string.
"""

from __future__ import annotations

import json
from typing import TypeAlias, Union

Value: TypeAlias = Union[str, bool, "list[Value]", "tuple[tuple[str, Value], ...]", None]

_DECODER = json.JSONDecoder(object_pairs_hook=tuple, parse_float=str, parse_int=str, parse_constant=str, strict=False)
_WORDS = {True: "true", False: "false", None: "null"}


class NotJson(Exception):
    """It cannot be read as JSON: broken, or nested deeper than any program writes it."""


def load(text: str) -> Value:
    """The one value in `text`. Raises `NotJson`."""
    try:
        value: Value = _DECODER.decode(text.strip("\ufeff\0 \t\r\n\v\f"))
    except (ValueError, RecursionError) as error:
        raise NotJson from error
    return value


def load_lines(text: str) -> list[Value]:
    """One value a line (JSON Lines); empty lines are left out. Raises `NotJson` unless every line holds one."""
    return [load(line) for line in text.split("\n") if line.strip()]


def get(value: Value, key: str) -> Value:
    """What `key` of an object says (the last one, if it is there several times); "" if nothing."""
    return dict(value).get(key, "") if isinstance(value, tuple) else ""


def joined(value: Value) -> str:
    """A text that may be written as an array of lines, as notebooks do."""
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def word(value: str | bool | None) -> str:
    """A value that holds no others, as it is written in JSON, without quotation marks."""
    return value if isinstance(value, str) else _WORDS[value]
