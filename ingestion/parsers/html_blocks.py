"""HTML markup to blocks: what a browser would show, in reading order. Scripts, styles, hidden and navigation parts
are not in; nothing is fetched. Works without recursion along the tree, so nesting costs no stack."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from ingestion.parsers.html_tables import MAX_DEPTH, grid, is_layout
from ingestion.parsers.lines import block, code
from ingestion.parsers.tables import table
from ingestion.parsers.whole import whole
from ingestion.signs import raised
from ingestion.types import Block, BlockKind, Refused

UNSHOWN_NAMES = (
    "script style noscript template head svg iframe object embed applet audio video canvas map select datalist nav"
)
UNSHOWN = frozenset(UNSHOWN_NAMES.split())
_CONTAINERS_NAMES = (
    "html body p div section article main header footer aside ul ol li dl dt dd table thead tbody tfoot "
    "tr td th caption blockquote figure figcaption form fieldset legend details summary address hr center "
    "pre h1 h2 h3 h4 h5 h6 option menu dir hgroup search dialog frameset noframes"
)
_CONTAINERS = frozenset(_CONTAINERS_NAMES.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDING = re.compile(
    r"(display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d]))", re.I
)
_SPACE = re.compile(r"[ \t\n\r\f]+")


def blocks(markup: str) -> tuple[Block, ...]:
    """The blocks of an HTML document or fragment. Raises `Refused` "damaged" when it nests beyond reason."""
    root = parse(markup)
    return tuple(_Walk().run(root)) if root is not None else ()


def parse(markup: str) -> etree._Element | None:
    """The tree as a lenient HTML parser sees it, or None if nothing is in it. No DTD, no entities, no network."""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)
    data = markup.replace("\0", "").encode("utf-8", errors="replace")
    root = etree.fromstring(data, parser) if data.strip() else None
    if any("depth" in entry.message for entry in parser.error_log):
        raise Refused("damaged", "This page nests its elements thousands deep, which no browser shows either.")
    return root


def unshown(element: etree._Element) -> bool:
    """True if a browser does not show the element, or it is the site's navigation."""
    tag = element.tag
    if not isinstance(tag, str) or tag in UNSHOWN or element.get("hidden") is not None:
        return True
    if tag == "dialog" and element.get("open") is None:
        return True
    return element.get("role") == "navigation" or bool(_HIDING.search(element.get("style", "")))


class _Walk:
    """Collects inline text until a block element begins or ends, then emits it."""

    def __init__(self, depth: int = 0) -> None:
        self.depth = depth
        self.text: list[str] = []
        self.kind: BlockKind = "paragraph"
        self.level = 0
        self.mark = ""
        self.lists: list[int] = []  # next number of each open list, 0 for bullets
        self.pre = 0
        self.raised = 0  # where in `text` the superscript begins that is open

    def run(self, root: etree._Element) -> Iterator[Block]:
        walk = etree.iterwalk(root, events=("start", "end"))
        skipped: etree._Element | None = None
        for event, element in walk:
            if event == "start":
                if unshown(element):
                    skipped = element
                    walk.skip_subtree()
                elif element.tag == "table" and self.depth < MAX_DEPTH and not is_layout(element):
                    yield from self._flush()
                    yield from self._table(element)
                    skipped = element
                    walk.skip_subtree()
                else:
                    yield from self._open(element)
                    self._add(element.text)
                continue
            if element is not skipped:
                yield from self._close(element)
            if element is not root:
                self._add(element.tail)
        yield from self._flush()

    def _open(self, element: etree._Element) -> Iterator[Block]:
        tag = element.tag
        if tag in _CONTAINERS:
            yield from self._flush()
        if tag in _HEADINGS:
            self.kind, self.level = "heading", _HEADINGS[tag]
        elif tag in {"ul", "ol", "menu", "dir"}:
            self.lists.append(whole(element.get("start"), 1, 10**6) if tag == "ol" else 0)
        elif tag == "li":
            self.mark = self._next_mark(element)
        elif tag == "sup":
            self.raised = len(self.text)
        elif tag == "br":
            self.text.append("\n")
        elif tag == "pre":
            self.pre += 1

    def _close(self, element: etree._Element) -> Iterator[Block]:
        tag = element.tag
        if tag in _CONTAINERS:
            yield from self._flush()
        if tag in _HEADINGS:
            self.kind, self.level = "paragraph", 0
        elif tag in {"ul", "ol", "menu", "dir"} and self.lists:
            self.lists.pop()
        elif tag == "pre":
            self.pre -= 1
        elif tag == "sup":
            self.text[self.raised :] = [raised("".join(self.text[self.raised :]))]

    def _next_mark(self, item: etree._Element) -> str:
        if not self.lists or not self.lists[-1]:
            return "- "
        self.lists[-1] = whole(item.get("value"), self.lists[-1], 10**6)
        self.lists[-1] += 1
        return f"{self.lists[-1] - 1}. "

    def _add(self, text: str | None) -> None:
        if text:
            self.text.append(text if self.pre else _SPACE.sub(" ", text))

    def _flush(self) -> Iterator[Block]:
        text, self.text = "".join(self.text), []
        if not text.strip():
            return
        if self.pre:
            yield from code(text)
            return
        if self.kind == "heading":
            found = block("heading", text.replace("\n", " "), level=self.level)
        else:
            mark, self.mark = self.mark, ""
            found = block("list" if self.lists else self.kind, mark + text.strip())
        if found:
            yield found

    def _table(self, element: etree._Element) -> Iterator[Block]:
        found = grid(element, unshown)
        if found.caption:
            yield from filter(None, [block("paragraph", found.caption)])
        yield from filter(None, [table(found.rows, found.headers)])
        for inner in found.inner:
            yield from _Walk(self.depth + 1).run(inner)
