"""Words that a line end divided are put together again, so that they can be found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingestion.layout.types import Row

SET = "\u2010"
HYPHENS = ("-", SET)
# After these a hyphen stands for a left-out part ("Ein- und Ausgang", "pre- and post-"), it divides no word.
SUSPENDED = frozenset("und oder bzw bis sowie als and or to et ou y o e en of i lub".split())  # noqa: SIM905
SHORT_LINE = 30  # letters; shorter ones are no running text
FEW_DIVIDED = 0.02  # of the lines end in a hyphen where only compounds do
FIRST_WORD = re.compile(r"\S+")
WORD = re.compile(r"\w+(?:[-\u2010]\w+)*")
BEGUN = re.compile(r"\w+(?:[-\u2010]\w+)*[-\u2010]$")  # the word that the hyphen at a line's end divides
HALF = 4  # letters of either half of a compound; shorter ones are syllables that happen to be words


@dataclass(frozen=True)
class Spelling:
    """How a document writes: the words within its lines (lower case, hyphens included), and whether it divides words at
    line ends. Where it does not (most of what word processors make), a hyphen at a line end is part of a compound.
    `written` are the words in the case they are written in."""

    words: frozenset[str]
    divides: bool
    written: frozenset[str] = frozenset()


def spelling_of(rows: Iterable[Row]) -> Spelling:
    words: set[str] = set()
    ends, lines, divided = 0, 0, False
    for row in rows:
        first, divided = int(divided), row.text.endswith(HYPHENS)
        words.update(WORD.findall(row.text)[first : -1 if divided else None])  # halves of words are none
        lines += len(row.text) > SHORT_LINE
        ends += divided
    return Spelling(frozenset(word.lower() for word in words), ends > FEW_DIVIDED * lines, frozenset(words))


def joined_lines(rows: Sequence[Row], spelling: Spelling) -> list[str]:
    """The rows' texts; a word divided at a line end stands whole on the line it begins on. A row that held nothing but
    the end of such a word is left empty."""
    texts = [row.text for row in rows]
    begun, hyphen = 0, False  # the line that the word stands on which may go on
    for at in range(len(texts) - 1):
        if texts[at]:
            begun, hyphen = at, rows[at].hyphen
        if _divides(texts[begun], texts[at + 1], hyphen):
            texts[begun], texts[at + 1] = _join(texts[begun], texts[at + 1], spelling)
            hyphen = rows[at + 1].hyphen
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
    and this one goes on in lower case, unless both halves are words of the document ("mixed-mode")."""
    match, begun, ends = FIRST_WORD.match(after), BEGUN.search(line), WORD.match(after)
    assert match is not None
    assert ends is not None
    first, second = begun.group()[:-1] if begun else "", ends.group()
    if f"{first}-{second}".lower() in spelling.words:
        drop = False
    elif f"{first}{second}".lower() in spelling.words:
        drop = True
    else:
        compound = min(len(first), len(second)) >= HALF and {first, second} <= spelling.written
        made = line.endswith(SET)  # nobody types it: a program that sets text divided the word
        drop = (spelling.divides or made) and second[0].islower() and first[-1:].isalpha() and not compound
    return (line[:-1] if drop else line) + match.group(), after[match.end() :].lstrip(" ")
