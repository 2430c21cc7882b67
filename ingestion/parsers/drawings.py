"""Charts and SmartArt, which Word, Excel and PowerPoint all keep in parts of their own (DrawingML, ECMA-376 part 1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from lxml import etree

from ingestion.parsers.lines import block
from ingestion.parsers.math_text import M, line
from ingestion.parsers.office_zip import Package
from ingestion.parsers.sheets_formats import Format, format_of, shown
from ingestion.parsers.tables import table
from ingestion.parsers.whole import whole
from ingestion.signs import raised
from ingestion.types import Block

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_LITERAL = re.compile(r"\"[^\"]*\"|\[[^\]]*\]|\\.|General")
_DATE = re.compile(r"[yYdD]|[mM]{3}")
_MAX_POINTS = 2_000  # of a series; a curve of more is a picture and no table
DRAWN = frozenset({f"{_C}chart", _DIAGRAM})


def drawn(element: etree._Element, package: Package, source: str) -> Iterator[Block]:
    """The blocks of a chart or SmartArt that `element`, one of `DRAWN`, stands for in the part `source`."""
    is_chart = element.tag != _DIAGRAM
    name = package.target(source, element.get(f"{_R}id" if is_chart else f"{_R}dm", ""))
    if name in package.names:
        yield from (chart if is_chart else _diagram)(package.root(name))


def chart(root: etree._Element) -> Iterator[Block]:
    """A chart's title and its figures as a table: a row a category, a column a series."""
    for title in root.iter(f"{_C}title"):  # its own, then those of its axes, which name the units
        yield from filter(None, [block("paragraph", "\n".join(paragraph(item) for item in title.iter(f"{_A}p")))])
    series = list(root.iter(f"{_C}ser"))
    names = [" ".join(_texts(item.find(f"{_C}tx"), f"{_C}v")) for item in series]
    columns = [_points(item, "val", "yVal") for item in series]
    categories: dict[int, str] = next((found for item in series if (found := _points(item, "cat", "xVal"))), {})
    places = sorted({at for column in [categories, *columns] for at in column})[:_MAX_POINTS]
    rows = [[categories.get(at, ""), *(column.get(at, "") for column in columns)] for at in places]
    named = any(names)
    yield from filter(None, [table([["", *names], *rows] if named else rows, int(named))])


def paragraph(item: etree._Element) -> str:
    """The text of a DrawingML paragraph."""
    out = []
    for part in item.iter(f"{_A}t", f"{_A}br", f"{_A}tab", f"{M}oMath"):
        if part.tag == f"{M}oMath":
            out.append(line(part))
        else:
            out.append({f"{_A}br": "\n", f"{_A}tab": " "}.get(part.tag) or _text(part))
    return "".join(out)


def _text(part: etree._Element) -> str:
    run = part.getparent()
    properties = run.find(f"{_A}rPr") if run is not None else None
    is_raised = properties is not None and whole(properties.get("baseline"), 0, 10**6) > 0
    return raised(part.text or "") if is_raised else part.text or ""


def _diagram(root: etree._Element) -> Iterator[Block]:
    yield from filter(None, [block("list", "\n".join(paragraph(item) for item in root.iter(f"{_A}p")))])


def _points(series: etree._Element, *kinds: str) -> dict[int, str]:
    """The values a program stored with a series, by their place in it."""
    holder = next((found for kind in kinds if (found := series.find(f"{_C}{kind}")) is not None), None)
    if holder is None:
        return {}
    points = list(holder.iter(f"{_C}pt"))[:_MAX_POINTS]
    code = " ".join(_texts(holder, f"{_C}formatCode")[:1])
    form, is_date = format_of(code), bool(_DATE.search(_LITERAL.sub("", code)))
    texts = ((point.get("idx"), " ".join(_texts(point, f"{_C}v"))) for point in points)
    return {whole(at, 0, 10**7): _day(text) if is_date else _figure(text, form) for at, text in texts}


def _texts(element: etree._Element | None, tag: str) -> list[str]:
    return [found.text or "" for found in element.iter(tag)] if element is not None else []


def _figure(text: str, form: Format) -> str:
    try:
        return shown(float(text), form)
    except ValueError:
        return text


def _day(text: str) -> str:
    """Spreadsheets count days from the end of 1899."""
    try:
        return shown(datetime(1899, 12, 30) + timedelta(days=float(text)))
    except (ValueError, OverflowError):
        return text
