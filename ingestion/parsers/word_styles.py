"""Paragraph styles of a Word document: which are headings, in whatever language and however far derived."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from ingestion.parsers.whole import whole

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(
    r"^(?:heading|überschrift|titre|título|titulo|titolo|encabezado|kop|nagłówek|nadpis|rubrik|overskrift|otsikko)"
    r"\s*([1-9])$"
)
_CONTENTS = re.compile(r"^(?:toc|verzeichnis) ?\d$")
_LISTS = ("list ", "liste", "aufzählung")
_MAX_CHAIN = 20  # styles based on styles; a longer chain is a circle


@dataclass(frozen=True)
class Style:
    """What a paragraph is: heading `level` from 1 (0: running text), the document's title, a line of the table of
    contents, a list item; `number` and `depth` (from 0) name its numbering, "" for none."""

    level: int = 0
    is_title: bool = False
    is_contents: bool = False
    is_list: bool = False
    number: str = ""
    depth: int = 0


class Styles:
    """Looks the properties of a paragraph up along the styles it is based on."""

    def __init__(self, root: etree._Element | None) -> None:
        found = root.iter(f"{W}style") if root is not None else ()
        self._styles = {style.get(f"{W}styleId", ""): style for style in found}
        self._known: dict[str, Style] = {}

    def of(self, paragraph: etree._Element) -> Style:
        """The style of a paragraph; what the paragraph says itself comes before what its styles say."""
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return _PLAIN
        name = _value(properties, "pStyle") or ""
        if name not in self._known:
            self._known[name] = _combined(self._chain(name))
        return _adjusted(self._known[name], properties)

    def _chain(self, name: str) -> list[etree._Element]:
        chain: list[etree._Element] = []
        while name in self._styles and len(chain) < _MAX_CHAIN:
            chain.append(self._styles[name])
            name = _value(self._styles[name], "basedOn") or ""
        return chain


_PLAIN = Style()


def _combined(chain: list[etree._Element]) -> Style:
    """Of the style and those it is based on, the nearest that says something counts."""
    names = [(_value(style, "name") or "").strip().lower() for style in chain]
    properties = [style.find(f"{W}pPr") for style in chain]
    is_title = any(name in {"title", "titel"} for name in names)
    levels = (_level(name, found) for name, found in zip(names, properties, strict=True))
    return Style(
        level=next((level for level in levels if level is not None), int(is_title)),
        is_title=is_title,
        is_contents=any(_CONTENTS.match(name) for name in names),
        is_list=any(name.startswith(_LISTS) for name in names),
        number=next((text for text in (_numbered(found, "numId") for found in properties) if text), ""),
        depth=whole(next((text for text in (_numbered(found, "ilvl") for found in properties) if text), ""), 0, 8),
    )


def _adjusted(style: Style, properties: etree._Element) -> Style:
    outline, number, depth = _outline(properties), _numbered(properties, "numId"), _numbered(properties, "ilvl")
    if outline is None and not number and not depth:
        return style if style.number != "0" else _numberless(style)
    number = number or style.number
    return Style(
        level=style.level if outline is None else outline,
        is_title=style.is_title,
        is_contents=style.is_contents,
        is_list=style.is_list,
        number="" if number == "0" else number,
        depth=whole(depth, 0, 8) if depth else style.depth,
    )


def _numberless(style: Style) -> Style:
    return Style(style.level, style.is_title, style.is_contents, style.is_list)


def _level(name: str, properties: etree._Element | None) -> int | None:
    named = _HEADING.match(name)
    return int(named.group(1)) if named else _outline(properties)


def _outline(properties: etree._Element | None) -> int | None:
    level = _value(properties, "outlineLvl")
    if level is None:
        return None
    return (whole(level, 9, 9) + 1) % 10


def _numbered(properties: etree._Element | None, name: str) -> str:
    holder = properties.find(f"{W}numPr") if properties is not None else None
    return _value(holder, name) or ""


def _value(element: etree._Element | None, name: str) -> str | None:
    child = element.find(f"{W}{name}") if element is not None else None
    return child.get(f"{W}val") if child is not None else None
