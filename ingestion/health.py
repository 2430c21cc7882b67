"""How well a file was read, for the people who rely on it: what holds no text, what was recognised and how surely, what
was left out and why, and what of its structure was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ingestion.types import Page, Parsed, Passage, Warning

Reason = Literal["partial", "low_confidence", "pages_without_text"]
Range = tuple[int, int]  # first and last number of pages that follow each other

UNSURE = 70.0  # below this share of sure words (0 to 100) a recognised page has to be compared with its original
SAID = frozenset({"recognised", "recognised_unsurely"})
PARTLY = frozenset({"script_not_read"})  # of a page that was read otherwise
MOSTLY = 0.5  # of the pages without text: more than blank back pages


@dataclass(frozen=True)
class Skipped:
    """Something that was not read, or read otherwise than it looks. `pages` empty means the whole file."""

    code: str
    text: str
    pages: tuple[Range, ...]


@dataclass(frozen=True)
class Health:
    """`pages_without_text` are all pages that yielded none, blank ones too. `confidence` is the mean certainty of the
    recognised pages (0 to 100), each weighed by its letters, None where nothing was recognised. `passages` is None
    where the file was only looked at. `reasons`: why a person should look at it, none when all is well."""

    pages: int
    pages_without_text: tuple[Range, ...]
    pages_recognised: tuple[Range, ...]
    confidence: float | None
    pages_unsure: tuple[Range, ...]
    tables: int
    headings: int
    language: str
    passages: int | None
    skipped: tuple[Skipped, ...]
    reasons: tuple[Reason, ...]


def examine(
    parsed: Parsed, warnings: Sequence[Warning], language: str, passages: Sequence[Passage] | None = None
) -> Health:
    """`warnings` are those of `parsed` and of what became of it later (attachments)."""
    pages = parsed.pages if parsed.has_pages else ()
    bare = [page.number for page in pages if not page.text.strip()]
    recognised = [page for page in parsed.pages if page.confidence is not None]
    unsure = [page.number for page in recognised if page.confidence is not None and page.confidence < UNSURE]
    kinds = [block.kind for page in parsed.pages for block in page.blocks]
    return Health(
        pages=len(pages),
        pages_without_text=ranges(bare),
        pages_recognised=ranges(page.number for page in recognised),
        confidence=_confidence(recognised),
        pages_unsure=ranges(unsure),
        tables=kinds.count("table"),
        headings=kinds.count("heading"),
        language=language,
        passages=None if passages is None else len(passages),
        skipped=_skipped(warnings),
        reasons=tuple(_reasons(parsed, bare, unsure)),
    )


def ranges(numbers: Iterable[int]) -> tuple[Range, ...]:
    """Numbers as ranges of neighbours: 3, 4, 5, 9 are (3, 5), (9, 9)."""
    ordered = sorted(set(numbers))
    if not ordered:
        return ()
    breaks = [(before, after) for before, after in pairwise(ordered) if after > before + 1]
    firsts = [ordered[0], *(after for _, after in breaks)]
    lasts = [*(before for before, _ in breaks), ordered[-1]]
    return tuple(zip(firsts, lasts, strict=True))


def _confidence(recognised: Sequence[Page]) -> float | None:
    weighed = [(page.confidence or 0.0, len(page.text)) for page in recognised]
    letters = sum(length for _, length in weighed)
    return round(sum(sure * length for sure, length in weighed) / letters, 1) if letters else None


def _skipped(warnings: Sequence[Warning]) -> tuple[Skipped, ...]:
    """Warnings in their order; what was said of several pages alike is said once, what the report itself says not at
    all."""
    pages: dict[tuple[str, str], list[int]] = {}
    for warning in (one for one in warnings if one.code not in SAID):
        of = pages.setdefault((warning.code, warning.text), [])
        if warning.page is not None:
            of.append(warning.page)
    return tuple(Skipped(code, text, ranges(of)) for (code, text), of in pages.items())


def _reasons(parsed: Parsed, bare: Sequence[int], unsure: Sequence[int]) -> Iterable[Reason]:
    """A page that is blank in the original is nothing to look at: it raises no warning, so the file is not partial."""
    if parsed.outcome == "partial" or any(warning.code in PARTLY for warning in parsed.warnings):
        yield "partial"
    if unsure:
        yield "low_confidence"
    warned = {warning.page for warning in parsed.warnings}
    if any(number in warned for number in bare) or len(bare) > MOSTLY * len(parsed.pages):
        yield "pages_without_text"
