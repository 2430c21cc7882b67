"""How fast other programs read the same PDFs in the same run, each bound to one core like our own reading. Compared are
seconds of processor time: on one core they are those of the clock, and what else the machine does counts for nobody.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ingestion.sandbox import Limits, Recognition, parse
from ingestion.types import Refused

RIVALS = ("pypdf", "markitdown", "docling", "docling_text")
SECONDS = 1800  # for one program and all files
SCRIPT = Path(__file__).with_name("rival_reads.py")


def compare(python: Path, limits: Limits, files: Sequence[Path]) -> dict[str, Any]:
    """Pages a second of processor time, MiB at the peak, and how many times as fast we are. Ours counts a new confined
    process for every file, boxes and reading order; theirs not even the import. No text is recognised in pictures: the
    others do not, either. `python` has the other programs."""
    pdfs = [file for file in files if file.suffix.lower() == ".pdf"]
    limits = replace(limits, recognition=Recognition(languages=()))
    with _one_core():
        ours = _ours(limits, pdfs)
        found = {name: _rival(python, name, pdfs) for name in RIVALS}
    for figures in found.values():
        if figures.get("pages_per_second"):
            figures["we_are_times_as_fast"] = round(ours["pages_per_second"] / figures["pages_per_second"], 1)
    return {"files": len(pdfs), "beleg": ours, **found}


def _ours(limits: Limits, files: Sequence[Path]) -> dict[str, Any]:
    pages = refused = 0
    begun, used = time.monotonic(), _processor_seconds()
    for file in files:
        try:
            pages += len(parse(file, file.name, limits).pages)
        except Refused:
            refused += 1
    seconds, cpu = time.monotonic() - begun, _processor_seconds() - used
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    return _figures(pages, refused, seconds, cpu, peak)


def _processor_seconds() -> float:
    """Of this process and of those it has ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _rival(python: Path, name: str, files: Sequence[Path]) -> dict[str, Any]:
    command = [str(python), str(SCRIPT), name, *(str(file.resolve()) for file in files)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"took longer than {SECONDS} s"}
    if done.returncode != 0:
        return {"error": (done.stderr.strip().splitlines() or ["ended without a word"])[-1]}
    said = json.loads(done.stdout.strip().splitlines()[-1])
    return _figures(said["pages"], said["failed"], said["seconds"], said["cpu"], said["peak_mib"])


def _figures(pages: int, failed: int, seconds: float, cpu: float, peak_mib: int) -> dict[str, Any]:
    return {
        "pages": pages,
        "failed": failed,
        "seconds": round(seconds, 2),
        "processor_seconds": round(cpu, 2),
        "pages_per_second": round(pages / cpu, 1) if cpu else 0.0,
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
