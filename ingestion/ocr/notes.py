"""What people are told about text recognition."""

from __future__ import annotations

from collections.abc import Sequence

from ingestion.health import UNSURE, Range, ranges
from ingestion.types import Page, Refused, Warning

TOO_SLOW = "Recognising the text of the page took too long and was stopped; the page was not read."
OUT_OF_TIME = (
    "Recognising the text of the file took longer than all its pages may take together; this page was not read. "
    "Split the file into smaller parts and upload those."
)
TOO_MANY = "The file has more pictures of pages than are recognised in one file; this page was not read."
FOREIGN = (
    "The text in the file's pictures is in %(script)s script, and text recognition is not set to any language that is "
    "written in it. Ask the administrator to add %(language)s to BELEG_OCR_LANGUAGES, then upload the file again."
)
FAILED = "The picture of the page is damaged or too large, so that its text could not be recognised."


def failure(code: str, number: int) -> Warning:
    """What is said of a page that could not be recognised, by `Recognised.failed`."""
    reasons = {"too_slow": TOO_SLOW, "out_of_time": OUT_OF_TIME, "too_many": TOO_MANY}
    return Warning("not_recognised", reasons.get(code, FAILED), number)


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


def foreign_script(script: str, language: str, number: int) -> Warning:
    return Warning(
        "script_not_read",
        f"Text in {script} script was left out: text recognition is not set to any language that is written in it. "
        f"An administrator can add {language} to BELEG_OCR_LANGUAGES; upload the file again after that.",
        number,
    )


def nothing_but_foreign_script(script: str, language: str) -> Refused:
    return Refused("no_text", FOREIGN, script=script, language=language)


def _listed(found: Sequence[Range]) -> str:
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)
