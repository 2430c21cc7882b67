"""Formulas of Word and PowerPoint (Office Math, ECMA-376 part 1, 22.1) as one writes them in a line: (a + b)/c, x^2."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def line(element: etree._Element) -> str:
    """The formula in `element`. XML is at most 256 levels deep here, which bounds the recursion."""
    tag = element.tag
    if tag == f"{M}t":
        return element.text or ""
    if tag in _WRITTEN:
        return _WRITTEN[tag](element)
    return "".join(line(child) for child in element if isinstance(child.tag, str) and not child.tag.endswith("Pr"))


def _part(element: etree._Element, name: str) -> str:
    found = element.find(f"{M}{name}")
    return line(found).strip() if found is not None else ""


def _grouped(text: str) -> str:
    return text if len(text) < 2 or text.isalnum() or (text[0], text[-1]) == ("(", ")") else f"({text})"


def _fraction(element: etree._Element) -> str:
    return f"{_grouped(_part(element, 'num'))}/{_grouped(_part(element, 'den'))}"


def _scripts(element: etree._Element) -> str:
    """A base with what stands lower and higher beside it, also limits of sums."""
    base = _sign(element) if element.tag == f"{M}nary" else _part(element, "e")
    low, high = _part(element, "sub"), _part(element, "sup")
    text = base + (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "")
    return f"{text} {_part(element, 'e')}" if element.tag == f"{M}nary" else text


def _root(element: etree._Element) -> str:
    degree = _part(element, "deg")
    return f"{degree}√{_grouped(_part(element, 'e'))}"


def _brackets(element: etree._Element) -> str:
    left, between, right = (_said(element, f"{M}dPr/{M}{name}", usual) for name, usual in _BRACKETS)
    return left + between.join(line(part).strip() for part in element.findall(f"{M}e")) + right


def _sign(element: etree._Element) -> str:
    return _said(element, f"{M}naryPr/{M}chr", "∫")


def _said(element: etree._Element, path: str, usual: str) -> str:
    found = element.find(path)
    return usual if found is None else str(found.get(f"{M}val", ""))


_BRACKETS = (("begChr", "("), ("sepChr", "|"), ("endChr", ")"))
_WRITTEN: dict[str, Callable[[etree._Element], str]] = {
    f"{M}f": _fraction,
    f"{M}rad": _root,
    f"{M}d": _brackets,
    **{f"{M}{name}": _scripts for name in ("sSup", "sSub", "sSubSup", "nary")},
}
