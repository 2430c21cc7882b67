"""Byte code of the modules that the reading child imports. The child may write nothing, so nobody keeps what Python
compiles for it: each file would have the parsers compiled anew, and NumPy with them where it came without byte code.
"""

from __future__ import annotations

import compileall
import contextlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import cache_from_source, find_spec
from pathlib import Path

from ingestion.reader import PARSERS

OWN = Path(__file__).parent
CHILD = ("ingestion.child", "ingestion.ocr.results", "ingestion.parsers.page_picture")
LARGEST = "numpy"  # of what the parsers import; its byte code stands for that of all packages
SECONDS = 120
HEADER = 16  # bytes before the code: magic number, flags, time and size of the source


def ensure(python: Sequence[str], environment: Mapping[str, str]) -> None:
    """Have `python`, a command that may write, keep what is missing beside the sources. Where that is not possible
    reading is slower and as good."""
    if any(map(_could_be_kept, (*OWN.rglob("*.py"), *_package(LARGEST)))):
        command = [*python, "-c", f"from {__name__} import keep; keep()"]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(command, env=environment, cwd="/", timeout=SECONDS, capture_output=True, check=False)


def keep() -> None:
    """Compile all that is ours, and import all else that the parsers need."""
    compileall.compile_dir(OWN, quiet=2)
    for module in (*CHILD, *(module for module, _ in PARSERS.values())):
        with contextlib.suppress(Exception):  # a package that is missing is its parser's affair
            import_module(module)


def _could_be_kept(source: Path) -> bool:
    """Is there no byte code of `source` as it is now, where some could be written?"""
    kept = Path(cache_from_source(source))
    return not _is_of(kept, source) and os.access(kept.parent if kept.parent.is_dir() else source.parent, os.W_OK)


def _is_of(kept: Path, source: Path) -> bool:
    try:
        with kept.open("rb") as file:
            header = file.read(HEADER)
        now = source.stat()
    except OSError:
        return False
    words = [int.from_bytes(header[at : at + 4], "little") for at in (4, 8, 12)]
    return words[0] != 0 or words[1:] == [int(now.st_mtime) & 0xFFFFFFFF, now.st_size & 0xFFFFFFFF]


def _package(name: str) -> list[Path]:
    spec = find_spec(name)
    return [Path(spec.origin)] if spec is not None and spec.origin else []
