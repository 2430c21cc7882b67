"""Checks one statement against the passages of the prompt, mechanically: nothing is believed because it was cited.

The best supporting span is looked for in the cited passages first, then in the others. A statement is proved when for
each of its clauses a span holds every quotation, number, date, identifier and name and most of the content words, with
the figures in the same places, and neither side says no where the other does not. The span's exact text is the
citation's quote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.questions.claims import Claim, clauses, read_claim
from app.questions.matching import NAME_MISSING, Match, best_match
from app.questions.normal import plain
from app.questions.spans import Source, Span
from app.questions.statements import Piece
from app.questions.types import CitationView, Reason, StatementVerdict, StatementView
from app.questions.words import content_stems, language

_NO_SOURCE = Reason("no_source", "No passage supports this.")
_WORTH_SHOWING = 0.2  # share of words from which on the nearest line of an unproved statement helps


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
        asked = self._asked | frozenset(content_stems(plain(intro)))
        claims = [read_claim(part, asked, self._language) for part in clauses(piece.text)]
        matches = [(claim, self._best(claim, piece.cited)) for claim in claims]
        found = [each for claim, match in matches if match for each in _with_items(claim, match)]
        verdict: StatementVerdict = "proved" if found and all(match.proved for match in found) else "unproved"
        reasons = {str(reason): reason for match in found for reason in match.reasons}
        noted = [_unknown_source(cited) for cited in piece.cited if cited not in self._sources]
        return replace(
            view,
            verdict=verdict,
            reasons=(*(reasons.values() if found else [_NO_SOURCE]), *noted),
            citations=_citations(found, piece.cited),
        )

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


def _with_items(claim: Claim, match: Match) -> list[Match]:
    """The match, and one more for each item of an enumeration that its span lacks: the line of the same passage that
    holds the item, or none, and then the statement is not proved."""
    found = [match]
    for item in claim.items if match.proved else ():
        stems = item.stems - claim.asked
        if not stems or any(_holds(one.span, stems) for one in found):
            continue
        span = next((span for span in match.span.source.spans if _holds(span, stems)), None)
        reasons = () if span else (Reason("item_missing", NAME_MISSING, {"name": item.words}),)
        found.append(replace(match, span=span or match.span, reasons=reasons))
    return found


def _holds(span: Span, stems: frozenset[str]) -> bool:
    return 2 * sum(span.holds(stem) for stem in stems) >= len(stems)


def _citations(matches: Sequence[Match], cited: Sequence[str]) -> tuple[CitationView, ...]:
    """Each span once. An unproved clause shows the line that came nearest, when it comes near at all."""
    shown = [m for m in matches if m.proved or m.cover > _WORTH_SHOWING or m.span.source.id in cited]
    spans = {(match.span.source.id, match.span.start, match.span.end): match.span for match in shown}
    return tuple(cite(span) for span in spans.values())


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


def _unknown_source(cited: str) -> Reason:
    return Reason("unknown_source", "%(source)s is no passage of this answer.", {"source": cited})
