"""How fast other programs read the same PDFs in the same run, each bound to one core like our own reading."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ingestion.sandbox import Limits, parse
from ingestion.types import Refused

RIVALS = ("pypdf", "markitdown", "docling")
SECONDS = 1800  # for one program and all files
SCRIPT = Path(__file__).with_name("rival_reads.py")


def compare(python: Path, limits: Limits, files: Sequence[Path]) -> dict[str, Any]:
    """Pages/s on one core, MiB at the peak, and how many times as fast we are. Ours counts a new confined process for
    every file, boxes and reading order; theirs not even the import. `python` has the other programs."""
    pdfs = [file for file in files if file.suffix.lower() == ".pdf"]
    with _one_core():
        ours = _ours(limits, pdfs)
        found = {name: _rival(python, name, pdfs) for name in RIVALS}
    for figures in found.values():
        if figures.get("pages_per_second"):
            figures["we_are_times_as_fast"] = round(ours["pages_per_second"] / figures["pages_per_second"], 1)
    return {"files": len(pdfs), "beleg": ours, **found}


def _ours(limits: Limits, files: Sequence[Path]) -> dict[str, Any]:
    pages = refused = 0
    begun = time.monotonic()
    for file in files:
        try:
            pages += len(parse(file, file.name, limits).pages)
        except Refused:
            refused += 1
    seconds = time.monotonic() - begun
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    return _figures(pages, refused, seconds, peak)


def _rival(python: Path, name: str, files: Sequence[Path]) -> dict[str, Any]:
    command = [str(python), str(SCRIPT), name, *(str(file.resolve()) for file in files)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"took longer than {SECONDS} s"}
    if done.returncode != 0:
        return {"error": (done.stderr.strip().splitlines() or ["ended without a word"])[-1]}
    said = json.loads(done.stdout.strip().splitlines()[-1])
    return _figures(said["pages"], said["failed"], said["seconds"], said["peak_mib"])


def _figures(pages: int, failed: int, seconds: float, peak_mib: int) -> dict[str, Any]:
    return {
        "pages": pages,
        "failed": failed,
        "seconds": round(seconds, 2),
        "pages_per_second": round(pages / seconds, 1) if seconds else 0.0,
        "peak_mib": peak_mib,
    }


@contextmanager
def _one_core() -> Iterator[None]:
    """Bind this process and those it starts to one core while the block runs (Linux)."""
    if sys.platform != "linux":
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
