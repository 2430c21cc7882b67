"""`beleg doctor`: checks what a support person would ask for, and says how to mend what is wrong. Changes nothing."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape

from app.config import Settings

if TYPE_CHECKING:
    from app.checks import Finding

_SIGNS = {"ok": "[green]ok  [/]", "warn": "[yellow]note[/]", "fail": "[red]bad [/]"}


def doctor(as_json: bool = typer.Option(False, "--json", help="Print JSON for programs.")) -> None:
    """Check the set-up: machine, folders, database, index, models, engine, reading, pages."""
    from app.checks import all_findings

    findings = []
    console = Console(highlight=False)
    for finding in all_findings(Settings()):
        findings.append(finding)
        if not as_json:
            _show(console, finding)
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False))
    raise typer.Exit(1 if any(finding.state == "fail" for finding in findings) else 0)


def _show(console: Console, finding: Finding) -> None:
    console.print(f"{_SIGNS[finding.state]}  [bold]{finding.name}[/]: {escape(finding.detail)}", soft_wrap=True)
    if finding.mend:
        console.print(f"      [cyan]->[/] {escape(finding.mend)}", soft_wrap=True)
