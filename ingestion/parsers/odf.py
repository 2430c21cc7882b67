"""OpenDocument files (ODT, ODS, ODP, and their flat form in one XML file): their parts and what their styles say.

Read with lxml from the parts themselves, which are few and the same in all three. Nothing is computed: values and dates
are taken as the program that wrote them showed them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from ingestion.parsers.lines import one_line
from ingestion.parsers.office_zip import MAX_PART, ODF_MANIFEST, Package, damaged, open_package, password_protected
from ingestion.parsers.office_zip import parse_xml as parsed_xml
from ingestion.types import Refused

_SPACE = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
OFFICE, STYLE, TEXT, TABLE, DRAW, CHART, PRESENTATION = (
    f"{{{_SPACE.format(name)}}}" for name in ("office", "style", "text", "table", "drawing", "chart", "presentation")
)
SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
DC = "{http://purl.org/dc/elements/1.1/}"
XLINK = "{http://www.w3.org/1999/xlink}"
_PARENTS = 20  # styles above a style
_PROPERTIES = (
    ("text-properties", f"{TEXT}display", "none"),
    ("table-properties", f"{TABLE}display", "false"),
    ("section-properties", f"{TEXT}display", "none"),
    ("drawing-page-properties", f"{PRESENTATION}visibility", "hidden"),
)


@dataclass(frozen=True)
class Style:
    """What of a style matters: whether it hides or raises its text, its list style, and the style it rests on."""

    parent: str = ""
    lists: str = ""
    hides: bool = False
    raises: bool = False


class Document:
    """One OpenDocument file. `package` is None for the flat form."""

    def __init__(self, roots: tuple[etree._Element, ...], package: Package | None) -> None:
        self.roots = roots
        self.package = package
        self._styles = dict(_styles(roots))

    def body(self, kind: str) -> etree._Element:
        """The element that holds the text, sheets or slides. Raises `Refused` "damaged" if there is none."""
        found = self.roots[0].find(f"{OFFICE}body/{OFFICE}{kind}")
        if found is None:
            raise damaged()
        return found

    def title(self) -> str:
        """The title in the document's properties."""
        found = (root.find(f"{OFFICE}meta/{DC}title") for root in self.roots)
        return next((one_line("".join(item.itertext())) for item in found if item is not None), "")

    def chain(self, family: str, name: str | None) -> Iterator[tuple[str, Style]]:
        """A style and those it rests on, from the nearest."""
        for _ in range(_PARENTS):
            style = self._styles.get((family, name or ""))
            if style is None:
                return
            yield name or "", style
            name = style.parent

    def hides(self, family: str, name: str | None) -> bool:
        """Does the style hide what it is given to?"""
        return any(style.hides for _, style in self.chain(family, name))

    def raises(self, name: str | None) -> bool:
        """Does the style set text higher, as exponents are?"""
        return any(style.raises for _, style in self.chain("text", name))

    def embedded(self, href: str) -> etree._Element | None:
        """The content of an object in the document (a chart, mostly)."""
        name = f"{href.removeprefix('./').strip('/')}/content.xml"
        return self.package.root(name) if self.package is not None and name in self.package.names else None


def open_document(path: Path) -> Document:
    """Raises `Refused`: "password_protected", "damaged", "inflates"."""
    with path.open("rb") as file:
        if not file.read(4).startswith(b"PK"):
            return Document((_flat(path),), None)
    package = open_package(path, index="mimetype")
    if ODF_MANIFEST in package.names and b"encryption-data" in package.data(ODF_MANIFEST):
        raise password_protected()
    if "content.xml" not in package.names:
        raise damaged()
    names = [name for name in ("content.xml", "styles.xml", "meta.xml") if name in package.names]
    return Document(tuple(package.root(name) for name in names), package)


def _flat(path: Path) -> etree._Element:
    if path.stat().st_size > MAX_PART:
        raise Refused(
            "too_large",
            "This file is larger than %(limit)s MiB. Split it into smaller files.",
            limit=MAX_PART // 2**20,
        )
    root = parsed_xml(path.read_bytes())
    if root.tag != f"{OFFICE}document":
        raise damaged()
    return root


def _styles(roots: tuple[etree._Element, ...]) -> Iterator[tuple[tuple[str, str], Style]]:
    for root in roots:
        for item in root.iter(f"{STYLE}style"):
            key = item.get(f"{STYLE}family", ""), item.get(f"{STYLE}name", "")
            parent, lists = item.get(f"{STYLE}parent-style-name", ""), item.get(f"{STYLE}list-style-name", "")
            yield key, Style(parent if parent != key[1] else "", lists, _hides(item), _raises(item))


def _raises(style: etree._Element) -> bool:
    found = style.find(f"{STYLE}text-properties")
    said = found.get(f"{STYLE}text-position", "") if found is not None else ""
    return said.startswith("super") or (said[:1].isdecimal() and not said.startswith("0%"))


def _hides(style: etree._Element) -> bool:
    found = ((style.find(f"{STYLE}{kind}"), name, value) for kind, name, value in _PROPERTIES)
    return any(item is not None and item.get(name) == value for item, name, value in found)
