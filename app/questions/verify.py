"""Checks one statement against the passages of the prompt, mechanically: nothing is believed because it was cited.

The best supporting span is looked for in the cited passages first, then in the others. A statement is proved when a
span holds every quotation, number, date, identifier and name of it and most of its content words, and neither side
says no where the other does not. The span's exact text is the citation's quote.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.questions.columns import other_column
from app.questions.normal import normalise, plain
from app.questions.numbers import Figure, Identifier, Number, figures, is_money_or_share, is_unit, missing
from app.questions.pairing import paired_otherwise
from app.questions.spans import Source, Span
from app.questions.statements import Piece
from app.questions.types import CitationView, Reason, StatementVerdict, StatementView
from app.questions.vocabulary import STOP
from app.questions.words import (
    CONNECTIVE_STEMS,
    content_stems,
    covered,
    language,
    limits,
    negated_clauses,
    stem,
    tokens,
)

COVERED = 0.6
_TELLING = 2
COVERED_SHORT = 0.75  # of at most four content words without a figure
_QUOTED = re.compile(r'"([^"]+)"|„([^“"]+)[“"”]|“([^”]+)”|»([^«]+)«|«([^»]+)»')
_NO_SOURCE = "No passage supports this."


@dataclass(frozen=True)
class Claim:
    """A statement taken apart: what must be found. `stems` maps a stem to its word, connective words left out."""

    stems: dict[str, str]
    asked: frozenset[str]
    figures: tuple[Figure, ...]
    names: frozenset[str]
    quotes: tuple[str, ...]
    negated: list[frozenset[str]]
    limits: frozenset[str]
    language: str

    @property
    def counted(self) -> int:
        """Figures that must be found."""
        return sum(not (isinstance(f, Number) and f.loose) for f in self.figures)

    @property
    def marks(self) -> int:
        """How surely figures and names alone tell what is meant, across languages: a date or a part number tells much,
        a small number little."""
        return sum(_tells(figure) for figure in self.figures) + len(self.names)


@dataclass(frozen=True)
class Match:
    """How well a span supports a claim. `cover` is the share of content words found."""

    span: Span
    cover: float
    lacking: tuple[Figure, ...]
    names: tuple[str, ...]
    reasons: tuple[Reason, ...]

    @property
    def proved(self) -> bool:
        return not self.reasons

    @property
    def rank(self) -> tuple[bool, int, float, int]:
        size = self.span.end - self.span.start
        return self.proved, -len(self.lacking) - len(self.names), round(self.cover, 2), -size


class Verifier:
    """Holds the passages of one prompt and the question; checks statements one by one."""

    def __init__(self, sources: Sequence[Source], question: str) -> None:
        self._sources = {source.id: source for source in sources}
        self._asked = frozenset(content_stems(plain(question)))
        self._language = language(question)

    def check(self, piece: Piece, intro: str = "") -> StatementView:
        """`intro` is the line a list stands under ("The plan covers:"); its words do not count against an item."""
        view = StatementView(piece.text, "", (), (), piece.lead, "statement" if piece.claims else "connective")
        if not piece.claims:
            return view
        unknown = tuple(_unknown_source(cited) for cited in piece.cited if cited not in self._sources)
        asked = self._asked | frozenset(content_stems(plain(intro)))
        claim = read_claim(piece.text, asked, self._language)
        best = self._best(claim, piece.cited)
        if best is None:
            return replace(view, verdict="unproved", reasons=(Reason("no_source", _NO_SOURCE), *unknown))
        citations = (cite(best.span),) if best.proved or best.cover > 0.2 or best.span.source.id in piece.cited else ()
        verdict: StatementVerdict = "proved" if best.proved else "unproved"
        return replace(view, verdict=verdict, reasons=(*best.reasons, *unknown), citations=citations)

    def _best(self, claim: Claim, cited: Sequence[str]) -> Match | None:
        named = [self._sources[i] for i in cited if i in self._sources]
        best = best_match(claim, named)
        if best and best.proved:
            return best
        others = [source for source in self._sources.values() if source not in named]
        other = best_match(claim, others)
        if other and (best is None or other.proved):
            return other
        return best


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
        names=frozenset(s for s in _names(flat, lang) if s not in asked),
        quotes=quotes,
        negated=negated_clauses(flat),
        limits=limits(flat),
        language=lang,
    )


def best_match(claim: Claim, sources: Sequence[Source]) -> Match | None:
    """The span that supports the claim best; among equals the shorter, then the earlier passage."""
    best: Match | None = None
    for source in sources:
        for span in source.spans:
            if best and best.proved and span.end - span.start >= best.span.end - best.span.start:
                continue
            match = compare(claim, span)
            if best is None or match.rank > best.rank:
                best = match
    return best


def compare(claim: Claim, span: Span) -> Match:
    """Everything the span lacks, as reasons; none means that it proves the claim."""
    lacking = tuple(f for f in missing(claim.figures, span.figures) if not _identifier_stands(f, span))
    names = tuple(claim.stems.get(name, name) for name in claim.names if not span.holds_around(name))
    cover = _cover(claim, span)
    reasons = [_lacks(figure) for figure in lacking]
    reasons += [_name_missing(name) for name in names]
    reasons += [_quote_missing(quote) for quote in claim.quotes if not find_quote(quote, span.text)]
    if not reasons:
        reasons += _turned_round(claim, span) or _in_other_column(claim, span) or _paired_otherwise(claim, span)
    if not reasons and cover < _needed(claim, span):
        reasons.append(Reason("not_covered", "The source does not say all of this."))
    return Match(span, cover, lacking, names, tuple(reasons))


def find_quote(quote: str, source: str) -> tuple[int, int] | None:
    """Where the quotation stands in the source, character for character after normalisation; None when it does not."""
    wanted = normalise(quote).text.strip().rstrip(".,;:!?")
    there = normalise(source)
    at = there.text.find(wanted) if wanted else -1
    return None if at < 0 else there.source_range(at, at + len(wanted))


def cite(span: Span) -> CitationView:
    """The citation that shows a span."""
    source = span.source
    return CitationView(
        document_id=source.document_id,
        document=source.document,
        page=source.page_at(span.start),
        quote=span.text,
        ordinal=source.ordinal,
        start=span.start,
        end=span.end,
        source=source.id,
    )


def _cover(claim: Claim, span: Span) -> float:
    """The share of content words found in the span; words of the question count as found anywhere in the passage. A
    German noun counts twice: it says what the sentence is about."""
    german = (claim.language or span.source.language) == "de"
    total = found = 0
    for wanted, word in claim.stems.items():
        weight = 2 if german and word[0].isupper() else 1
        total += weight
        found += weight * (span.holds_around(wanted) if wanted in claim.asked else span.holds(wanted))
    return found / total if total else float(claim.counted > 0)


def _needed(claim: Claim, span: Span) -> float:
    """The share of content words that must be found. Across languages words cannot be compared: then figures and names
    alone must tell (that all of them stand there was checked before)."""
    if claim.language and span.language and span.language != claim.language and claim.marks >= _TELLING:
        return 0.0
    return COVERED if len(claim.stems) > 4 or claim.counted else COVERED_SHORT


def _tells(figure: Figure) -> int:
    if isinstance(figure, Number):
        return 0 if figure.loose else 2 if len(figure.value.as_tuple().digits) >= 3 else 1
    return 2


def _turned_round(claim: Claim, span: Span) -> list[Reason]:
    """Negation on one side only, or a limit turned from "at least" to "at most"."""
    if claim.negated and not any(_about_same(mine, theirs) for mine in claim.negated for theirs in span.negated):
        return [Reason("negation", "The source does not say no here.")]
    if not claim.negated and any(_is_said(theirs, frozenset(claim.stems)) for theirs in span.negated):
        return [Reason("negation", "The source says no where the answer does not.")]
    if claim.limits and span.limits and not claim.limits & span.limits and claim.figures:
        return [Reason("limit", "The source names the limit the other way round.")]
    return []


def _in_other_column(claim: Claim, span: Span) -> list[Reason]:
    found = other_column(claim.figures, frozenset(claim.stems) | claim.asked, span)
    if found is None:
        return []
    values = {"figure": found[0].shown, "column": found[1]}
    return [Reason("column", "“%(figure)s” stands under “%(column)s” in the source.", values)]


def _paired_otherwise(claim: Claim, span: Span) -> list[Reason]:
    found = None if span.is_row else paired_otherwise(claim.figures, span.plain)
    if found is None:
        return []
    values = {"figure": found[0].shown, "other": found[1].shown}
    return [Reason("paired", "In the source “%(figure)s” goes with “%(other)s”.", values)]


def _about_same(one: frozenset[str], other: frozenset[str]) -> bool:
    return not one or sum(covered(s, other) for s in one) / len(one) > 0.5


def _is_said(clause: frozenset[str], stems: frozenset[str]) -> bool:
    return bool(clause) and sum(covered(s, stems) for s in clause) / len(clause) > 0.5


def _identifier_stands(figure: Figure, span: Span) -> bool:
    """PPR-9087 is also PPR 9087, PPR_9087 or ppr9087. What the whole passage is about need not be named in every
    sentence of it, but in every row of a table."""
    if not isinstance(figure, Identifier) or not figure.key.isalnum():
        return False
    if not span.is_row and span.source.is_about(figure.key):
        return True
    spread = r"[\W_]{0,2}".join(re.findall(r"[^\W\d_]+|\d+", figure.key))
    return re.search(rf"(?<![^\W_]){spread}(?![^\W_])", span.plain, re.I) is not None


def _names(text: str, lang: str) -> list[str]:
    """Stems of words that are names by their look: capitals inside an English sentence, two capitalised words in a row
    in German (where every noun has one), and abbreviations in capitals."""
    words = tokens(text)
    found: list[str] = []
    for i, word in enumerate(words):
        if is_unit(word) or word.casefold() in STOP or stem(word) in CONNECTIVE_STEMS:
            continue
        abbreviation = len(word) >= 2 and word.isupper()
        in_row = i > 0 if lang == "en" else i > 1 and words[i - 1][0].isupper()
        if abbreviation or (word[0].isupper() and in_row):
            found.append(stem(word))
    return found


def _lacks(figure: Figure) -> Reason:
    return Reason("figure_missing", "“%(figure)s” does not stand in the source.", {"figure": figure.shown})


def _name_missing(name: str) -> Reason:
    return Reason("name_missing", "“%(name)s” does not stand in the source.", {"name": name})


def _quote_missing(quote: str) -> Reason:
    return Reason("quote_missing", "“%(quote)s” does not stand in the source word for word.", {"quote": quote})


def _unknown_source(cited: str) -> Reason:
    return Reason("unknown_source", "%(source)s is no passage of this answer.", {"source": cited})
