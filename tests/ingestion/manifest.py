"""Holds `beleg inspect` against a folder of files with a MANIFEST.tsv: `python -m tests.ingestion.manifest FOLDER`.

The columns `file`, `outcome` (text, partial, ocr, refuse), `must_yield` and `page` say what each must give. Prints the
rows that are not met, then how many were, the longest seconds and the most memory of any.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

SECONDS, MIB = 60, 1500


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("names", nargs="*", help="only these files")
    chosen = options.parse_args()
    rows = [row for row in _rows(chosen.folder) if not chosen.names or row["file"] in chosen.names]
    met, slowest, largest = 0, (0.0, ""), (0, "")
    for row in rows:
        found, seconds, mib = inspect(chosen.folder / row["file"])
        slowest, largest = max(slowest, (seconds, row["file"])), max(largest, (mib, row["file"]))
        faults = [*_faults(row, found), *_costs(seconds, mib)]
        met += not faults
        for fault in faults:
            print(f"{row['file']}: {fault}", flush=True)
    print(f"{met} of {len(rows)} met; at most {slowest[0]:.1f} s ({slowest[1]}), {largest[0]} MiB ({largest[1]})")
    return 0 if met == len(rows) else 1


def inspect(path: Path) -> tuple[dict[str, object], float, int]:
    """What `beleg inspect` says, its seconds, and the MiB of the largest process it needed."""
    begun = time.monotonic()
    command = [sys.executable, "-m", "app.cli", "inspect", "--json", str(path)]
    with Popen(command, stdout=PIPE, stderr=DEVNULL) as process:
        said = process.stdout.read() if process.stdout else b""
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    found = json.loads(said) if said else {"outcome": "nothing", "reason": "", "pages": [], "warnings": []}
    return found, time.monotonic() - begun, used.ru_maxrss // 1024


def _rows(folder: Path) -> Iterator[dict[str, str]]:
    with (folder / "MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def _faults(row: dict[str, str], found: dict[str, object]) -> Iterator[str]:
    outcome, wanted = str(found["outcome"]), row["outcome"]
    if wanted == "refuse":
        if outcome != "refused":
            yield f"should be refused, is {outcome}"
        return
    if outcome != wanted:
        yield f"outcome {outcome} instead of {wanted}: {found['reason']}"
    pages = {int(page["number"]): str(page["text"]) for page in found["pages"]}  # type: ignore[attr-defined]
    here = pages.get(int(row["page"]), "") if row["page"].isdecimal() else "\n".join(pages.values())
    if _plain(row["must_yield"]) not in _plain(here):
        elsewhere = [number for number, text in pages.items() if _plain(row["must_yield"]) in _plain(text)]
        yield f"lacks {row['must_yield']!r} on page {row['page'] or '(any)'}; it is on {elsewhere or 'none'}"


def _costs(seconds: float, mib: int) -> Iterator[str]:
    if seconds > SECONDS:
        yield f"took {seconds:.0f} s"
    if mib > MIB:
        yield f"needed {mib} MiB"


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


if __name__ == "__main__":
    raise SystemExit(main())
