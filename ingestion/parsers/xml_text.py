"""XML as text: records like JSON, no value without the names of its elements; running text as it stands."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path

from lxml import etree

from ingestion.parsers.encoding import read_text
from ingestion.parsers.json_text import blocks, bounded
from ingestion.parsers.json_values import Value
from ingestion.parsers.lines import paragraphs
from ingestion.parsers.office_zip import parse_xml
from ingestion.types import Page, Parsed, Refused, Warning

BROKEN = Warning("broken_xml", "This is no valid XML; it was read as plain text.")
_HIDDEN = "{http://www.w3.org/2001/XMLSchema-instance}"  # attributes that name a schema


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page. What is no XML is read as plain text, with a warning. Nothing it refers to is fetched, no entity is
    expanded. Raises `Refused` "empty", "unknown_type"."""
    text = read_text(path)
    on_page(1, 1)
    try:
        root = parse_xml(path.read_bytes().lstrip(b"\r\n\t "))
        found, warnings = bounded(blocks(_value(root)))
    except Refused:
        found, warnings = tuple(paragraphs(text)), (BROKEN,)
    if not found:
        raise Refused("empty", "This file holds no value. Check the original and upload it again.")
    return Parsed("xml", "text", (Page(1, found),), has_pages=False, warnings=warnings)


def _value(element: etree._Element) -> Value:
    """Attributes and elements under their names, neighbours of one name as a list, running text with what is in it."""
    attributes = [(_name(key), str(value)) for key, value in element.attrib.items() if not key.startswith(_HIDDEN)]
    inner = [child for child in element if isinstance(child.tag, str)]
    own = "".join([element.text or "", *(child.tail or "" for child in element)])
    if not inner or own.strip():
        text = _text(element)
        return (*attributes, ("", text)) if attributes else text
    found: list[tuple[str, Value]] = [*attributes]
    for name, group in groupby(inner, key=lambda child: _name(child.tag)):
        values: list[Value] = [_value(child) for child in group]
        found.append((name, values if len(values) > 1 else values[0]))
    return tuple(found)


def _text(element: etree._Element) -> str:
    """All text in it; comments and instructions are none."""
    return "".join(str(part) for part in element.itertext("*"))


def _name(tag: str) -> str:
    return str(etree.QName(tag).localname)
