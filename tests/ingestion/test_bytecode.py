"""The reading child finds byte code that it may not write itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from ingestion import bytecode
from ingestion.process import PYTHON, environment


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text("ANSWER = 42\n", encoding="utf-8")
    return path


def compiled(source: Path) -> None:
    command = f"import py_compile; py_compile.compile({str(source)!r})"
    subprocess.run([sys.executable, "-c", command], check=True)


def test_a_module_without_byte_code_is_noticed(source: Path) -> None:
    assert bytecode._could_be_kept(source)
    compiled(source)
    assert not bytecode._could_be_kept(source)


def test_byte_code_of_an_older_source_is_none(source: Path) -> None:
    compiled(source)
    source.write_text("ANSWER = 43\n", encoding="utf-8")
    os.utime(source, (1, 1))
    assert bytecode._could_be_kept(source)


def test_a_damaged_file_is_no_byte_code(source: Path) -> None:
    compiled(source)
    Path(cache_from_source(source)).write_bytes(b"")
    assert bytecode._could_be_kept(source)


def test_nothing_is_tried_where_nothing_can_be_written(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, _mode: path != source.parent)  # root may write everywhere
    assert not bytecode._could_be_kept(source)


def test_what_the_child_imports_is_kept_although_our_own_python_writes_none(tmp_path: Path) -> None:
    copy = tmp_path / "ingestion"
    shutil.copytree(bytecode.OWN, copy, ignore=shutil.ignore_patterns("__pycache__"))
    folders = environment()["PYTHONPATH"].split(os.pathsep)[1:]
    place = environment() | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *folders])}
    ensure = "import sys, os; from ingestion import bytecode; bytecode.ensure(sys.argv[1:], dict(os.environ))"
    subprocess.run([*PYTHON, "-B", "-c", ensure, *PYTHON], env=place, check=True)
    missing = [path for path in copy.rglob("*.py") if not Path(cache_from_source(path)).is_file()]
    assert missing == []
