"""German compounds, taken apart by the index's own vocabulary: Urlaubsantrag is found by Antrag and by Urlaub, and
finds "Antrag auf Urlaub".

Koehn and Knight, "Empirical methods for compound splitting", EACL 2003: a split is believed where its parts are words
of the collection, and the one whose parts are most frequent is taken. So no dictionary is needed, and a firm's own
words count. It is done when a question is asked: what is indexed of a passage does not depend on other passages.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .words import GERMAN, Term, german_stem

LEAST = 4  # letters of a part
SHORT_HEAD, LONG_MODIFIER = 3, 6  # Urlaubs-tag, but not Frei-tag
MOST = 200  # compounds of one word, the most frequent
CACHED = 4096  # words remembered
_LINKS = ("", "s", "es", "n", "en", "er", "e", "ens", "nen")  # between the parts: Urlaub-s-antrag
# "Unternehmen" has nothing to do with "nehmen", nor "Einkauf" with "ein".
_PARTICLES = """
auf aus bei durch ein fort gegen heraus herein hinaus hinein hinter mit nach neben uber unter voll vor voraus weiter
wieder zuruck zusammen zwischen
"""
_NO_PARTS = frozenset(_PARTICLES.split())


@dataclass(frozen=True)
class Kin:
    """Of a word: the two stems it is made of ("" and "" if it is no compound), and the stems of compounds it is a part
    of, with the number of passages that hold one of them (at most)."""

    modifier: str = ""
    head: str = ""
    within: tuple[str, ...] = ()
    passages: int = 0


NONE = Kin()


class Compounds:
    """The compounds of an opened index. Safe to use from several threads."""

    def __init__(self, searcher: Any) -> None:
        self._searcher = searcher
        self._known: dict[str, Kin] = {}
        try:
            searcher.terms_with_prefix("ends", "\0", limit=1)
            self._able = True
        except ValueError:
            self._able = False  # an index of an older version, searched until it has been rebuilt

    def kin(self, term: Term) -> Kin:
        """What the word is made of and part of; `NONE` unless it may be German."""
        stem = next((one.removeprefix(GERMAN) for one in term.stems if one.startswith(GERMAN)), "")
        if not self._able or len(stem) < SHORT_HEAD or not term.word.isalpha() or {term.word, stem} & _NO_PARTS:
            return NONE
        if term.word not in self._known:
            if len(self._known) >= CACHED:
                self._known.clear()
            self._known[term.word] = self._find(term.word, stem)
        return self._known[term.word]

    def _find(self, word: str, stem: str) -> Kin:
        found = {**dict(self._as_head(stem)), **dict(self._as_modifier(word)), **dict(self._as_modifier(stem))}
        found.pop(stem, None)
        modifier, head = self._parts(word)
        return Kin(modifier, head, tuple(GERMAN + one for one in found), sum(found.values()))

    def _as_head(self, stem: str) -> Iterator[tuple[str, int]]:
        for reverse, passages in self._searcher.terms_with_prefix("ends", stem[::-1], limit=MOST):
            modifier = reverse[: len(stem) - 1 : -1]
            long_enough = len(stem) >= LEAST or len(modifier) >= LONG_MODIFIER
            if long_enough and any(self._frequency(base) for base in _bases(modifier)):
                yield reverse[::-1], passages

    def _as_modifier(self, form: str) -> Iterator[tuple[str, int]]:
        for term, passages in self._searcher.terms_with_prefix("stems", GERMAN + form, limit=MOST):
            rest = term[len(GERMAN) + len(form) :]
            heads = (rest.removeprefix(link) for link in _LINKS if rest.startswith(link))
            least = SHORT_HEAD if len(form) >= LONG_MODIFIER else LEAST
            if any(len(head) >= least and self._searcher.doc_freq("stems", GERMAN + head) for head in heads):
                yield term.removeprefix(GERMAN), passages

    def _parts(self, word: str) -> tuple[str, str]:
        best, found = 0.0, ("", "")
        for at in range(LEAST, len(word) - SHORT_HEAD + 1):
            if len(word) - at < LEAST and at < LONG_MODIFIER:
                continue
            head = german_stem(word[at:])
            frequency = self._searcher.doc_freq("stems", head)
            if frequency > 0:
                for base in _bases(word[:at]):
                    score = math.sqrt(frequency * self._frequency(base))
                    if score > best:
                        best, found = score, (german_stem(base), head)
        return found

    def _frequency(self, word: str) -> int:
        """Passages that hold a word in some form."""
        in_words = self._searcher.doc_freq("words", word)
        return int(max(in_words, self._searcher.doc_freq("stems", german_stem(word))))


def _bases(modifier: str) -> Iterator[str]:
    """Words a compound's first part may stand for: without what links it, or with the e that it lost (Schul-buch)."""
    if modifier in _NO_PARTS:
        return
    for link in _LINKS:
        base = modifier.removesuffix(link)
        if modifier.endswith(link) and len(base) >= (LEAST if not link else LEAST - 1):
            yield base
    if len(modifier) >= LEAST:
        yield modifier + "e"
