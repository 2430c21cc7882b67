"""Names of uploaded files: kept for people as they are, but without what could deceive or break. Never used on
disk."""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 400
LONGEST_FOLDER = 1000
UNNAMED = "unnamed"


def clean(name: str, folder: str = "") -> tuple[str, str]:
    """(name, folder) as they are kept. A path in `name` goes to the folder: `a/b.pdf` is `b.pdf` in `a`.

    Both are composed (NFC), without control, direction or invisible marks; the folder has no `.` or `..` and no
    drive; a long name is cut in the middle, so that its end keeps telling the type."""
    parts = _parts(name)
    last = parts.pop() if parts else ""
    kept = _shorten(last, LONGEST_NAME) or UNNAMED
    return kept, "/".join([*_parts(folder), *parts])[:LONGEST_FOLDER].strip("/ ")


def _parts(path: str) -> list[str]:
    parts = (_plain(part) for part in re.split(r"[/\\]", path))
    return [part for part in parts if part and part not in (".", "..") and not re.fullmatch(r"[A-Za-z]:", part)]


def _plain(text: str) -> str:
    """Categories Cc, Cf (direction marks, zero width), Cs, Co, Cn, Zl and Zp go; white space becomes one space."""
    composed = unicodedata.normalize("NFC", text.encode("utf-8", "ignore").decode())
    spaced = "".join(" " if c.isspace() else c for c in composed)
    kept = "".join(c for c in spaced if unicodedata.category(c)[0] != "C")
    return " ".join(kept.split())


def _shorten(name: str, most: int) -> str:
    if len(name) <= most:
        return name
    tail = name[-40:]
    return name[: most - len(tail) - 1] + "…" + tail
