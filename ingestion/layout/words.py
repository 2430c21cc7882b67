"""Words that a line end divided are put together again, so that they can be found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingestion.layout.types import Row

HYPHENS = ("-", "\u2010")
# After these a hyphen stands for a left-out part ("Ein- und Ausgang", "pre- and post-"), it divides no word.
SUSPENDED = frozenset("und oder bzw bis sowie als and or to et ou y o e en of i lub".split())  # noqa: SIM905
SHORT_LINE = 30  # letters; shorter ones are no running text
FEW_DIVIDED = 0.02  # of the lines end in a hyphen where only compounds do
FIRST_WORD = re.compile(r"\S+")
WORD = re.compile(r"\w+(?:[-\u2010]\w+)*")


@dataclass(frozen=True)
class Spelling:
    """How a document writes: the words within its lines (lower case, hyphens included), and whether it divides words at
    line ends. Where it does not (most of what word processors make), a hyphen at a line end is part of a compound."""

    words: frozenset[str]
    divides: bool


def spelling_of(rows: Iterable[Row]) -> Spelling:
    words: set[str] = set()
    ends, lines = 0, 0
    for row in rows:
        words.update(word.lower() for word in WORD.findall(row.text))
        lines += len(row.text) > SHORT_LINE
        ends += row.text.endswith(HYPHENS)
    return Spelling(frozenset(words), ends > FEW_DIVIDED * lines)


def joined_lines(rows: Sequence[Row], spelling: Spelling) -> list[str]:
    """The rows' texts; a word divided at a line end stands whole on the line it begins on. A row that held nothing but
    the end of such a word is left empty."""
    texts = [row.text for row in rows]
    for at in range(len(texts) - 1):
        if _divides(texts[at], texts[at + 1], rows[at].hyphen):
            texts[at], texts[at + 1] = _join(texts[at], texts[at + 1], spelling)
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


def _join(line: str, after: str, spelling: Spelling) -> tuple[str, str]:
    """The hyphen goes or stays as the document writes the word elsewhere; else it goes where the document divides words
    and this one goes on in lower case."""
    match = FIRST_WORD.match(after)
    assert match is not None
    rest, begun = match.group(), line.rsplit(maxsplit=1)[-1]
    whole, divided = WORD.match(begun + rest), WORD.match(begun[:-1] + rest)
    if whole and whole.group().lower() in spelling.words:
        drop = False
    elif divided and divided.group().lower() in spelling.words:
        drop = True
    else:
        drop = spelling.divides and rest[0].islower() and begun[-2:-1].isalpha()
    return (line[:-1] if drop else line) + rest, after[match.end() :].lstrip(" ")
