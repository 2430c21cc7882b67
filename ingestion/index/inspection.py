"""A look at the index for those who support it: reads every byte and says what is there and what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from . import generation, reader
from .generation import Damaged
from .types import Problem


@dataclass(frozen=True)
class IndexReport:
    """`problems` are sentences (none: all is well), `summary` is one line about the generation searches use."""

    problems: tuple[str, ...]
    summary: str


def inspect_index(root: Path) -> IndexReport:
    """Verify the index under `root` as a search does when it opens it, whatever embedder it is for. Takes about a
    second a gigabyte; a writer may go on meanwhile."""
    for _ in range(2):  # a writer may replace a generation under our hands: what is damaged twice is damaged
        problems: list[Problem] = []
        summary = _summary(root, problems)
        if not problems:
            break
    return IndexReport(tuple(problem.text for problem in problems), summary)


def _summary(root: Path, problems: list[Problem]) -> str:
    for found in generation.candidates(root, {}, problems):
        try:
            reader.opened(found, None)
        except Damaged as error:
            problems.append(Problem("damaged", str(error)))
            continue
        size = sum(record.size for record in found.manifest.files) / 2**20
        made = found.manifest.stamp
        what = f"{found.manifest.passages} passages of {found.manifest.contents} documents, {size:.1f} MiB"
        return f"generation {found.number}: {what}, made by {made.embedder_id} ({made.dim} numbers)"
    return "no generation can be read" if problems else "nothing was indexed yet"
