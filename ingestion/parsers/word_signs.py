"""What single marks in the XML of a Word text stand for: signs of symbol fonts, ticked boxes, raised figures, ends of
paragraphs that a tracked change took away, the table of contents."""

from __future__ import annotations

from lxml import etree

from ingestion.parsers.word_notes import W
from ingestion.signs import TICKED, UNTICKED, sign

_OFF = ("0", "false", "off")


def symbol(element: etree._Element) -> str:
    """The sign of a `w:sym`; one that is not known stays the font's own, which nobody can read elsewhere either."""
    code = element.get(f"{W}char", "")
    number = int(code, 16) if len(code) == 4 and all(digit in "0123456789abcdefABCDEF" for digit in code) else 0
    return sign(element.get(f"{W}font", ""), number) or (chr(number) if 0x20 <= number < 0xD800 else "")


def box(field: etree._Element) -> str:
    """The box that begins a check box field; "" for other fields."""
    found = field.find(f"{W}ffData/{W}checkBox")
    if found is None:
        return ""
    said = [item for name in ("checked", "default") if (item := found.find(f"{W}{name}")) is not None]
    return TICKED if said and said[0].get(f"{W}val", "1") not in _OFF else UNTICKED


def is_raised(run: etree._Element) -> bool:
    found = run.find(f"{W}rPr/{W}vertAlign")
    return found is not None and found.get(f"{W}val") == "superscript"


def mark_is_gone(paragraph: etree._Element) -> bool:
    """Was the end of the paragraph deleted or moved away, so that the next one goes on in it?"""
    properties = paragraph.find(f"{W}pPr/{W}rPr")
    return properties is not None and any(properties.find(f"{W}{name}") is not None for name in ("del", "moveFrom"))


def is_contents(element: etree._Element) -> bool:
    """A table of contents as Word sets it up, with its own heading."""
    if element.tag != f"{W}sdt":
        return False
    found = element.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    return found is not None and found.get(f"{W}val") == "Table of Contents"
