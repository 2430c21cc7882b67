"""What a spreadsheet's number formats make of a bare value (ECMA-376 part 1, 18.8.30): rounded to the decimals that are
shown, filled up with zeros ("01067"), with its percent sign, currency or unit.

Only what changes the meaning of a figure is looked at; dates are made out by calamine itself.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal

from lxml import etree

from ingestion.parsers.office_zip import Package

MAX_BYTES = 24 * 2**20  # a larger sheet is read without formats
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_BUILT_IN = {
    **dict.fromkeys(("1", "3", "37", "38", "41"), "0"),
    **dict.fromkeys(("2", "4", "39", "40", "43"), "0.00"),
    "9": "0%",
    "10": "0.00%",
}
_CURRENCY = re.compile(r"\[\$([^\]-]+)(?:-[0-9A-Fa-f]+)?\]|\"\s*([^\"0-9#]{1,4}?)\s*\"|([€$£¥])")
_CURRENCIES_NAMES = "€ $ £ ¥ EUR USD GBP CHF SEK NOK DKK PLN CZK HUF Fr. kr zł Kč Ft"
_CURRENCIES = frozenset(_CURRENCIES_NAMES.split())
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[[^\]]*\]|_.|\*.|(?P<shape>[0#?][0#?,.]*(?:E[+-][0#?])?)|(?P<other>.)'
)
_SAYS = re.compile(r"[^\W_]|[+%‰°′″]")
_LONGEST_WORD = 30

Cell = object  # str, float, int, bool, date, datetime, time or timedelta, as calamine gives it
Place = tuple[int, int]  # row and column from 0


@dataclass(frozen=True)
class Format:
    """How a figure is written: times 100 with a percent sign, with so many decimals at least and at `most` (None: all
    there are), so many `digits` before them at least, with a currency, and words `before` and `after` it."""

    percent: bool = False
    decimals: int = 0
    currency: str = ""
    most: int | None = None
    digits: int = 1
    before: str = ""
    after: str = ""


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
    if form.most is not None and exact.adjusted() + form.most < 20:
        exact = exact.quantize(Decimal(1).scaleb(-form.most), ROUND_HALF_UP)
    text = format(abs(exact).normalize(), "f")
    whole, _, fraction = text.partition(".")
    fraction = fraction.ljust(form.decimals, "0")
    whole = ("-" if exact < 0 else "") + whole.zfill(form.digits)
    text = f"{whole}.{fraction}" if fraction else whole
    sign = "%" if form.percent else form.currency
    return f"{form.before}{text}{form.after}" + (f" {sign}" if sign else "")


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
        form = format_of(codes.get(record.get("numFmtId", ""), ""))
        if form != PLAIN:
            styles[str(index)] = form
    return styles


def format_of(code: str) -> Format:
    """What a format code says of positive figures. Only a plain figure is rounded and has words around it: one with an
    exponent, a fraction, in thousands or with signs in its midst is written as it is stored."""
    positive = code.partition(";")[0]
    signs = [next(filter(None, match.groups()), "").strip() for match in _CURRENCY.finditer(positive)]
    currency = next((sign for sign in signs if sign in _CURRENCIES), "")
    tokens = list(_TOKEN.finditer(positive))
    percent = any(token["other"] == "%" for token in tokens)
    shapes = [at for at, token in enumerate(tokens) if token["shape"]]
    shape = tokens[shapes[0]]["shape"] if len(shapes) == 1 else ""
    if not shape or shape.endswith(",") or "E" in shape:
        return Format(percent, currency=currency)
    whole, _, fraction = shape.partition(".")
    before, after = _words(tokens[: shapes[0]]), _words(tokens[shapes[0] + 1 :])
    digits = max(whole.count("0"), 1)
    return Format(percent, fraction.count("0"), currency, len(fraction), digits, before, after)


def _words(tokens: list[re.Match[str]]) -> str:
    """Words written beside a figure: units, mostly."""
    spoken = (token["quoted"] or token["escaped"] or (" " if token["other"] == " " else "") for token in tokens)
    text = "".join(spoken)[:_LONGEST_WORD]
    return text if _SAYS.search(text) and text.strip() not in _CURRENCIES else ""


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
