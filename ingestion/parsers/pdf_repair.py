"""PDFs that are cut off or have lost their page tree: the pages that lie open in the bytes under a new tree."""

from __future__ import annotations

import re
from pathlib import Path

LARGEST = 128 * 1024 * 1024  # bytes of a file that is mended
MOST_PAGES = 20_000
DICTIONARY = 4_096  # bytes of an object that are looked at
OBJECT = re.compile(rb"(?<!\d)(\d{1,9})\s+0\s+obj\b")
PAGE = re.compile(rb"/Type\s*/Page\b")
CONTENT = re.compile(rb"\bstream\b|\bendobj\b")


def mended(path: Path) -> bytes | None:
    """The file with a page tree of all its pages, in their order in the file; None where it shows none."""
    if path.stat().st_size > LARGEST:
        return None
    data = path.read_bytes()
    if b"/Encrypt" in data:
        return None
    starts = {int(match.group(1)): match.end() for match in OBJECT.finditer(data)}
    pages = [number for number, at in starts.items() if _is_page(data, at)][:MOST_PAGES]
    if not pages:
        return None
    kids, tree = b" ".join(b"%d 0 R" % number for number in pages), max(starts) + 1
    return b"%s\nendstream\nendobj\n%d 0 obj\n<</Type/Pages/Kids[%s]/Count %d>>\nendobj\n%s" % (
        data,
        tree,
        kids,
        len(pages),
        b"%d 0 obj\n<</Type/Catalog/Pages %d 0 R>>\nendobj\ntrailer\n<</Root %d 0 R/Size %d>>\n%%%%EOF\n"
        % (tree + 1, tree, tree + 1, tree + 2),
    )


def _is_page(data: bytes, at: int) -> bool:
    text = data[at : at + DICTIONARY]
    end = CONTENT.search(text)
    return PAGE.search(text, 0, end.start() if end else len(text)) is not None
