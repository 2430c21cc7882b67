"""The numbers and bullets that OpenDocument puts before list items and headings, which stand in no paragraph's text."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from lxml import etree

from ingestion.parsers.odf import STYLE, TEXT
from ingestion.parsers.whole import whole
from ingestion.parsers.word_numbering import written

OUTLINE = "\0outline"  # the list style of headings that stand in no list
_DEPTH = 10
_MOST = 10**7
_KINDS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


@dataclass(frozen=True)
class _Level:
    kind: str = ""  # "" no number, "bullet"
    before: str = ""
    after: str = ""
    shown: int = 1
    start: int = 1


class Lists:
    """Counts while the items go by, in their order."""

    def __init__(self, roots: tuple[etree._Element, ...], bullet: str) -> None:
        self._bullet = bullet
        self._levels: dict[str, dict[int, _Level]] = {}
        self._values: dict[str, dict[int, int]] = defaultdict(dict)
        for root in roots:
            for item in root.iter(f"{TEXT}list-style"):
                self._levels[item.get(f"{STYLE}name", "")] = _read(item)
            for item in root.iter(f"{TEXT}outline-style"):
                self._levels[OUTLINE] = _read(item)

    def restart(self, style: str) -> None:
        """The next item of the list style begins a new list."""
        self._values.pop(style, None)

    def mark(self, style: str, depth: int, start: str | None = None) -> str:
        """What stands before the next item at `depth` (from 1), which may `start` its list anew."""
        levels = self._levels.get(style)
        if levels is None:
            return "" if style == OUTLINE else self._bullet
        level = levels.get(min(depth, _DEPTH), _Level())
        if level.kind == "bullet":
            return self._bullet
        if not level.kind:
            return ""
        self._count(style, levels, depth, start)
        first = max(depth - level.shown + 1, 1)
        above = [at for at in range(first, depth + 1) if levels.get(at, _Level()).kind not in ("", "bullet")]
        figures = (written(self._values[style].get(at, 1), levels[at].kind) for at in above)
        return f"{level.before}{'.'.join(figures)}{level.after}".strip() + " "

    def _count(self, style: str, levels: dict[int, _Level], depth: int, start: str | None) -> None:
        values = self._values[style]
        for above in range(1, depth):
            values.setdefault(above, levels.get(above, _Level()).start)
        begin = levels[depth].start if depth in levels else 1
        values[depth] = whole(start, begin, _MOST) if start or depth not in values else values[depth] + 1
        for deeper in [at for at in values if at > depth]:
            del values[deeper]


def _read(style: etree._Element) -> dict[int, _Level]:
    levels = {}
    for item in style:
        tag = item.tag if isinstance(item.tag, str) else ""
        at = whole(item.get(f"{TEXT}level"), 0, _DEPTH)
        if tag in (f"{TEXT}list-level-style-bullet", f"{TEXT}list-level-style-image"):
            levels[at] = _Level("bullet")
        elif tag in (f"{TEXT}list-level-style-number", f"{TEXT}outline-level-style"):
            levels[at] = _Level(
                kind=_KINDS.get(item.get(f"{STYLE}num-format", ""), ""),
                before=item.get(f"{STYLE}num-prefix", ""),
                after=item.get(f"{STYLE}num-suffix", ""),
                shown=whole(item.get(f"{TEXT}display-levels"), 1, _DEPTH),
                start=whole(item.get(f"{TEXT}start-value"), 1, _MOST),
            )
    return levels
