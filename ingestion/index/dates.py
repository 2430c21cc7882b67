"""Dates in a text as terms of one notation: `@2026-04-03`, whether it says 3 April 2026, 03.04.2026 or 2026-04-03.

A date also yields its month (`@2026-04`) and its day of the year (`@04-03`), so that it is found by less. Between
slashes and hyphens day and month change places from country to country: where both could be either, English and unknown
texts get both readings, others the day first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

MARK = "@"  # no word of a text begins with it

_NAMES = """
january januar janner janvier enero gennaio januari janeiro ianuarie jan janv ene gen
february februar feber fevrier febrero febbraio februari fevereiro februarie feb febr fevr
march marz mars marzo maart marco martie mar mrz
april avril abril aprile aprilie apr avr abr
may mai mayo maggio mei maio mag
june juni juin junio giugno junho iunie jun giu
july juli juillet julio luglio julho iulie jul juil lug
august aout agosto augustus aug ago
september septembre septiembre setiembre settembre setembro septembrie sep sept set
october oktober octobre octubre ottobre outubro octombrie oct okt ott
november novembre noviembre novembro noiembrie nov
december dezember decembre diciembre dicembre dezembro decembrie dec dez dic
"""
MONTHS = {name: number for number, line in enumerate(_NAMES.split("\n")) for name in line.split()}

_YEAR, _DAY = r"(?P<year>[12]\d{3})(?!\d)", r"(?<![\d.,/])(?P<day>\d{1,2})"
_ORDINAL = r"(?:\.|st|nd|rd|th|er|ère|ème|e|º|ª|°)?"
_OF = r"(?:(?:of|de|del|di|den|du)\s)?"
_NAME = r"(?P<month>[^\W\d_]{3,11})\.?"
_WORDS = (
    re.compile(rf"{_DAY}{_ORDINAL}[\s-]{{0,2}}{_OF}{_NAME}(?:[\s,-]{{1,2}}{_OF}{_YEAR})?", re.IGNORECASE),
    re.compile(rf"\b{_NAME}\s(?P<day>\d{{1,2}})(?!\d){_ORDINAL}(?:,?\s{_YEAR})?", re.IGNORECASE),
    re.compile(rf"\b{_NAME}[\s,-]{{1,2}}{_OF}{_YEAR}", re.IGNORECASE),
)
_FIGURES = (
    re.compile(r"(?<![\w.,/-])(?P<year>[12]\d{3})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?!\d|-\d)"),
    re.compile(r"(?<![\w.,/-])(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?!\d|-\d)"),
    re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>0\d|1[0-2])(?P<day>[0-3]\d)(?!\d)"),  # in names of files
    re.compile(r"(?<![\w.,/-])(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>[12]\d{3}|\d\d)(?!\d|\.\d)"),
    re.compile(r"(?<![\w.,/-])(?P<month>\d{1,2})[/.](?P<year>(?:19|20)\d\d)(?!\d|[.,/]\d)"),
)
_EITHER = re.compile(r"(?<![\w.,/-])(?P<one>\d{1,2})([/-])(?P<other>\d{1,2})\2(?P<year>[12]\d{3}|\d\d)(?!\d|[/-]\d)")

Fold = Callable[[str], str]


def of_passage(text: str, language: str, fold: Fold) -> list[str]:
    """All terms under which the dates in a text are found."""
    found: dict[str, None] = {}
    for year, month, day in _dates(text, fold, day_first=language not in ("en", "")):
        for term in (_term(year, month, day), _term(year, month, 0), _term(0, month, day)):
            found.setdefault(term)
    found.pop("", None)
    return list(found)


def of_question(text: str, fold: Fold) -> list[str]:
    """One term for each date asked about, as exact as it is asked; two where it can be read in two ways."""
    return list(dict.fromkeys(_term(*one) for one in _dates(text, fold, day_first=False)))


def _term(year: int, month: int, day: int) -> str:
    if day:
        return f"{MARK}{year:04}-{month:02}-{day:02}" if year else f"{MARK}{month:02}-{day:02}"
    return f"{MARK}{year:04}-{month:02}" if year else ""


def _dates(text: str, fold: Fold, *, day_first: bool) -> Iterator[tuple[int, int, int]]:
    """Year, month and day, 0 where it is not said."""
    if not any(map(str.isdecimal, text)):
        return
    taken: set[int] = set()  # where names of months begin: each belongs to one date
    for pattern in _WORDS:
        for match in pattern.finditer(text):
            month = MONTHS.get(fold(match["month"]), 0)
            if month and match.start("month") not in taken:
                taken.add(match.start("month"))
                yield from _valid(match, month)
    for pattern in _FIGURES:
        for match in pattern.finditer(text):
            yield from _valid(match, int(match["month"]))
    for match in _EITHER.finditer(text):
        yield from _either(match, day_first)


def _valid(match: re.Match[str], month: int) -> Iterator[tuple[int, int, int]]:
    said = match.groupdict()
    year, day = _year(said.get("year") or "0"), int(said.get("day") or 0)
    if _exists(year, month, day):
        yield year, month, day


def _either(match: re.Match[str], day_first: bool) -> Iterator[tuple[int, int, int]]:
    year, one, other = _year(match["year"]), int(match["one"]), int(match["other"])
    readings = dict.fromkeys(((year, other, one), (year, one, other)))
    valid = [reading for reading in readings if _exists(*reading)]
    yield from valid[:1] if day_first else valid


def _year(figures: str) -> int:
    """Two figures are of this century or, from 70 on, the last."""
    year = int(figures)
    return year if len(figures) != 2 else year + (1900 if year >= 70 else 2000)


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year or 2000, month, day or 1)  # 2000 has a 29 February
    except ValueError:
        return False
    return True
