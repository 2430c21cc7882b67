"""Do all content streams of a PDF's pages decode? PDFium draws what it can of a damaged one and says nothing.

Looks at the file's bytes, as far as its page tree lies open in them (PDF 1.5 may hide it in object streams; then
nothing is said). Work is bounded: every byte is inflated once, and no stream beyond a limit.
"""

from __future__ import annotations

import mmap
import re
import zlib
from pathlib import Path

NUMBERED = re.compile(rb"(?<!\d)(\d{1,10})\s+\d{1,5}\s+\Z")
WORD = re.compile(rb"\w")
BEFORE = 64  # bytes before "obj" in which its number stands
REFERENCE = re.compile(rb"(\d{1,10})\s+\d{1,5}\s+R\b")
PAGE = re.compile(rb"/Type\s*/Page\b")
PAGES = re.compile(rb"/Type\s*/Pages\b")
VALUE = rb"\s*(\[[^\]]{0,100000}\]|\d{1,10}\s+\d{1,5}\s+R\b)"
CONTENTS, KIDS = re.compile(rb"/Contents" + VALUE), re.compile(rb"/Kids" + VALUE)
ROOT_PAGES = re.compile(rb"/Pages\s+(\d{1,10})\s+\d{1,5}\s+R\b")
STREAM = re.compile(rb"stream\r?\n")
FILTER = re.compile(rb"/Filter\s*(\[[^\]]{0,200}\]|/\w+)")
PICTURES = (b"/JBIG2Decode", b"/DCTDecode", b"/JPXDecode", b"/CCITTFaxDecode")  # no content stream is made with these
DICTIONARY = 4_096  # bytes of an object that are looked at
INFLATED = 64 * 1024 * 1024
LARGEST_FILE = 256 * 1024 * 1024
MOST_PAGES = 20_000


def damaged_pages(path: Path, count: int) -> list[int]:
    """Numbers of the pages, of `count`, that have a content stream which does not decode to its end."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if len(data) > LARGEST_FILE or data.find(b"/Encrypt") >= 0:
            return []
        places = _objects(data)
        pages = _pages(data, places)
        if len(pages) != count:  # not the tree that PDFium sees
            return []
        return [number for number, at in enumerate(pages, 1) if _is_damaged(data, places, at)]


def _objects(data: mmap.mmap | bytes) -> dict[int, int]:
    """Where the content of each numbered object begins; of several with one number, the last."""
    places: dict[int, int] = {}
    at = data.find(b"obj")
    while at >= 0:
        if data[at - 1 : at].isspace() and WORD.match(data[at + 3 : at + 4]) is None:  # not "endobj", not "object"
            match = NUMBERED.search(data[max(0, at - BEFORE) : at])
            if match is not None:
                places[int(match.group(1))] = at + 3
        at = data.find(b"obj", at + 3)
    return places


def _pages(data: mmap.mmap, places: dict[int, int]) -> list[int]:
    """Where the pages' objects begin, in the order of the page tree."""
    roots = [int(match.group(1)) for match in ROOT_PAGES.finditer(data)]
    waiting, seen, found = roots[-1:], set[int](), list[int]()
    while waiting and len(found) < MOST_PAGES:
        number = waiting.pop()
        if number in seen or number not in places:
            continue
        seen.add(number)
        text = _dictionary(data, places[number], 64 * DICTIONARY)
        if PAGES.search(text):
            waiting += reversed(_references(KIDS, text))
        elif PAGE.search(text):
            found.append(places[number])
    return found


def _is_damaged(data: mmap.mmap, places: dict[int, int], page: int) -> bool:
    return any(
        not _decodes(data, places[number])
        for number in _references(CONTENTS, _dictionary(data, page, DICTIONARY))
        if number in places
    )


def _references(key: re.Pattern[bytes], text: bytes) -> list[int]:
    match = key.search(text)
    return [int(number) for number in REFERENCE.findall(match.group(1))] if match else []


def _dictionary(data: mmap.mmap, at: int, most: int) -> bytes:
    end = data.find(b"endobj", at, at + most)
    return data[at : end if end >= 0 else at + most]


def _decodes(data: mmap.mmap, at: int) -> bool:
    begin = STREAM.search(data, at, at + DICTIONARY)
    if begin is None:
        return True  # an array of streams, or nothing
    filters = FILTER.search(data, at, begin.start())
    names = filters.group(1) if filters else b""
    if any(name in names for name in PICTURES):
        return False
    if re.fullmatch(rb"\[?\s*/FlateDecode\s*\]?", names) is None:
        return True
    end = data.find(b"endstream", begin.end())
    packed = data[begin.end() : end if end >= 0 else len(data)]
    if not packed.strip():
        return True  # a blank page
    decoder = zlib.decompressobj()
    try:
        decoder.decompress(packed, INFLATED)
    except zlib.error:
        return False
    return decoder.eof or bool(decoder.unconsumed_tail)
