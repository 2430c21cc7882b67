"""How well a span of a passage supports a claim, and what it lacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.questions.claims import Claim
from app.questions.columns import other_column
from app.questions.normal import normalise
from app.questions.numbers import Figure, Identifier, missing
from app.questions.pairing import paired_otherwise
from app.questions.spans import Source, Span
from app.questions.types import Reason
from app.questions.words import covered

COVERED = 0.6  # share of a claim's content words that must stand in the span
COVERED_SHORT = 0.75  # of at most four content words without a figure
ASKED_AROUND = 0.5  # share of the question's words that must stand in the passage
TELLING = 2  # figures and names that tell enough where languages differ
NAME_MISSING = "“%(name)s” does not stand in the source."
JOINT = 0.15  # what a longer quotation must gain in words for each sentence more


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
    def contradicts(self) -> bool:
        """Holds all figures and names and most words, and says no where the claim does not, or the other way round."""
        return self.cover >= COVERED and any(reason.code == "negation" for reason in self.reasons)

    @property
    def rank(self) -> tuple[bool, int, float, int]:
        joined = JOINT * max(0, len(self.span.parts) - 1)
        return self.proved, -len(self.lacking) - len(self.names), round(self.cover - joined, 1), -len(self.span)


def best_match(claim: Claim, sources: Sequence[Source]) -> Match | None:
    """The span that supports the claim best; among equals the shorter, then the earlier passage. One that says the
    opposite in nearly the same words comes before any that seems to support it."""
    best = against = None
    for source in sources:
        for span in source.spans:
            match = compare(claim, span)
            if best is None or match.rank > best.rank:
                best = match
            if match.contradicts and not span.parts and (against is None or match.cover > against.cover):
                against = match
    return against if best and against and best.proved and against.cover >= best.cover else best


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


def _cover(claim: Claim, span: Span) -> float:
    """The share of content words found in the span. The question's own words need only stand in its passage, and at
    least half of them must; a statement of nothing else must find them in the span. A German noun counts twice: it
    says what the sentence is about."""
    new = {stem: word for stem, word in claim.stems.items() if stem not in claim.asked}
    asked = {stem: word for stem, word in claim.stems.items() if stem in claim.asked}
    german = (claim.language or span.source.language) == "de"
    if not new:
        return _share(asked, span.holds, german) if asked else float(claim.counted > 0)
    around = _share(asked, span.holds_around, german) if asked else 1.0
    return _share(new, span.holds, german) if around >= ASKED_AROUND else 0.0


def _share(wanted: dict[str, str], holds: Callable[[str], bool], german: bool) -> float:
    weights = {stem: 2 if german and word[0].isupper() else 1 for stem, word in wanted.items()}
    return sum(weight for stem, weight in weights.items() if holds(stem)) / sum(weights.values())


def _needed(claim: Claim, span: Span) -> float:
    """The share of content words that must be found. Across languages words cannot be compared: then figures and names
    alone must tell (that all of them stand there was checked before)."""
    if claim.language and span.language and span.language != claim.language and claim.marks >= TELLING:
        return 0.0
    return COVERED if len(claim.stems) > 4 or claim.counted else COVERED_SHORT


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


def _lacks(figure: Figure) -> Reason:
    return Reason("figure_missing", "“%(figure)s” does not stand in the source.", {"figure": figure.shown})


def _name_missing(name: str) -> Reason:
    return Reason("name_missing", NAME_MISSING, {"name": name})


def _quote_missing(quote: str) -> Reason:
    return Reason("quote_missing", "“%(quote)s” does not stand in the source word for word.", {"quote": quote})
