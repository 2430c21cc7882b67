"""The settings as the README shows them. `python -m app.settings_table --write` puts the table there."""

from __future__ import annotations

import sys
from pathlib import Path

from app.config import ROOT, Settings

BEGIN = "<!-- settings: made from app/config.py, held together by tests/test_readme.py -->\n"
END = "<!-- end of settings -->"


def settings_table() -> str:
    """A Markdown table: variable, default, meaning."""
    rows = ["| variable | default | what it is |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        rows.append(f"| `BELEG_{name.upper()}` | {_shown(field.default)} | {field.description} |")
    return "\n".join(rows) + "\n"


def _shown(default: object) -> str:
    if default in ("", None):
        return ""
    text = str(default).lower() if isinstance(default, bool) else str(default)
    if isinstance(default, Path):
        inside = default.is_relative_to(ROOT)
        text = str(default.relative_to(ROOT)) if inside else f"~/{default.relative_to(Path.home())}"
    return f"`{text}`"


def write(readme: Path) -> None:
    before, rest = readme.read_text(encoding="utf-8").split(BEGIN)
    readme.write_text(before + BEGIN + settings_table() + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write(ROOT / "README.md")
    else:
        sys.stdout.write(settings_table())
