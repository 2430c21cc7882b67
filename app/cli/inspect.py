"""`beleg inspect FILE`: what would be read from a file, without storing anything."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape

from app.cli.inside import Inside, Unpacker
from app.config import Settings
from app.documents.limits import parse_limits
from app.errors import NotFound
from ingestion.health import Health, Range, examine
from ingestion.kinds import SETS
from ingestion.language import detect
from ingestion.types import Parsed, Refused, Warning

NONE_READABLE = "None of the files in it can be read. %s"


@dataclass(frozen=True)
class Sheet:
    """A page as it is shown. Those of files in the file follow its own: numbers go on, `file` is named."""

    number: int
    text: str
    file: str = ""


@dataclass(frozen=True)
class Inspection:
    """`outcome` text | partial | ocr | refused; `health` is that of the file itself, None when refused."""

    outcome: str
    reason: str
    pages: tuple[Sheet, ...]
    warnings: tuple[str, ...]
    health: Health | None = None

    def as_json(self) -> dict[str, Any]:
        pages = [asdict(page) if page.file else {"number": page.number, "text": page.text} for page in self.pages]
        return {
            "outcome": self.outcome,
            "reason": self.reason,
            "pages": pages,
            "warnings": list(self.warnings),
            "health": asdict(self.health) if self.health else None,
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
    """The file and what is in it (attachments, members of an archive)."""
    with TemporaryDirectory(prefix="beleg-") as folder:
        unpacker = Unpacker(Path(folder), parse_limits(settings))
        try:
            parsed = unpacker.read(file, file.name)
        except Refused as refusal:
            return Inspection("refused", str(refusal), (), ())
        return _of_parsed(parsed, list(unpacker.inside(parsed)))


def _of_parsed(parsed: Parsed, inside: list[Inside]) -> Inspection:
    refused = [f"{one.name}: {one.why}" for one in inside if one.parsed is None]
    if parsed.format in SETS and len(refused) == len(inside):
        return Inspection("refused", NONE_READABLE % " ".join(refused[:3]), (), ())
    pages = [Sheet(page.number, page.text) for page in parsed.pages]
    language = parsed.language or detect("\n".join(page.text for page in pages))
    for one in inside:
        for page in one.parsed.pages if one.parsed else ():
            pages.append(Sheet(len(pages) + 1, page.text, one.name))
    warnings = (*parsed.warnings, *(Warning("attachment_refused", text) for text in refused))
    outcome = "partial" if parsed.format in SETS and warnings else parsed.outcome
    health = examine(replace(parsed, outcome=outcome), warnings, language)
    return Inspection(outcome, "", tuple(pages), tuple(warning.text for warning in warnings), health)


def _show(file: Path, found: Inspection) -> None:
    console = Console(highlight=False)
    if found.outcome == "refused":
        console.print(f"[red]{file.name} would be refused:[/] {found.reason}")
        return
    console.print(f"[bold]{file.name}[/]: {len(found.pages)} page(s), outcome {found.outcome}")
    if found.health:
        _show_health(console, found.health)
    for page in found.pages:
        console.rule(escape(f"page {page.number}" + (f", from {page.file}" if page.file else "")), align="left")
        console.print(page.text, markup=False)


def _show_health(console: Console, health: Health) -> None:
    console.print(f"language {health.language or 'unclear'}, {health.tables} table(s), {health.headings} heading(s)")
    if health.pages_recognised:
        sure = f"{health.confidence:.0f} %" if health.confidence is not None else "unknown"
        console.print(f"[yellow]Recognised (OCR):[/] pages {_listed(health.pages_recognised)}, certainty {sure}")
    if health.pages_unsure:
        console.print(f"[yellow]Hard to recognise:[/] pages {_listed(health.pages_unsure)}")
    if health.pages_without_text:
        console.print(f"[yellow]Without text:[/] pages {_listed(health.pages_without_text)}")
    for one in health.skipped:
        of = f" (pages {_listed(one.pages)})" if one.pages else ""
        console.print(f"[yellow]Note:[/] {escape(one.text)}{of}")


def _listed(pages: tuple[Range, ...]) -> str:
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in pages)
