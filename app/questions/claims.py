"""A statement taken apart into what must be found in a source: content words, figures, names, quotations, negations."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.questions.listing import Item, items
from app.questions.normal import plain
from app.questions.numbers import Figure, Number, figures
from app.questions.units import is_money_or_share, is_unit
from app.questions.vocabulary import STOP
from app.questions.words import CONNECTIVE_STEMS, content_stems, language, limits, negated_clauses, stem, tokens

_QUOTED = re.compile(r'"([^"]+)"|„([^“"]+)[“"”]|“([^”]+)”|»([^«]+)«|«([^»]+)»')
_JOINT = re.compile(
    r";\s+|,\s+(?:so that|so|but|and|while|whereas|although|however|aber|und|sondern|während|jedoch|sodass|so dass)\s+"
)
_PART_WORDS = 2  # content words from which on a clause is a claim of its own


@dataclass(frozen=True)
class Claim:
    """A statement taken apart: what must be found. `stems` maps a stem to its word, connective words left out;
    `items` are those of enumerations, each to be found by itself."""

    stems: dict[str, str]
    asked: frozenset[str]
    figures: tuple[Figure, ...]
    names: frozenset[str]
    quotes: tuple[str, ...]
    negated: list[frozenset[str]]
    limits: frozenset[str]
    language: str
    items: tuple[Item, ...] = ()

    @property
    def counted(self) -> int:
        """Figures that must be found."""
        return sum(not (isinstance(f, Number) and f.loose) for f in self.figures)

    @property
    def marks(self) -> int:
        """How surely figures and names alone tell what is meant, across languages: a date or a part number tells much,
        a small number little."""
        return sum(_tells(figure) for figure in self.figures) + len(self.names)


def clauses(text: str) -> list[str]:
    """The clauses that each claim something: "A is 5, and B is 7" is two. A statement that cannot be parted is one."""
    if _QUOTED.search(text):
        return [text]
    parts = [part for part in _JOINT.split(text) if part.strip()]
    return parts if len(parts) > 1 and all(len(content_stems(part)) >= _PART_WORDS for part in parts) else [text]


def read_claim(text: str, asked: frozenset[str] = frozenset(), tongue: str = "") -> Claim:
    """Takes a statement apart. `asked` are the stems of the question: they may stand anywhere in the passage; `tongue`
    is its language when its own words do not tell."""
    flat = plain(re.sub(r"[*_`#|]+", " ", text))
    stems = {s: w for s, w in content_stems(flat).items() if s not in CONNECTIVE_STEMS and not is_money_or_share(w)}
    lang = language(flat) or tongue
    quotes = tuple(q for found in _QUOTED.findall(text) for q in found if len(q.split()) >= 3)
    return Claim(
        stems=stems,
        asked=asked,
        figures=figures(flat),
        names=frozenset(_names(flat, lang)),
        quotes=quotes,
        negated=negated_clauses(flat),
        limits=limits(flat),
        language=lang,
        items=items(text),
    )


def _names(text: str, lang: str) -> list[str]:
    """Stems of words that are names by their look: capitals inside an English sentence, two capitalised words in a row
    in German (where every noun has one), and abbreviations in capitals."""
    words = tokens(text)
    found: list[str] = []
    for i, word in enumerate(words):
        if len(word) < 2 or is_unit(word) or word.casefold() in STOP or stem(word) in CONNECTIVE_STEMS:
            continue
        abbreviation = word.isupper()
        in_row = i > 0 if lang == "en" else i > 1 and words[i - 1][0].isupper()
        if abbreviation or (word[0].isupper() and in_row):
            found.append(stem(word))
    return found


def _tells(figure: Figure) -> int:
    if isinstance(figure, Number):
        return 0 if figure.loose else 2 if len(figure.value.as_tuple().digits) >= 3 else 1
    return 2
