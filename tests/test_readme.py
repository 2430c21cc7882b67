"""The README keeps its word: settings, commands, files and targets it names exist as it names them."""

import re
import subprocess
import sys
from pathlib import Path

from app.settings_table import settings_table

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_settings_table_is_the_one_the_settings_make():
    shown = README.split("<!-- settings:")[1].split("-->\n", 1)[1].split("<!-- end of settings -->")[0]
    assert shown.strip() == settings_table().strip(), "run: python -m app.settings_table --write"


def test_every_beleg_command_it_shows_exists():
    shown = set(re.findall(r"^    beleg (\S+)", README, re.MULTILINE)) | set(re.findall(r"`beleg (\w+)", README))
    listed = subprocess.run(
        [sys.executable, "-m", "app.cli", "--help"], check=True, capture_output=True, text=True, cwd=ROOT, timeout=120
    ).stdout
    for name in shown:
        assert re.search(rf"\b{name}\b", listed), f"beleg {name}"


def test_every_make_target_it_shows_exists():
    makefile = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"`?(?:^ {4}|`|\s)make (run|test|check|constraints|clean)\b", README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_every_file_it_names_exists():
    named = set(re.findall(r"\]\(([\w./-]+)\)", README))
    named |= set(re.findall(r"`((?:app|web|models|ingestion)/[\w/.]+)`", README))
    missing = [path for path in sorted(named) if not (ROOT / path).exists()]
    assert missing == []


def test_every_setting_it_names_exists():
    from app.config import Settings

    named = set(re.findall(r"BELEG_([A-Z_]+)\b", README))
    assert named <= {name.upper() for name in Settings.model_fields}
