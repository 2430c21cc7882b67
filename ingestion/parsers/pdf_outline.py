"""The outline (bookmarks) of a PDF."""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any

import pypdfium2_raw as c

from ingestion.layout.outline import Entry
from ingestion.layout.segments import clean
from ingestion.parsers.pdf_strings import wide

MOST, DEEPEST = 5_000, 9


def outline(document: Any) -> list[Entry]:
    """Its entries from first to last, as far as they lead to pages. Entries that go in a circle are met once."""
    found, seen = list[Entry](), set[int | None]()
    waiting = [(c.FPDFBookmark_GetFirstChild(document, None), 1)]
    while waiting and len(seen) < MOST:
        mark, level = waiting.pop()
        address = ctypes.cast(mark, ctypes.c_void_p).value if mark else None
        if address is None or address in seen:
            continue
        seen.add(address)
        waiting.append((c.FPDFBookmark_GetNextSibling(document, mark), level))
        if level < DEEPEST:
            waiting.append((c.FPDFBookmark_GetFirstChild(document, mark), level + 1))
        title, page = clean(wide(partial(c.FPDFBookmark_GetTitle, mark))), _page(document, mark)
        if title and page:
            found.append(Entry(title, level, page))
    return found


def _page(document: Any, mark: Any) -> int:
    """The number of the page it leads to, 0 where it leads elsewhere."""
    place = c.FPDFBookmark_GetDest(document, mark)
    if not place and (action := c.FPDFBookmark_GetAction(mark)):
        goes = c.FPDFAction_GetType(action) == c.PDFACTION_GOTO
        place = c.FPDFAction_GetDest(document, action) if goes else None
    return max(c.FPDFDest_GetDestPageIndex(document, place), -1) + 1 if place else 0
