"""PowerPoint presentations: a slide is a page, its title a heading, shapes in reading order, then the speaker notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pptx import Presentation
from pptx.exc import PythonPptxError

from ingestion.parsers.drawings import drawn
from ingestion.parsers.embedded import embedded, has_others, told
from ingestion.parsers.left_out import EMBEDDED_IN_SLIDES
from ingestion.parsers.lines import block, lines, one_line
from ingestion.parsers.office_zip import Package, damaged, open_package
from ingestion.parsers.slides_comments import comments
from ingestion.parsers.slides_shapes import blocks
from ingestion.types import Attachment, Block, Outcome, Page, Parsed, Refused, Warning

_SLIDE = "{http://schemas.openxmlformats.org/presentationml/2006/main}sldId"
_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
# What python-pptx raises on slides whose parts are missing or hold what they should not
_BROKEN = (Refused, KeyError, ValueError, AttributeError, TypeError, IndexError, RecursionError, PythonPptxError)


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page a slide, labelled "Slide n". Raises `Refused`: "password_protected", "damaged", "inflates", "empty"
    (no slides), "no_text" (only pictures)."""
    package = open_package(path)
    slides = _slides(package)
    if not slides:
        raise Refused("empty", "This presentation has no slides. Check the original and upload it again.")
    pages, broken = [], []
    for number, (slide, part) in enumerate(zip(slides, _parts(package), strict=True), start=1):
        try:
            pages.append(_page(number, slide, package, part))
        except _BROKEN:
            pages.append(Page(number, (), label=f"Slide {number}"))
            broken.append(number)
        on_page(number, len(slides))
    files = embedded(package)
    if not files and not any(page.blocks for page in pages):
        raise Refused("no_text", "The slides of this presentation hold no text, only pictures.")
    bare = [page.number for page in pages if not page.blocks and page.number not in broken]
    title = next((b.text for b in pages[0].blocks if b.kind == "heading"), "")
    warnings = (*_hidden(slides), *_damaged(broken), *_bare(bare), *told(files), *_others(package, files))
    outcome: Outcome = "partial" if bare or broken else "text"
    return Parsed("pptx", outcome, tuple(pages), title=one_line(title), warnings=warnings, attachments=files)


def _slides(package: Package) -> list[Any]:
    """The slides in their order. python-pptx raises all kinds of errors on broken parts; each means a broken file."""
    try:
        return list(Presentation(package.opened()).slides)
    except (MemoryError, Refused):
        raise
    except Exception as error:
        raise damaged() from error


def _parts(package: Package) -> list[str]:
    """The slides' parts in the order of the slides; python-pptx gives them other names, in that order."""
    main = package.main()
    return [package.target(main, item.get(_RELATION_ID, "")) for item in package.root(main).iter(_SLIDE)]


def _page(number: int, slide: Any, package: Package, part: str) -> Page:
    found = [*blocks(slide, lambda item: drawn(item, package, part)), *_notes(slide), *comments(package, part)]
    return Page(number, tuple(found), label=f"Slide {number}")


def _notes(slide: Any) -> Iterator[Block]:
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        text = slide.notes_slide.notes_text_frame.text
        yield from filter(None, [block("note", text) if lines(text) else None])


def _hidden(slides: list[Any]) -> Iterator[Warning]:
    for number, slide in enumerate(slides, start=1):
        if slide._element.get("show") in ("0", "false"):
            text = f"Slide {number} is hidden in the presentation; it was read all the same."
            yield Warning("hidden_slide", text, page=number)


def _bare(numbers: list[int]) -> Iterator[Warning]:
    for number in numbers:
        yield Warning("no_text", f"Slide {number} holds no text, only pictures or nothing.", page=number)


def _damaged(numbers: list[int]) -> Iterator[Warning]:
    for number in numbers:
        yield Warning("damaged", f"Slide {number} is damaged and could not be read.", page=number)


def _others(package: Package, files: tuple[Attachment, ...]) -> Iterator[Warning]:
    if has_others(package, files):
        yield EMBEDDED_IN_SLIDES
