"""Figures of a text, compared by value: numbers with percent sign, currency or unit, dates, times, identifiers.

`figures(text)` reads what stands there; `missing(statement, source)` names the figures of a statement that its source
does not hold. English and German notations are read: `1.234,56` is `1,234.56`, `3. April 2026` is `2026-04-03`.
A group of three digits after one separator is read as thousands in both (`1.234` is `1,234` is 1234).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from app.questions.normal import plain
from app.questions.units import is_unit, scale_after, unit_after
from app.questions.vocabulary import LOOSE_NUMBERS, MONTHS, NUMBERS, UNITS


@dataclass(frozen=True)
class Number:
    """`unit` is "%", a currency ("EUR"), a measure ("day") or "" when none stands beside it."""

    value: Decimal
    unit: str
    shown: str
    loose: bool = False  # a word like "one" that may be no figure: never demanded, but it supports


@dataclass(frozen=True)
class Date:
    """A day, a month of a year or a day of a month; `choices` has two readings for 03/04/2026."""

    choices: frozenset[tuple[int | None, int, int | None]]
    shown: str


@dataclass(frozen=True)
class Time:
    minutes: int
    shown: str


@dataclass(frozen=True)
class Identifier:
    """A part number, paragraph, address: letters and digits that belong together. `key` has neither case nor signs."""

    key: str
    shown: str


Figure = Number | Date | Time | Identifier

_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_DATES = (
    re.compile(
        rf"(?<![\w.])(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<n>{_MONTH})(?:,?\s+(?P<y>\d{{4}})\b)?",
        re.I,
    ),
    re.compile(rf"\b(?P<n>{_MONTH})\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?![.,]?\d)(?:,?\s+(?P<y>\d{{4}})\b)?", re.I),
    re.compile(rf"\b(?P<n>{_MONTH})\s+(?P<y>\d{{4}})\b", re.I),
    re.compile(r"(?<![\w.])(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?![\w-])"),
    re.compile(r"(?<![\w.])(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4}|\d{2})?(?![\w])"),
    re.compile(r"(?<![\w/])(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4}|\d{2})(?![\w/])"),
)
_TIME = re.compile(
    r"(?<![\w.:,])(?P<h>[01]?\d|2[0-4])(?:[:.](?P<m>[0-5]\d))?\s?(?P<s>[ap]\.?m\b\.?|uhr\b)|"
    r"(?<![\w.:,])(?P<h2>[01]?\d|2[0-4]):(?P<m2>[0-5]\d)(?![\w:])",
    re.I,
)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)[^\s<>\"')\]]+[\w/]", re.I)
_PARAGRAPH = re.compile(r"§+\s?(?P<n>\d+[a-z]?)\b", re.I)
_CODE = re.compile(
    r"(?<![\w])(?=[\w]*(?:[-_/.]?[\w])*)(?:[^\W\d_]+[-_/.]?\d|\d+[-_/]?[^\W\d_])[\w]*(?:[-_/.][\w]+)*", re.I
)
_ORDER = re.compile(r"(?<![\w.,-])(?:\d{4,}-\d{2,}|\d{2,}-\d{4,})(?![\w-]|[.,]\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_VERSION = re.compile(r"(?<![\w.,])\d+(?:\.\d+){2,}(?![\w])")
_NUMBER = re.compile(
    r"(?P<cur>[€$£]\s?)?(?P<sign>(?<![\w)])[-+](?=\d))?"
    r"(?P<n>\d{1,3}(?:[.,' ]\d{3}(?!\d))+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*)"
    r"(?P<ord>(?:st|nd|rd|th)\b)?"
)  # fmt: skip
_WORD = re.compile(r"(?<![\w-])[^\W\d_]+(?![\w])")
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ZEHNER = "zwanzig|dreißig|dreissig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig"
_COMPOUND = re.compile(
    rf"\b(?P<t>{_TENS})[- ](?P<o>one|two|three|four|five|six|seven|eight|nine)\b|"
    rf"\b(?P<o2>ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und(?P<t2>{_ZEHNER})\b",
    re.I,
)
_ARTICLE = re.compile(r"\b(?:an?|per|pro|each|every|jede[rsn]?)\s+(?P<u>[^\W\d_]+)", re.I)
_ID_SUFFIX = re.compile(r"^\d+(?:st|nd|rd|th|k|km|m|cm|mm|kg|g|kw|kwh|l|h|v|w|am|pm|er|fach|bn|mio|x)$", re.I)


def figures(text: str) -> tuple[Figure, ...]:
    """All figures of a text. Parts already read as a date, time or identifier are not read again as numbers."""
    rest = plain(text)
    found: list[Figure] = []
    for reader in (_addresses, _dates, _times, _paragraphs, _codes, _numbers):
        rest = reader(rest, found)
    return tuple(found)


def missing(statement: Iterable[Figure], source: Iterable[Figure]) -> list[Figure]:
    """The statement's figures that the source does not hold, in order."""
    held = tuple(source)
    return [figure for figure in statement if not _demanded_met(figure, held)]


def _demanded_met(figure: Figure, held: tuple[Figure, ...]) -> bool:
    if isinstance(figure, Number):
        return figure.loose or any(_supports_number(figure, other) for other in held)
    if isinstance(figure, Date):
        return any(isinstance(other, Date) and _supports_date(figure, other) for other in held)
    if isinstance(figure, Time):
        return any(isinstance(other, Time) and other.minutes == figure.minutes for other in held)
    return any(isinstance(other, Identifier) and other.key == figure.key for other in held)


def _supports_number(wanted: Number, other: Figure) -> bool:
    if isinstance(other, Number):
        return other.value == wanted.value and (other.unit == wanted.unit or _units_agree(wanted.unit, other.unit))
    if isinstance(other, Date):  # a year, or a day of a month, named alone
        return not wanted.unit and any(wanted.value == year for year, _, _ in other.choices if year)
    if isinstance(other, Identifier):  # 9087 of PPR-9087; short ones (A4) support nothing
        return not wanted.unit and any(len(d) >= 3 and wanted.value == int(d) for d in re.findall(r"\d+", other.key))
    return False


def _units_agree(wanted: str, held: str) -> bool:
    """One of the two names no unit; percent signs belong to the number and must stand on both sides."""
    return "%" not in (wanted, held) and (not wanted or not held)


def _supports_date(wanted: Date, other: Date) -> bool:
    return any(
        all(w is None or w == h for w, h in zip(want, have, strict=True))
        for want in wanted.choices
        for have in other.choices
    )


def _addresses(text: str, found: list[Figure]) -> str:
    for match in _ADDRESS.finditer(text):
        found.append(Identifier(match.group().casefold().rstrip("./"), match.group()))
    return _ADDRESS.sub(_blank, text)


def _dates(text: str, found: list[Figure]) -> str:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            choices = _date_choices(match.groupdict())
            if choices:
                found.append(Date(choices, match.group().strip(" ,")))
        text = pattern.sub(lambda m: _blank(m) if _date_choices(m.groupdict()) else m.group(), text)
    return text


def _date_choices(parts: dict[str, str | None]) -> frozenset[tuple[int | None, int, int | None]]:
    day = int(parts["d"] or 0) if parts.get("d") else None
    name = parts.get("n")
    if name and name == name.lower() and name in ("may", "mar", "sep", "march", "dec"):
        return frozenset()  # "may 5": the verb
    month = MONTHS[name.casefold().rstrip(".")] if name else int(parts["m"] or 0)
    year = int(parts["y"] or 0) if parts.get("y") else None
    if year is not None and len(parts["y"] or "") == 2:
        year += 2000 if year < 70 else 1900
    pairs = [(month, day)]
    if not name and day and "/" in _separator(parts):
        pairs.append((day, month))
    return frozenset((year, m, d) for m, d in pairs if 1 <= m <= 12 and (d is None or 1 <= d <= 31))


def _separator(parts: dict[str, str | None]) -> str:
    return "/" if list(parts) == ["m", "d", "y"] else "."


def _times(text: str, found: list[Figure]) -> str:
    for match in _TIME.finditer(text):
        hour = int(match["h"] or match["h2"])
        minute = int(match["m"] or match["m2"] or 0)
        half = (match["s"] or "").casefold()
        if half.startswith(("a", "p")):
            hour = hour % 12 + (12 if half.startswith("p") else 0)
        found.append(Time(hour * 60 + minute, match.group()))
    return _TIME.sub(_blank, text)


def _paragraphs(text: str, found: list[Figure]) -> str:
    for match in _PARAGRAPH.finditer(text):
        found.append(Identifier("§" + match["n"].casefold(), match.group()))
    return _PARAGRAPH.sub(_blank, text)


def _codes(text: str, found: list[Figure]) -> str:
    def read(match: re.Match[str]) -> str:
        shown = match.group()
        if not _is_code(shown):
            return shown
        found.append(Identifier(re.sub(r"[\W_]", "", shown).casefold(), shown))
        return _blank(match)

    def read_version(match: re.Match[str]) -> str:
        if all(len(part) == 3 for part in match.group().split(".")[1:]):
            return match.group()
        found.append(Identifier(match.group(), match.group()))
        return _blank(match)

    def read_order(match: re.Match[str]) -> str:
        if all(_YEAR.fullmatch(part) for part in match.group().split("-")):
            return match.group()
        found.append(Identifier(match.group().replace("-", ""), match.group()))
        return _blank(match)

    return _ORDER.sub(read_order, _VERSION.sub(read_version, _CODE.sub(read, text)))


def _is_code(shown: str) -> bool:
    """Letters and digits in one token, but no "30-day", "2nd", "50k" or "10km"."""
    if _ID_SUFFIX.match(shown):
        return False
    head, _, tail = shown.partition("-")
    return not (head.replace(".", "").isdigit() and (is_unit(tail) or tail.casefold() == "tägig"))


def _numbers(text: str, found: list[Figure]) -> str:
    spots: list[tuple[int, int, Number]] = []
    for match in _NUMBER.finditer(text):
        spots.extend(_read_number(text, match))
    for match in _COMPOUND.finditer(text):
        tens, ones = match["t"] or match["t2"], match["o"] or match["o2"]
        unit, end = unit_after(text, match.end())
        value = NUMBERS[tens.casefold()] + NUMBERS["eins" if ones.casefold() == "ein" else ones.casefold()]
        spots.append((match.start(), end, Number(value, unit, match.group())))
    text = _COMPOUND.sub(lambda match: "|" * len(match.group()), text)
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        if word in NUMBERS:
            unit, end = unit_after(text, match.end())
            loose = word in LOOSE_NUMBERS
            spots.append((match.start(), end, Number(NUMBERS[word], unit, match.group(), loose)))
    for match in _ARTICLE.finditer(text):
        unit = UNITS.get(match["u"].casefold(), "")
        if unit:
            spots.append((match.start(), match.end(), Number(Decimal(1), unit, match.group(), True)))
    spots.sort(key=lambda spot: spot[0])
    found.extend(_with_range_units(text, spots))
    return text


def _read_number(text: str, match: re.Match[str]) -> list[tuple[int, int, Number]]:
    digits = match["n"]
    unit, end = unit_after(text, match.end())
    if match["cur"]:
        unit, end = UNITS[match["cur"].strip()], match.end()
    sign = -1 if match["sign"] == "-" and not match["cur"] else 1
    scale = scale_after(text, match.end())
    if scale:
        unit = unit or unit_after(text, match.end() + scale[1])[0]
    value = sign * parse_number(digits) * (Decimal(10) ** scale[0] if scale else 1)
    spots = [(match.start(), end, Number(value, unit, _shown(text, match, unit, end)))]
    if " " in digits:  # 12 345 may be one number or the cells of a row: the parts support, but are not demanded
        spots += [
            (match.start(), end, Number(Decimal(part), "", part, True)) for part in digits.split() if part.isdigit()
        ]
    return spots


def parse_number(digits: str) -> Decimal:
    """The value of digits with separators; the last separator is the decimal sign unless it groups thousands."""
    digits = digits.replace("'", "").replace(" ", "")
    kinds = [c for c in digits if c in ".,"]
    if not kinds:
        return Decimal(digits)
    last = kinds[-1]
    whole, _, tail = digits.rpartition(last)
    if len(set(kinds)) == 2:  # 1.234,56
        return Decimal(re.sub(r"[.,]", "", whole) + "." + tail)
    if len(kinds) > 1 and all(len(part) == 3 for part in digits.split(last)[1:]):  # 1.234.567
        return Decimal(digits.replace(last, ""))
    if len(kinds) > 1:  # 1.234.5
        return Decimal(re.sub(r"[.,]", "", whole) + "." + tail)
    if len(tail) == 3 and len(whole) <= 3 and whole.strip("0"):  # 1.234 and 1,234
        return Decimal(whole + tail)
    return Decimal(whole + "." + tail)


def _with_range_units(text: str, spots: list[tuple[int, int, Number]]) -> list[Number]:
    """5-10 % and 2 to 3 weeks: the unit belongs to both ends."""
    numbers: list[Number] = []
    for place, (start, _, number) in enumerate(spots):
        taken = number
        if not number.unit and place + 1 < len(spots):
            following_start, _, following = spots[place + 1]
            between = text[start + len(number.shown) : following_start].strip(" ").casefold()
            if following.unit and between in {"-", "to", "bis", "and", "und", "or", "oder", "/"}:
                taken = Number(number.value, following.unit, number.shown, number.loose)
                numbers.append(Number(number.value, "", number.shown, True))
        numbers.append(taken)
    return numbers


def _shown(text: str, match: re.Match[str], unit: str, end: int) -> str:
    return text[match.start() : end].rstrip(" .") if unit else match.group()


def _blank(match: re.Match[str]) -> str:
    return " | "
