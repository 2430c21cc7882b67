"""Words that a line end divided are put together again, so that they can be found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

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


WORD = re.compile(r"\w+(?:[-\u2010]\w+)*")


def words_in(texts: Iterable[str]) -> frozenset[str]:
    """The words the document writes within a line, with their hyphens, in lower case."""
    return frozenset(word.lower() for text in texts for word in WORD.findall(text))


def joined_lines(rows: Sequence[Row], words: frozenset[str]) -> list[str]:
    """The rows' texts; a word divided at a line end stands whole on the line it begins on. A row that held nothing but
    the end of such a word is left empty."""
    texts = [row.text for row in rows]
    for at in range(len(texts) - 1):
        if _divides(texts[at], texts[at + 1], rows[at].hyphen):
            texts[at], texts[at + 1] = _join(texts[at], texts[at + 1], words)
    return texts


def _divides(line: str, after: str, marked: bool) -> bool:
    if len(line) < 2 or not line.endswith(HYPHENS) or not after or "\t" in after:
        return False
    word = re.match(r"\w+", after)
    if word is None:
        return False
    if not line[-2].isalpha() and not (line[-2].isdigit() and (marked or after[0].isdigit())):
        return False
    return word.group().lower() not in SUSPENDED


def _join(line: str, after: str, words: frozenset[str]) -> tuple[str, str]:
    """The hyphen goes or stays as the document writes the word elsewhere; else it goes where the word goes on in lower
    case, and is part of the word before a capital or a digit."""
    match = FIRST_WORD.match(after)
    assert match is not None
    rest, begun = match.group(), line.rsplit(maxsplit=1)[-1]
    whole, divided = WORD.match(begun + rest), WORD.match(begun[:-1] + rest)
    if whole and whole.group().lower() in words:
        drop = False
    elif divided and divided.group().lower() in words:
        drop = True
    else:
        drop = rest[0].islower() and begun[-2:-1].isalpha()
    return (line[:-1] if drop else line) + rest, after[match.end() :].lstrip(" ")
