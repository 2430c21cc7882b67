"""What people wrote about a slide: comments of both kinds, old ones and those with answers (PowerPoint 2019 on)."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from ingestion.parsers.drawings import paragraph
from ingestion.parsers.lines import block, one_line
from ingestion.parsers.office_zip import Package
from ingestion.types import Block

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_P188 = "{http://schemas.microsoft.com/office/powerpoint/2018/8/main}"


def comments(package: Package, slide: str) -> Iterator[Block]:
    """The comments of the part `slide`, each a note that begins with its author."""
    main = package.main()
    authors = {key: name for part in _parts(package, main, "commentAuthors", "authors") for key, name in _authors(part)}
    for root in _parts(package, slide, "comments"):
        for one in root.iter(f"{_P}cm", f"{_P188}cm", f"{_P188}reply"):
            text = _text(one)
            author = one_line(authors.get(one.get("authorId", ""), ""))
            yield from filter(
                None, [block("note", (f"Comment by {author}: " if author else "") + text) if text else None]
            )


def _parts(package: Package, source: str, *kinds: str) -> Iterator[etree._Element]:
    for kind in kinds:
        for name in package.related(source, kind):
            if name in package.names:
                yield package.root(name)


def _authors(root: etree._Element) -> Iterator[tuple[str, str]]:
    for one in root:
        if isinstance(one.tag, str):
            yield one.get("id", ""), one.get("name", "")


def _text(comment: etree._Element) -> str:
    old = comment.findtext(f"{_P}text")
    if old is not None:
        return str(old).strip()
    body = comment.find(f"{_P188}txBody")
    return "\n".join(paragraph(item) for item in body.iter(f"{_A}p")).strip() if body is not None else ""
