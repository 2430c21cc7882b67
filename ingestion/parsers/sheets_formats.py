"""What a spreadsheet's number formats add to a bare value: percent, decimals, currency (ECMA-376 part 1, 18.8.30).

Only the formats that change what a figure means are looked at; dates are made out by calamine itself.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from lxml import etree

from ingestion.parsers.office_zip import Package

MAX_BYTES = 24 * 2**20  # a larger sheet is read without formats
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_BUILT_IN = {"2": "0.00", "4": "#,##0.00", "9": "0%", "10": "0.00%", "39": "#,##0.00", "40": "#,##0.00"}
_CURRENCY = re.compile(r"\[\$([^\]-]+)(?:-[0-9A-Fa-f]+)?\]|\"\s*([^\"0-9#]{1,4}?)\s*\"|([€$£¥])")
_CURRENCIES_NAMES = "€ $ £ ¥ EUR USD GBP CHF SEK NOK DKK PLN CZK HUF Fr. kr zł Kč Ft"
_CURRENCIES = frozenset(_CURRENCIES_NAMES.split())

Cell = object  # str, float, int, bool, date, datetime, time or timedelta, as calamine gives it
Place = tuple[int, int]  # row and column from 0


@dataclass(frozen=True)
class Format:
    """How a figure is written: times 100 with a percent sign, with at least so many decimals, with a currency."""

    percent: bool = False
    decimals: int = 0
    currency: str = ""


PLAIN = Format()


def formats(package: Package, sheet: str) -> dict[Place, Format]:
    """The formats of the cells of the part `sheet` that have one worth knowing."""
    styles = _styles(package)
    if not styles or sheet not in package.names:
        return {}
    data = package.data(sheet)
    return _cells(data, styles) if len(data) <= MAX_BYTES else {}


def shown(value: Cell, form: Format = PLAIN) -> str:
    """A cell as text: ISO dates, whole numbers without ".0", 0.25 as "25 %" where the format says so."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, form)
    if isinstance(value, date | time):
        return _moment(value)
    return _duration(value) if isinstance(value, timedelta) else str(value)


def _moment(value: date | time) -> str:
    if isinstance(value, datetime):
        clock = value.time()
        return value.date().isoformat() + (f" {clock.isoformat(_precision(clock))}" if clock != time() else "")
    return value.isoformat(_precision(value)) if isinstance(value, time) else value.isoformat()


def _number(value: float, form: Format) -> str:
    exact = Decimal(format(value, ".15g")) * (100 if form.percent else 1)
    if not exact.is_finite() or abs(exact.adjusted()) > 20:
        return format(value, ".15g")
    text = format(exact.normalize(), "f")
    whole, _, fraction = text.partition(".")
    fraction = fraction.ljust(form.decimals, "0")
    text = f"{whole}.{fraction}" if fraction else whole
    sign = "%" if form.percent else form.currency
    return f"{text} {sign}" if sign else text


def _precision(value: time) -> str:
    return "seconds" if value.second or value.microsecond else "minutes"


def _duration(value: timedelta) -> str:
    seconds = round(value.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _styles(package: Package) -> dict[str, Format]:
    """Style index (as written in cells) to format, for styles whose format changes a figure."""
    found = [name for name in package.related(package.main(), "styles") if name in package.names]
    if not found:
        return {}
    root = package.root(found[0])
    codes = _BUILT_IN | {item.get("numFmtId", ""): item.get("formatCode", "") for item in root.iter(f"{_MAIN}numFmt")}
    records = root.find(f"{_MAIN}cellXfs")
    styles = {}
    for index, record in enumerate(records if records is not None else ()):
        form = _parsed(codes.get(record.get("numFmtId", ""), ""))
        if form != PLAIN:
            styles[str(index)] = form
    return styles


def _parsed(code: str) -> Format:
    positive = code.partition(";")[0]
    signs = [next(filter(None, match.groups()), "") for match in _CURRENCY.finditer(positive)]
    bare = re.sub(r"\"[^\"]*\"|\[[^\]]*\]|\\.|_.|\*.", "", positive)
    decimals = re.search(r"0\.(0+)", bare)
    currency = next((sign.strip() for sign in signs if sign.strip() in _CURRENCIES), "")
    return Format("%" in bare, len(decimals.group(1)) if decimals else 0, currency)


def _cells(data: bytes, styles: dict[str, Format]) -> dict[Place, Format]:
    cells = {}
    try:
        for _, cell in etree.iterparse(
            io.BytesIO(data), tag=f"{_MAIN}c", resolve_entities=False, no_network=True, huge_tree=False
        ):
            form = styles.get(cell.get("s", ""))
            place = place_of(cell.get("r", ""))
            if form and place:
                cells[place] = form
            cell.clear()
    except etree.XMLSyntaxError:
        return {}
    return cells


def place_of(reference: str) -> Place | None:
    """Row and column from 0 of a reference like "B7", or None."""
    match = re.fullmatch(r"([A-Z]{1,3})([0-9]{1,7})", reference)
    if not match:
        return None
    column = 0
    for letter in match.group(1):
        column = column * 26 + ord(letter) - 64
    return int(match.group(2)) - 1, column - 1
