"""The same file gives the same bytes wherever it is read: prompts share their KV blocks only then."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    str(path)
    for folder in (ROOT / "samples", ROOT / "tests" / "samples")
    for path in folder.iterdir()
    if path.suffix not in (".py", ".pyc") and path.is_file()
)
ELSEWHERE = [
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Pacific/Auckland", "OMP_NUM_THREADS": "1"},
    {"PYTHONHASHSEED": "4711", "LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "America/New_York"},
]


def digests(setting: dict[str, str], cwd: Path) -> dict[str, str]:
    env = {**os.environ, **setting, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.ingestion.digest", *FILES]
    found: dict[str, str] = json.loads(
        subprocess.run(command, env=env, cwd=cwd, check=True, capture_output=True).stdout
    )
    return found


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return digests({"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"}, tmp_path_factory.mktemp("here"))


@pytest.mark.parametrize("setting", ELSEWHERE, ids=["plain", "german"])
def test_same_bytes_whatever_the_machine_is_set_to(here: dict[str, str], setting: dict[str, str], tmp_path: Path):
    assert digests(setting, tmp_path) == here


def test_the_files_were_read(here: dict[str, str]):
    read = {Path(name).suffix for name, digest in here.items() if len(digest) == 64}
    assert {".pdf", ".docx", ".pptx", ".xlsx", ".csv", ".html", ".md", ".txt", ".eml"} <= read
