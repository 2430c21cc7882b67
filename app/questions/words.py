"""The words of a text that carry its content, lightly stemmed, and the words that turn it round (English, German)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from app.questions.vocabulary import CONNECTIVE, ENGLISH, ENGLISH_ASKED, GERMAN, GERMAN_ASKED, NEGATORS, STOP

_TOKEN = re.compile(r"(?<!\w)[^\W\d_]+(?:['’-][^\W\d_]+)*(?!\w)")
_ENGLISH_ONLY = (ENGLISH - GERMAN) | ENGLISH_ASKED
_GERMAN_ONLY = (GERMAN - ENGLISH) | GERMAN_ASKED
_NO_NEGATION = re.compile(
    r"\b(?:not only|(?:no|not) (?:later|more|less|fewer) than|"
    r"(?:does|do|may|must|shall|can)(?:\s+not|n't) exceed|not exceed(?:ing)?|not limited to|whether or not|if not|"
    r"no\.\s*(?=\d)|"
    r"not to exceed|no longer than|not just|"
    r"nicht nur|nicht mehr als|nicht weniger als|nicht später als|nicht länger als|nicht zuletzt|nicht überschrei\w+|"
    r"ob nicht|wenn nicht)\b|^\s*(?:no|nein)\s*[,.:!]",
    re.I,
)
_BEFORE_FIGURE = r"\s+(?:[€$£]\s?)?\d"
_LIMITS = {
    "most": re.compile(
        r"\b(?:at most|no (?:more|later|longer) than|not (?:more|later|longer) than|(?:not|n't) exceed(?:ing)?|"
        r"maximum|max\.?|maximal|höchstens|nicht (?:mehr|später|länger) als|spätestens|less than|fewer than|"
        r"weniger als)\b|"
        rf"\b(?:up to|under|below|within|bis zu|unter|innerhalb von|binnen){_BEFORE_FIGURE}",
        re.I,
    ),
    "least": re.compile(
        r"\b(?:at least|no (?:less|fewer) than|not (?:less|fewer) than|minimum|min\.|mindestens|more than|mehr als|"
        r"nicht weniger als|frühestens)\b|"
        rf"\b(?:over|above|exceeds?|exceeding|über){_BEFORE_FIGURE}",
        re.I,
    ),
}
_CLAUSE = re.compile(
    r"[;:,()]|\s[-–—]\s|[.!?]\s|\n|\b(?:but|and|or|while|whereas|although|however|except|"
    r"aber|und|oder|sondern|jedoch|während|obwohl|außer)\b",
    re.I,
)


def tokens(text: str) -> list[str]:
    """Words as written, without figures."""
    return _TOKEN.findall(text)


def content_stems(text: str) -> dict[str, str]:
    """Stem -> word as written, of every word that carries content."""
    found: dict[str, str] = {}
    for token in tokens(text):
        word = token.casefold()
        if len(word) > 1 and word not in STOP and word not in NEGATORS:
            found.setdefault(stem(word), token)
    return found


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A light stem for English and German: endings off, umlauts and ß folded, so that plural and case agree."""
    word = word.casefold().replace("’", "'").removesuffix("'s").translate(_UMLAUTS)
    for suffix, keep in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= keep:
            return word[: -len(suffix)] + _REPLACED.get(suffix, "")
    return word


_UMLAUTS = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss", "-": "", "'": ""})
_SUFFIXES = (
    ("ies", 3), ("ied", 3), ("ungen", 4), ("ing", 4), ("ern", 3), ("est", 4), ("eed", 9), ("ed", 3), ("es", 3),
    ("en", 3), ("em", 3), ("er", 3), ("ly", 4), ("ung", 4), ("st", 5), ("s", 3), ("e", 3), ("n", 4), ("t", 5), ("y", 3),
)  # fmt: skip
_REPLACED: dict[str, str] = {"ies": "", "ied": "", "y": ""}
CONNECTIVE_STEMS = frozenset(stem(word) for word in CONNECTIVE)


def covered(wanted: str, held: frozenset[str]) -> bool:
    """Whether a stem stands among others: itself, a longer or shorter form, or as part of a compound."""
    return wanted in held or any(related(wanted, other) for other in held)


class Stems:
    """Stems of one text, in which the kin of a word are found without comparing it with every one of them."""

    def __init__(self, stems: Iterable[str]) -> None:
        self._all = frozenset(stems)
        self._starts: dict[str, list[str]] = {}
        for stem in self._all:
            self._starts.setdefault(stem[:_START], []).append(stem)

    def kin(self, wanted: str) -> frozenset[str]:
        """Those that count as the same word (`related`)."""
        if len(wanted) < _START:
            return frozenset((wanted,)) & self._all
        close = {one for one in self._all if wanted in one or one in wanted}
        close.update(self._starts.get(wanted[:_START], ()))
        return frozenset(one for one in close if related(wanted, one))


_START = 4  # stems that are kin and neither of which holds the other begin alike


def related(one: str, other: str) -> bool:
    """Whether two stems count as the same word: a longer or shorter form, or a part of a compound."""
    if one == other:
        return True
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if len(short) < 4:
        return False
    if long.startswith(short) and len(long) - len(short) <= 4:
        return True
    if len(short) >= 5 and short in long:
        return True
    common = 0
    for a, b in zip(short, long, strict=False):
        if a != b:
            break
        common += 1
    return common >= 6 and common >= len(long) - 5


def language(text: str) -> str:
    """ "en", "de" or "" by the little words, else by endings; enough for a question or a sentence."""
    words = [token.casefold() for token in tokens(text)]
    german = sum(word in _GERMAN_ONLY or any(c in "äöüß" for c in word) for word in words)
    english = sum(word in _ENGLISH_ONLY for word in words)
    if english == german:
        german = sum(len(word) > 4 and word.endswith(_DE_ENDINGS) for word in words)
        english = sum(len(word) > 4 and word.endswith(_EN_ENDINGS) for word in words)
    if english == german:
        return ""
    return "en" if english > german else "de"


_DE_ENDINGS = ("en", "ung", "keit", "heit", "lich", "isch", "schaft", "tät", "zt", "icht", "tz")
_EN_ENDINGS = ("ing", "ed", "tion", "tions", "ity", "ies", "ment", "ments", "ly", "ness", "ees", "ers")


def negated_clauses(text: str) -> list[frozenset[str]]:
    """The content stems of every clause that says no. "Not only", "no later than" and the like say no such thing."""
    return [frozenset(content_stems(clause)) for clause in _clauses(_NO_NEGATION.sub(" ", text)) if _negates(clause)]


def _clauses(text: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(text) if clause and clause.strip()]


def _negates(clause: str) -> bool:
    return any(
        token.casefold() in NEGATORS or token.casefold().replace("’", "'").endswith("n't") for token in tokens(clause)
    )


def limits(text: str) -> frozenset[str]:
    """ "most" and "least": the directions of the limits a text names."""
    return frozenset(name for name, pattern in _LIMITS.items() if pattern.search(text))
