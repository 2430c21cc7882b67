"""The numbers Word puts before paragraphs ("§ 4", "2.1", "b)"), which stand in no paragraph's text.

They are counted as Word counts them (ECMA-376 part 1, 17.9), since people ask for "section 4.2".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from ingestion.parsers.whole import whole

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEVELS = 9
_MOST = 10**7
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
_ROMAN_LOW = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


@dataclass
class _Level:
    start: int = 1
    kind: str = "decimal"
    text: str = ""
    legal: bool = False


@dataclass
class _Counter:
    values: list[int] = field(default_factory=lambda: [0] * _LEVELS)
    seen: list[bool] = field(default_factory=lambda: [False] * _LEVELS)


class Numbering:
    """Counts while the paragraphs go by, in their order."""

    def __init__(self, root: etree._Element | None) -> None:
        self._abstract_of: dict[str, str] = {}
        self._levels: dict[str, list[_Level]] = {}
        self._starts: dict[tuple[str, int], int] = {}
        self._counters: dict[str, _Counter] = {}
        self._begun: set[str] = set()
        if root is not None:
            self._learn(root)

    def mark(self, number: str, level: int) -> str:
        """What stands before the next paragraph of definition `number` at `level` (from 0): "- " for bullets."""
        abstract = self._abstract_of.get(number, "")
        levels = self._levels.get(abstract)
        if levels is None or not 0 <= level < _LEVELS:
            return "- "
        self._count(number, abstract, levels, level)
        if levels[level].kind == "bullet":
            return "- "
        if levels[level].kind == "none":
            return ""
        text = re.sub(
            r"%([1-9])", lambda found: self._figure(abstract, level, int(found.group(1)) - 1), levels[level].text
        )
        return f"{text.strip()} " if text.strip() else ""

    def _learn(self, root: etree._Element) -> None:
        for abstract in root.iter(f"{W}abstractNum"):
            levels = [_Level() for _ in range(_LEVELS)]
            for item in abstract.iter(f"{W}lvl"):
                _read_level(item, levels)
            self._levels[abstract.get(f"{W}abstractNumId", "")] = levels
        for item in root.iter(f"{W}num"):
            number = item.get(f"{W}numId", "")
            self._abstract_of[number] = _value(item, "abstractNumId") or ""
            for override in item.iter(f"{W}lvlOverride"):
                start = _value(override, "startOverride")
                if start is not None:
                    self._starts[number, whole(override.get(f"{W}ilvl"), 0, _LEVELS)] = whole(start, 1, _MOST)

    def _count(self, number: str, abstract: str, levels: list[_Level], level: int) -> None:
        counter = self._counters.setdefault(abstract, _Counter())
        if number not in self._begun:
            self._begun.add(number)
            for (owner, at), start in self._starts.items():
                if owner == number and at < _LEVELS:
                    counter.values[at], counter.seen[at] = start - 1, True
        for above in range(level):
            if not counter.seen[above]:
                counter.values[above], counter.seen[above] = levels[above].start, True
        if not counter.seen[level]:
            counter.values[level], counter.seen[level] = levels[level].start - 1, True
        counter.values[level] += 1
        for deeper in range(level + 1, _LEVELS):
            counter.seen[deeper] = False

    def _figure(self, abstract: str, level: int, at: int) -> str:
        kind = "decimal" if self._levels[abstract][level].legal else self._levels[abstract][at].kind
        return written(self._counters[abstract].values[at], kind)


def _read_level(item: etree._Element, levels: list[_Level]) -> None:
    at = whole(item.get(f"{W}ilvl"), 0, _LEVELS)
    if at < _LEVELS:
        levels[at] = _Level(
            start=whole(_value(item, "start"), 1, _MOST),
            kind=_value(item, "numFmt") or "decimal",
            text=_value(item, "lvlText") or "",
            legal=item.find(f"{W}isLgl") is not None,
        )


def written(value: int, kind: str) -> str:
    """A number as Word writes it: `kind` is decimal, lowerLetter, upperRoman and the like."""
    if kind in {"lowerLetter", "upperLetter"} and 0 < value <= 26 * 20:
        letters = chr(97 + (value - 1) % 26) * ((value - 1) // 26 + 1)
        return letters.upper() if kind == "upperLetter" else letters
    if kind in {"lowerRoman", "upperRoman"} and 0 < value < 4000:
        return _roman(value).upper() if kind == "upperRoman" else _roman(value)
    if kind == "decimalZero":
        return f"{value:02}"
    return str(value)


def _roman(value: int) -> str:
    out = ""
    for worth, sign in _ROMAN + _ROMAN_LOW:
        out += sign * (value // worth)
        value %= worth
    return out


def _value(element: etree._Element, name: str) -> str | None:
    child = element.find(f"{W}{name}")
    return child.get(f"{W}val") if child is not None else None
