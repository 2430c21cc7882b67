"""What stands beside the weights: `quantization.json` for programs, `QUANTIZATION.md` for people."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from models.quantize.types import Report

JSON_NAME, TEXT_NAME = "quantization.json", "QUANTIZATION.md"


def write(report: Report, folder: Path) -> None:
    (folder / JSON_NAME).write_text(json.dumps(as_dict(report), indent=1, ensure_ascii=False) + "\n", "utf-8")
    (folder / TEXT_NAME).write_text(as_text(report), "utf-8")


def as_dict(report: Report) -> dict[str, object]:
    """All figures, the ratio of the perplexities among them."""
    figures = asdict(report)
    figures["comparison"]["ratio"] = report.comparison.ratio
    figures["usable"] = not report.objections
    return figures


def as_text(report: Report) -> str:
    return "\n".join([f"# {report.model} in 4 bits", "", _verdict(report), "", *_table(report), "", report.serving, ""])


def _verdict(report: Report) -> str:
    if report.objections:
        return f"**Not to be used**: {'; '.join(report.objections)}."
    return "Compared with the original on text that was not calibrated with, and found near enough to be used."


def _table(report: Report) -> list[str]:
    found = report.comparison
    rows = {
        "method": f"{report.method}, by {report.tool}",
        "group size": f"{report.group_size} weights share a scale" if report.group_size else "set by the method",
        "weights before": f"{report.bytes_before / 1e6:,.1f} MB",
        "weights after": f"{report.bytes_after / 1e6:,.1f} MB ({report.bytes_after / report.bytes_before:.0%})",
        "perplexity, original": f"{found.original_perplexity:.3f}",
        "perplexity, result": f"{found.perplexity:.3f} ({found.ratio:.3f} times)",
        "same next token": f"{found.agreement:.1%} of {found.positions:,} positions",
        "calibrated with": _calibrated(report),
        "compared on": f"{report.held_out_tokens:,} tokens of {report.calibration}, held out",
        "seconds": f"{report.environment_seconds:.0f} environment, {report.quantize_seconds:.0f} quantizing, "
        f"{report.compare_seconds:.0f} comparing",
        "made": report.made,
    }
    return ["| what | figure |", "|---|---|", *(f"| {name} | {figure} |" for name, figure in rows.items())]


def _calibrated(report: Report) -> str:
    if not report.calibration_tokens:
        return "nothing: this method looks at weights only"
    return f"{report.calibration_tokens:,} tokens of {report.calibration}"
