"""What people are told about text recognition."""

from __future__ import annotations

from collections.abc import Sequence

from ingestion.health import UNSURE, Range, ranges
from ingestion.types import Page, Warning

TOO_SLOW = "Recognising the text of the page took too long and was stopped; the page was not read."
TOO_MANY = "The file has more pictures of pages than are recognised in one file; this page was not read."
FAILED = "The picture of the page is damaged or too large, so that its text could not be recognised."


def failure(code: str, number: int) -> Warning:
    if code == "too_slow":
        return Warning("not_recognised", TOO_SLOW, number)
    if code == "too_many":
        return Warning("not_recognised", TOO_MANY, number)
    return Warning("not_recognised", FAILED, number)


def recognition_notes(pages: Sequence[Page]) -> list[Warning]:
    """Which pages were recognised and how surely; the doubtful ones by number."""
    read = [page for page in pages if page.confidence is not None]
    if not read:
        return []
    letters = sum(len(page.text) for page in read) or 1
    sure = round(sum((page.confidence or 0.0) * len(page.text) for page in read) / letters)
    which = _listed(ranges(page.number for page in read))
    notes = [
        Warning("recognised", f"Text was recognised from pictures (pages: {which}), {sure} percent sure on average.")
    ]
    unsure = ranges(page.number for page in read if (page.confidence or 0.0) < UNSURE)
    if unsure:
        text = f"Text recognition was unsure on these pages, compare them with the original: {_listed(unsure)}."
        notes.append(Warning("recognised_unsurely", text))
    return notes


def missing_languages(names: Sequence[str]) -> Warning:
    listed = ", ".join(names)
    return Warning(
        "languages_missing",
        f"Text recognition has no data for these languages on this server, so they were read as others: {listed}.",
    )


def _listed(found: Sequence[Range]) -> str:
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)
