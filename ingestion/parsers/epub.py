"""E-books (EPUB 2 and 3): the documents of the spine in their order. There are no pages; headings are kept.

Nothing is fetched or run, pictures are left out, and books under copy protection are refused.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

from lxml import etree

from ingestion.parsers import html_blocks
from ingestion.parsers.archive_members import DAMAGED, MIB, Archive, opened
from ingestion.parsers.encoding import decode
from ingestion.parsers.lines import one_line
from ingestion.parsers.office_zip import parse_xml
from ingestion.types import Block, Line, Page, Parsed, Refused, Warning

MOST = 512 * MIB  # bytes of all members that are read
MOST_PART = 64 * MIB
MOST_CHAPTERS = 5_000
CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
# Fonts that are made unusable outside the book; its text is open (EPUB OCF 3, "font obfuscation")
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_SHOWN = (("title", "Title"), ("creator", "Author"), ("publisher", "Publisher"), ("date", "Date"))
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_PROTECTED = (
    "This book is under copy protection (DRM) and can be read only in its reader program. "
    "Upload a copy without protection."
)
_NO_TEXT = "This book holds no text. If its pages are pictures, convert it to PDF and upload that."


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page for each document of the spine, `has_pages` False. Raises `Refused`: "damaged", "inflates",
    "password_protected" (copy protection), "no_text"."""
    with opened(path, MOST) as book:
        folder, package = _package(book)
        spine = _spine(folder, package)
        _refuse_protected(book, spine)
        chapters, lost = _chapters(book, spine, on_page)
    if not chapters:
        raise Refused("damaged", DAMAGED) if lost else Refused("no_text", _NO_TEXT)
    details = _details(package)
    title = next((text for name, text in details if name == "Title"), "")
    first = Block("metadata", tuple(Line(f"{name}: {text}") for name, text in details))
    if details:
        chapters[0] = (first, *chapters[0])
    pages = tuple(Page(number, found) for number, found in enumerate(chapters, start=1))
    return Parsed("epub", "partial" if lost else "text", pages, has_pages=False, title=title, warnings=tuple(lost))


def _package(book: Archive) -> tuple[str, etree._Element]:
    """The folder and the root of the package document, which the container names."""
    container = _xml(book, CONTAINER)
    name = next((item.get("full-path", "") for item in container.iter("{*}rootfile")), "")
    return posixpath.dirname(name), _xml(book, name)


def _xml(book: Archive, name: str) -> etree._Element:
    data = book.data(name, MOST_PART)
    if data is None:
        raise Refused("damaged", DAMAGED)
    return parse_xml(data)


def _spine(folder: str, package: etree._Element) -> list[str]:
    """Names of the members to be read, in reading order, each once."""
    files = {item.get("id"): item.get("href", "") for item in package.iter("{*}item")}
    found = [files.get(item.get("idref"), "") for item in package.iter("{*}itemref")]
    names = (posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0]))) for href in found if href)
    return list(dict.fromkeys(names))


def _refuse_protected(book: Archive, spine: list[str]) -> None:
    data = book.data(ENCRYPTION, MOST_PART)
    if data is None:
        return
    for item in parse_xml(data).iter("{*}EncryptedData"):
        method = next((found.get("Algorithm", "") for found in item.iter("{*}EncryptionMethod")), "")
        uris = {unquote(found.get("URI", "")) for found in item.iter("{*}CipherReference")}
        if method not in _FONTS or uris & set(spine):
            raise Refused("password_protected", _PROTECTED)


def _chapters(
    book: Archive, spine: list[str], on_page: Callable[[int, int], None]
) -> tuple[list[tuple[Block, ...]], list[Warning]]:
    """The blocks of each document that has any, and what could not be read."""
    chapters: list[tuple[Block, ...]] = []
    lost: list[Warning] = []
    for at, name in enumerate(spine[:MOST_CHAPTERS]):
        on_page(at, len(spine))
        found = _chapter(book.data(name, MOST_PART))
        if found is None:
            text = f"A part of the book is missing or damaged and was not read: {one_line(name)[:200]}."
            lost.append(Warning("part_damaged", text))
        elif found:
            chapters.append(found)
    if len(spine) > MOST_CHAPTERS:
        lost.append(Warning("parts_left_out", f"The book has more than {MOST_CHAPTERS} parts; the rest was not read."))
    return chapters, lost


def _chapter(data: bytes | None) -> tuple[Block, ...] | None:
    if data is None:
        return None
    match = _CHARSET.search(data[:2_000])
    try:
        return html_blocks.blocks(decode(data, match.group(1).decode("ascii") if match else ""))
    except Refused:  # nested beyond reason
        return None


def _details(package: etree._Element) -> list[tuple[str, str]]:
    """Title, author and the like, as the package says."""
    found: list[tuple[str, str]] = []
    for tag, name in _SHOWN:
        texts = (one_line("".join(item.itertext()))[:400] for item in _named(package, tag))
        told = ", ".join(dict.fromkeys(text for text in texts if text))
        if told:
            found.append((name, told))
    return found


def _named(package: etree._Element, tag: str) -> Iterator[etree._Element]:
    yield from list(package.iter(f"{{http://purl.org/dc/elements/1.1/}}{tag}"))[:20]
