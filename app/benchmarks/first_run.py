"""What the first `make run` took on this machine: seconds and bytes of each step, as recorded while it happened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app.cli.timings import read_steps
from app.config import ROOT, Settings
from app.errors import NotFound


def measure(settings: Settings) -> dict[str, Any]:
    """{"install": [...], "up": [{"step", "seconds", "bytes"}], "seconds": total}. NotFound before a first run."""
    up = read_steps(settings.run_dir / "first-run.json")
    if not up:
        raise NotFound("No first run was recorded in %(folder)s.", "Do `make run` once.", folder=str(settings.data_dir))
    install = _install_steps(ROOT / ".venv" / "beleg-install.json")
    moments = [float(step["seconds"]) for step in up if step["step"] == "engine ready"]
    return {
        "install": install,
        "up": up,
        "seconds": round(_total(install) + (moments[-1] if moments else 0), 1),
    }


def _install_steps(path: Path) -> list[dict[str, Any]]:
    try:
        recorded = json.loads(path.read_text())
    except (OSError, ValueError):
        return []
    steps = recorded.get("steps", []) if isinstance(recorded, dict) else recorded
    return list(steps)


def _total(steps: list[dict[str, Any]]) -> float:
    return sum(float(step.get("seconds", 0)) for step in steps)
