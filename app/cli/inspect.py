"""`beleg inspect FILE`: what would be read from a file, without storing anything."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from app.config import Settings
from app.documents.limits import parse_limits
from app.errors import NotFound
from ingestion.sandbox import parse
from ingestion.types import Parsed, Refused


@dataclass(frozen=True)
class Inspection:
    """`outcome` text | partial | ocr | refused; `pages` as (number, text)."""

    outcome: str
    reason: str
    pages: tuple[tuple[int, str], ...]
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        pages = [{"number": number, "text": text} for number, text in self.pages]
        return {
            "outcome": self.outcome,
            "reason": self.reason,
            "pages": pages,
            "warnings": list(self.warnings),
        }


def inspect(
    file: Path = typer.Argument(help="The file to look at."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON for programs."),
) -> None:
    """Show what Beleg would read from a file: its text page by page, what is left out, or why it is refused."""
    if not file.is_file():
        raise NotFound(
            "There is no file %(file)s.",
            "Check the path; folders are not read by this command.",
            file=str(file),
        )
    found = inspect_file(file, Settings())
    if as_json:
        print(json.dumps(found.as_json(), ensure_ascii=False))
    else:
        _show(file, found)


def inspect_file(file: Path, settings: Settings) -> Inspection:
    try:
        parsed = parse(file, file.name, parse_limits(settings))
    except Refused as refusal:
        return Inspection("refused", str(refusal), (), ())
    return _of_parsed(parsed)


def _of_parsed(parsed: Parsed) -> Inspection:
    pages = tuple((page.number, page.text) for page in parsed.pages)
    return Inspection(parsed.outcome, "", pages, tuple(warning.text for warning in parsed.warnings))


def _show(file: Path, found: Inspection) -> None:
    console = Console(highlight=False)
    if found.outcome == "refused":
        console.print(f"[red]{file.name} would be refused:[/] {found.reason}")
        return
    console.print(f"[bold]{file.name}[/]: {len(found.pages)} page(s), outcome {found.outcome}")
    for warning in found.warnings:
        console.print(f"[yellow]Note:[/] {warning}")
    for number, text in found.pages:
        console.rule(f"page {number}", align="left")
        console.print(text, markup=False)
