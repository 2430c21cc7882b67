"""OpenDocument slides and drawings: a slide is a page, its title a heading, shapes in reading order, then the notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree

from ingestion.parsers.embedded import embedded_odf, told
from ingestion.parsers.left_out import EMBEDDED_IN_SLIDES
from ingestion.parsers.lines import block, one_line
from ingestion.parsers.odf import DRAW, OFFICE, PRESENTATION, SVG, Document, open_document
from ingestion.parsers.odf_text import Story
from ingestion.parsers.slides_shapes import Placed, in_order
from ingestion.types import Attachment, Block, Page, Parsed, Refused, Warning

_FURNITURE = {"date-time", "footer", "header", "page-number", "page"}  # the same on every slide
_TITLES = {"title"}
_LENGTH = re.compile(r"(-?\d{1,6}(?:\.\d{1,6})?)(mm|cm|in|pt|pc|px)?")
_MOVED = re.compile(r"translate\s*\(\s*(\S+?)[\s,]+(\S+?)\s*\)")
_MICRONS = {"mm": 1_000, "cm": 10_000, "in": 25_400, "pt": 353, "pc": 4_233, "px": 265}


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page a slide, labelled "Slide n". Raises `Refused`: "password_protected", "damaged", "inflates", "empty"
    (no slides), "no_text" (only pictures)."""
    document = open_document(path)
    slides = list(_body(document).iter(f"{DRAW}page"))
    if not slides:
        raise Refused("empty", "This presentation has no slides. Check the original and upload it again.")
    story = Story(document, bullet="")
    pages = []
    for number, slide in enumerate(slides, start=1):
        pages.append(Page(number, tuple(_blocks(slide, story)), label=f"Slide {number}"))
        on_page(number, len(slides))
    if not any(page.blocks for page in pages):
        raise Refused("no_text", "The slides of this presentation hold no text, only pictures.")
    bare = [page.number for page in pages if not page.blocks]
    title = next((b.text for b in pages[0].blocks if b.kind == "heading"), "")
    files = embedded_odf(document)
    warnings = (*_hidden(slides, document), *_bare(bare), *told(files), *_others(story, files))
    return Parsed(
        "odp", "partial" if bare else "text", tuple(pages), title=one_line(title), warnings=warnings, attachments=files
    )


def _body(document: Document) -> etree._Element:
    found = document.roots[0].find(f"{OFFICE}body/{OFFICE}drawing")
    return document.body("presentation") if found is None else found


def _blocks(slide: etree._Element, story: Story) -> Iterator[Block]:
    """Title first, then the other shapes as one reads them, then what the speaker is to say."""
    placed = [_placed(at, shape, story) for at, shape in enumerate(_shapes(slide))]
    titles = [item for item in placed if item.found and item.found[0].kind == "heading"]
    others = [item for item in placed if item not in titles]
    for item in [*in_order(titles), *in_order(others)]:
        yield from item.found
    for notes in slide.findall(f"{PRESENTATION}notes"):
        for shape in _shapes(notes):
            for found in story.block(shape):
                yield Block("note", found.lines)


def _shapes(parent: etree._Element) -> Iterator[etree._Element]:
    for child in parent:
        shows = child.get(f"{PRESENTATION}class") not in _FURNITURE if isinstance(child.tag, str) else False
        if shows and child.tag != f"{PRESENTATION}notes" and child.get(f"{PRESENTATION}placeholder") != "true":
            yield child


def _placed(order: int, shape: etree._Element, story: Story) -> Placed:
    if shape.tag == f"{DRAW}g":  # it has no place of its own but that of what is in it
        inner = [_placed(at, item, story) for at, item in enumerate(_shapes(shape))]
        found = tuple(block for item in in_order(inner) for block in item.found)
        top, left = (min((getattr(item, side) for item in inner), default=0) for side in ("top", "left"))
        low = max((item.top + item.height for item in inner), default=top)
        return Placed(top, left, low - top, order, found)
    top, left = _length(shape.get(f"{SVG}y")), _length(shape.get(f"{SVG}x"))
    moved = _MOVED.search(shape.get(f"{DRAW}transform", ""))
    if moved:
        left, top = left + _length(moved.group(1)), top + _length(moved.group(2))
    return Placed(top, left, _length(shape.get(f"{SVG}height")), order, tuple(_read(shape, story)))


def _read(shape: etree._Element, story: Story) -> Iterator[Block]:
    found = list(story.block(shape))
    if shape.get(f"{PRESENTATION}class") in _TITLES and found:
        text = one_line(" ".join(item.text for item in found))
        yield from filter(None, [block("heading", text, level=1)])
    else:
        yield from found


def _length(text: str | None) -> int:
    match = _LENGTH.match(text or "")
    return round(float(match.group(1)) * _MICRONS.get(match.group(2) or "px", 265)) if match else 0


def _hidden(slides: list[etree._Element], document: Document) -> Iterator[Warning]:
    for number, slide in enumerate(slides, start=1):
        if document.hides("drawing-page", slide.get(f"{DRAW}style-name")):
            text = f"Slide {number} is hidden in the presentation; it was read all the same."
            yield Warning("hidden_slide", text, page=number)


def _bare(numbers: list[int]) -> Iterator[Warning]:
    for number in numbers:
        yield Warning("no_text", f"Slide {number} holds no text, only pictures or nothing.", page=number)


def _others(story: Story, files: tuple[Attachment, ...]) -> Iterator[Warning]:
    if story.embedded > len(files):
        yield EMBEDDED_IN_SLIDES
