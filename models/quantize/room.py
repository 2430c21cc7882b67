"""Disk and memory, looked at before the work begins."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from models.quantize.types import QuantizeError

SPARE = 256 << 20  # bytes left free on the disk
MEMORY_FACTOR = 1.15  # the original, and room for one layer's text


def check_disk(folder: Path, needed: int, what: str) -> None:
    """Raises QuantizeError where the disk of `folder` (or of what is above it) has no room for `needed` bytes."""
    place = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    free = shutil.disk_usage(place).free
    if free < needed + SPARE:
        raise QuantizeError(
            f"{what} needs {(needed + SPARE) / 1e9:.1f} GB on the disk of {place}, and {free / 1e9:.1f} GB are free.",
            "Free some space, or name a folder on a larger disk.",
        )


def check_memory(weight_bytes: int) -> None:
    """Raises QuantizeError where the original cannot fit into this machine's memory."""
    needed, has = int(weight_bytes * MEMORY_FACTOR), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if has < needed:
        raise QuantizeError(
            f"The original takes about {needed / 1e9:.0f} GB of memory, and this machine has {has / 1e9:.0f} GB.",
            "Quantize it on a larger machine, or take one that its publisher quantized (look for AWQ in its name).",
        )
