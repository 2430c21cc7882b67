"""The analyser: text to the terms that are indexed and searched. Everything that knows about words is here.

Two streams of terms. *words* are the words as written, folded (case, accents, ß/ss, ä/ae), with numbers and dates in
one notation (`dates.py`) and identifiers in parts, joined and whole (`=ppr9087`). *stems* are the words after the
language's Snowball stemmer, each with the language before it (`de:haus`), so that languages share one field and no
statistics are mixed up.
Whoever changes what a text yields must raise `VERSION`: indexes carry it and are rebuilt.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from . import dates

VERSION = "2"
WHOLE = "="  # before an identifier that stands by itself: PPR-9087 is not in PPR-9087-A as a whole
GERMAN = "de:"  # before a German stem
SHORTEST_COMPOUND = 7  # letters of its stem
LONG_NUMBER = 4  # figures from which on a number alone may name a thing
LONGEST_TERM = 64  # characters; longer runs are noise (base64, rules of underscores) and bloat the dictionary

STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}

_TOKEN = re.compile(r"[^\W_]+(?:(?:[-_./'’+]|(?<=\d),(?=\d))[^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_RUN = re.compile(r"\d+|[^\W\d_]+")
_GROUPED = re.compile(r"\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_YEAR = re.compile(r"1\d\d\d|20\d\d")
_COUNTED = re.compile(r"\d+[-_.'’]?[^\W\d_A-Z]{1,3}")  # 19th, 1990's, 90er, 10km
_SPACED_GROUP = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_PLAINLY_SPACED = re.compile(r"(?<![\w.,])\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?!\w)")
_UMLAUT = re.compile(r"([ao])e|(?<![aeoq])(u)e|(?<=ge)(u)e(?=b)")  # not in neue, Bauer, Quelle, but in geuebt
_MARKS = {0xAD: None, 0x200B: None, 0x200C: None, 0x200D: None, 0x2060: None, 0xFEFF: None} | dict.fromkeys(
    (0x2010, 0x2011, 0x2012, 0x2013, 0x2212), "-"
)  # what may stand inside a word unseen, and what looks like a hyphen
_NUMBERED = frozenset({"nr", "no", "num", "numero", "number", "nummer", "nº", "n"})  # as in "PPR No. 9087"
_LETTERS = str.maketrans({"ø": "o", "æ": "a", "œ": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})


@dataclass(frozen=True)
class Analysed:
    """Terms of a text, separated by single spaces, in reading order; `ends` are the longer German stems written
    backwards, by which compounds are found from their end (`compounds.py`)."""

    words: str
    stems: str
    ends: str = ""


@dataclass(frozen=True)
class Term:
    """One word of a question: the folded word, its stems (`de:haus`), and whether it is an identifier: letters and
    digits in one (`ppr9087`), or what an identifier may have been written as (`ppr 9087`)."""

    word: str
    stems: tuple[str, ...] = ()
    identifier: bool = False


@dataclass(frozen=True)
class _Pieces:
    words: tuple[str, ...]
    stemmable: tuple[str, ...] = ()
    whole: str = ""  # an identifier's canonical form


def analyse(text: str, language: str) -> Analysed:
    """Terms of a passage written in `language` (ISO 639-1; unknown or unsupported: no stems)."""
    words: list[str] = []
    stems: list[str] = []
    before = ""
    text = _plain(text)
    for token in _tokens(text):
        pieces = _pieces(token)
        words.extend(pieces.words)
        stems.extend(_stems(token, language))
        words.extend(WHOLE + word for word in _whole(token, pieces))
        if token.isdecimal() and before.isupper() and before.isalpha() and len(before) <= 6:
            words += [fold(before) + token, WHOLE + fold(before) + token]  # "ISO 9001" is found as "ISO-9001", too
        before = before if token.casefold() in _NUMBERED else token
    words.extend(_spaced_numbers(text))
    words.extend(dates.of_passage(text, language, fold))
    return Analysed(" ".join(words), " ".join(stems), " ".join(_ends(stems)))


def analyse_question(text: str, languages: Sequence[str]) -> list[Term]:
    """Distinct terms of a question, stemmed for each of `languages`; never raises, whatever the text."""
    terms: dict[str, Term] = {}
    before = ""
    text = _plain(text)
    for token in _tokens(text):
        for term in _question_terms(token, before, languages):
            terms[term.word] = _both(terms.get(term.word), term)
        before = before if token.casefold() in _NUMBERED else token
    for word in (*_spaced_numbers(text), *dates.of_question(text, fold)):
        terms.setdefault(word, Term(word))
    return list(terms.values())


def fold(word: str) -> str:
    """One spelling for a word: `Müller`, `MUELLER` and `muller` are the same, so are `Straße` and `Strasse`."""
    folded = word.casefold()
    if not folded.isascii():
        decomposed = unicodedata.normalize("NFKD", folded.translate(_LETTERS))
        folded = "".join(c for c in decomposed if not unicodedata.combining(c) and not c.isspace())
    return _UMLAUT.sub(lambda found: found.group()[0], folded)


def is_year(word: str) -> bool:
    """Whether a number reads as a year: as a rule it dates something and names nothing."""
    return _YEAR.fullmatch(word) is not None


def _plain(text: str) -> str:
    """The text in compatibility form, with plain hyphens, without what is not seen."""
    text = _SPACED_GROUP.sub("", text)
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text.translate(_MARKS))


def _tokens(plain: str) -> Iterator[str]:
    return (match.group() for match in _TOKEN.finditer(plain))


def _spaced_numbers(plain: str) -> Iterator[str]:
    """`1 234,56` as one number; its groups stand by themselves, too: they may be figures side by side."""
    for match in _PLAINLY_SPACED.finditer(plain):
        yield from _pieces(match.group().replace(" ", "")).words


def _both(one: Term | None, other: Term) -> Term:
    if one is None or one == other:
        return other
    return Term(other.word, tuple(dict.fromkeys(one.stems + other.stems)), one.identifier or other.identifier)


def _ends(stems: Sequence[str]) -> Iterator[str]:
    for stem in dict.fromkeys(stems):
        if stem.startswith(GERMAN) and len(stem) >= len(GERMAN) + SHORTEST_COMPOUND:
            yield stem[: len(GERMAN) - 1 : -1]


def german_stem(folded: str) -> str:
    """The stem of a word that is folded already."""
    return _stem(folded, "de")


def _question_terms(token: str, before: str, languages: Sequence[str]) -> Iterator[Term]:
    pieces = _pieces(token)
    in_figures = not pieces.whole and dates.of_question(token, fold)
    for word in pieces.words:
        if not in_figures or is_year(word):  # of 2026-04-03 not "0403", which is in 04.03.2025 as well
            yield Term(word, identifier=word == pieces.whole)
    for word in filter(fold, pieces.stemmable):
        yield Term(fold(word), _stems_of(word, languages))
    if token.isdecimal() and before.isalpha():
        sure = before.isupper() or (len(token) > 2 and not is_year(token))  # "ppr 9087", but not "in 2022"
        yield Term(fold(before) + token, identifier=sure)


def _whole(token: str, pieces: _Pieces) -> Iterator[str]:
    """What a token is the whole of: an identifier and, where it has but one, its number; or a number that may name."""
    if token.isdecimal() and len(token) >= LONG_NUMBER:
        yield token
    elif pieces.whole and len(pieces.words) > 1:
        yield pieces.whole
        yield from (word for word in pieces.words[1:2] if word.isdecimal() and len(pieces.words) == 3)


@lru_cache(maxsize=1 << 16)
def _pieces(token: str) -> _Pieces:
    """What one unbroken run of characters is indexed as."""
    if len(token) > LONGEST_TERM:
        return _apart(token)
    if not any(c.isdecimal() for c in token):
        return _letters(token)
    if _GROUPED.fullmatch(token) or _DECIMAL.fullmatch(token):
        return _Pieces(tuple(_number(token)))
    return _identifier(token)


def _apart(token: str) -> _Pieces:
    """A path, an address, a row of numbers: what stands between the marks. Nothing of a run without any."""
    parts = [_pieces(part) for part in _PART.findall(token) if len(part) <= LONGEST_TERM]
    words = tuple(word for pieces in parts for word in pieces.words)
    return _Pieces(words, tuple(word for pieces in parts for word in pieces.stemmable))


def _letters(token: str) -> _Pieces:
    parts = _PART.findall(token)
    words = [fold(part) for part in parts]
    if "-" in token and len(parts) > 1:  # "E-Mail" is also "Email"
        words.append("".join(words))
    return _Pieces(tuple(filter(None, words)), tuple(part.lower() for part in parts))


def _number(token: str) -> Iterator[str]:
    """`1.234,56` and `1,234.56` are `1234.56`; one separator before three digits groups thousands."""
    whole, separator, fraction = token, "", ""
    marks = [c for c in token if not c.isdecimal()]
    grouped = _GROUPED.fullmatch(token)
    if not (grouped and len(set(marks)) == 1):
        at = max(token.rfind("."), token.rfind(","))
        whole, separator, fraction = token[:at], ".", token[at + 1 :]
    whole = "".join(c for c in whole if c.isdecimal())
    short = fraction.rstrip("0")
    yield (whole + separator + short).rstrip(".")
    if short != fraction:  # a section 3.10 is not section 3.1
        yield whole + separator + fraction


def _identifier(token: str) -> _Pieces:
    """`PPR-9087/A` is found whole, by each run of letters or digits, and by neighbours joined."""
    runs = [fold(run) for run in _RUN.findall(token)]
    whole = "".join(runs)
    if len(runs) > 16:  # a row of numbers, or a checksum
        return _apart(token) if not token.isalnum() else _Pieces((whole,), whole=whole)
    joined = [a + b for a, b in pairwise(runs)] if len(runs) <= 8 else []
    kept = tuple(filter(None, dict.fromkeys([*runs, *joined, whole])))
    named = any(c.isalpha() for c in whole) and not _COUNTED.fullmatch(token)
    return _Pieces(kept, whole=whole if named else "")


@lru_cache(maxsize=1 << 17)
def _stems(token: str, language: str) -> tuple[str, ...]:
    return tuple(stem for word in _pieces(token).stemmable for stem in _stems_of(word, [language]))


def _stems_of(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    """A stem for each language; a second one where the word without its accents has another."""
    # Snowball's German stemmer drops umlauts itself, but does not know "ae": fold first. Others need their accents.
    plain = fold(word)
    forms = {language: [plain] if language == "de" else [word, plain] for language in languages if language in STEMMERS}
    return tuple(dict.fromkeys(_stem(form, language) for language, written in forms.items() for form in written))


def _stem(word: str, language: str) -> str:
    (stem,) = _stemmer(STEMMERS[language]).analyze(word) or [""]
    return f"{language}:{fold(stem)}"


@cache
def _stemmer(name: str) -> Any:
    import tantivy

    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(tantivy.Filter.stemmer(name)).build()
