"""Words that a line end divided are put together again, so that they can be found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingestion.layout.types import Row

HYPHENS = ("-", "\u2010")
# After these a hyphen stands for a left-out part ("Ein- und Ausgang", "pre- and post-"), it divides no word.
SUSPENDED = {
    "und",
    "oder",
    "bzw",
    "bis",
    "sowie",
    "als",
    "and",
    "or",
    "to",
    "et",
    "ou",
    "y",
    "o",
    "e",
    "en",
    "of",
    "i",
    "lub",
}
FIRST_WORD = re.compile(r"\S+")


def joined_lines(rows: Sequence[Row]) -> list[str]:
    """The rows' texts; a word divided at a line end stands whole on the line it begins on. A row that held nothing but
    the end of such a word is left empty."""
    texts = [row.text for row in rows]
    for at in range(len(texts) - 1):
        if _divides(texts[at], texts[at + 1], rows[at].hyphen):
            texts[at], texts[at + 1] = _join(texts[at], texts[at + 1])
    return texts


def _divides(line: str, after: str, marked: bool) -> bool:
    if len(line) < 2 or not line.endswith(HYPHENS) or not after:
        return False
    word = re.match(r"\w+", after)
    if word is None or not (line[-2].isalpha() or (marked and line[-2].isalnum())):
        return False
    return word.group().lower() not in SUSPENDED


def _join(line: str, after: str) -> tuple[str, str]:
    """The hyphen goes where the word goes on in lower case; before a capital or a digit it is part of the word."""
    match = FIRST_WORD.match(after)
    assert match is not None
    rest = match.group()
    plain = rest[0].islower() and "-" not in line.rsplit(maxsplit=1)[-1][:-1]
    return (line[:-1] if plain else line) + rest, after[match.end() :].lstrip(" ")
