"""Paragraph styles of a Word document: which are headings, in whatever language and however far derived."""

from __future__ import annotations

import re

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(
    r"^(?:heading|überschrift|titre|título|titulo|titolo|encabezado|kop|nagłówek|nadpis|rubrik|overskrift|otsikko)\s*([1-9])$"
)
_MAX_CHAIN = 20  # styles based on styles; a longer chain is a circle


class Styles:
    """Looks properties of a paragraph style up along the styles it is based on."""

    def __init__(self, root: etree._Element | None) -> None:
        found = root.iter(f"{W}style") if root is not None else ()
        self._styles = {style.get(f"{W}styleId", ""): style for style in found}

    def level(self, paragraph: etree._Element) -> int:
        """The heading level from 1, 0 for running text. An outline level of the paragraph itself comes first."""
        own = _outline(paragraph.find(f"{W}pPr"))
        if own is not None:
            return own
        for style in self._chain(paragraph):
            named = _HEADING.match(_name(style))
            if named:
                return int(named.group(1))
            outline = _outline(style.find(f"{W}pPr"))
            if outline is not None:
                return outline
        return 1 if self.is_title(paragraph) else 0

    def is_title(self, paragraph: etree._Element) -> bool:
        """True for the document's title."""
        return any(_name(style) in {"title", "titel"} for style in self._chain(paragraph))

    def is_contents(self, paragraph: etree._Element) -> bool:
        """True for a line of the table of contents, which only repeats headings."""
        return any(re.match(r"^(toc|verzeichnis) ?\d$", _name(style)) for style in self._chain(paragraph))

    def is_list(self, paragraph: etree._Element) -> bool:
        """True for styles that Word and others use for lists."""
        return any(_name(style).startswith(("list ", "liste", "aufzählung")) for style in self._chain(paragraph))

    def numbering(self, paragraph: etree._Element) -> tuple[str, int] | None:
        """Number definition and level from 0, from the paragraph or its style; None without numbering."""
        holders = [paragraph, *self._chain(paragraph)]
        found = [holder.find(f"{W}pPr/{W}numPr") for holder in holders]
        number = next((n for n in (_value(item, "numId") for item in found) if n is not None), None)
        if number is None or number == "0":
            return None
        level = next((n for n in (_value(item, "ilvl") for item in found) if n is not None), "0")
        return number, int(level) if level.isdigit() else 0

    def _chain(self, paragraph: etree._Element) -> list[etree._Element]:
        chain: list[etree._Element] = []
        name = _value(paragraph.find(f"{W}pPr"), "pStyle")
        while name and name in self._styles and len(chain) < _MAX_CHAIN:
            chain.append(self._styles[name])
            name = _value(self._styles[name], "basedOn")
        return chain


def _name(style: etree._Element) -> str:
    return (_value(style, "name") or "").strip().lower()


def _outline(properties: etree._Element | None) -> int | None:
    level = _value(properties, "outlineLvl")
    if level is None or not level.isdigit():
        return None
    return int(level) + 1 if int(level) < 9 else 0


def _value(element: etree._Element | None, name: str) -> str | None:
    child = element.find(f"{W}{name}") if element is not None else None
    return child.get(f"{W}val") if child is not None else None
