"""A page that was read, from a PDF's own text or from its picture: rows in reading order, and how they map to the page
as it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingestion.layout.columns import in_columns
from ingestion.layout.rows import to_rows
from ingestion.layout.segments import clean
from ingestion.layout.types import PageRows, Row, Segment
from ingestion.ocr.results import Recognised
from ingestion.ocr.skew import as_scanned
from ingestion.ocr.words import segments_of
from ingestion.parsers.frame import Frame, in_page_space, shown
from ingestion.parsers.pdf_annotations import Comment
from ingestion.types import Block, Box, Line, Page, Warning

NO_FRAME = Frame(0, 0, 0, 0, 0)
COVERED = 0.5  # of a recognised piece by printed text: it is that text


@dataclass(frozen=True)
class PageRead:
    """A page's rows, laid out in the frame `reading` in which its text stands upright; `frame` is how it is shown.
    `confidence` is set where text was recognised; `own` says whether the page has a text layer, good or bad.
    `comments` were put onto the page by its readers. `skew`: how the picture was turned in that frame to be level."""

    rows: PageRows
    frame: Frame
    reading: Frame
    warning: Warning | None = None
    confidence: float | None = None
    own: bool = True
    comments: tuple[Comment, ...] = ()
    skew: float = 0.0

    def as_shown(self, page: Page) -> Page:
        """`page`, laid out, its boxes turned to where they are seen, the comments at its end."""
        width, height = self.frame.size
        blocks = page.blocks
        if self.reading != self.frame or self.skew:
            blocks = tuple(self._turned(block) for block in blocks)
        if self.comments:
            blocks += tuple(self._notes(page.text))
        return replace(page, blocks=blocks, width=width, height=height, confidence=self.confidence)

    def _notes(self, text: str) -> Iterator[Block]:
        """The comments, but for those that repeat what the page says: marks hold a copy of the words they mark."""
        said = "".join(text.split())
        boxes = shown(np.array([comment.box for comment in self.comments], dtype=np.float32), self.frame)
        for comment, box in sorted(zip(self.comments, boxes.tolist(), strict=True), key=lambda one: one[1][1]):
            if "".join(comment.text.split()) not in said:
                lines = [line for line in map(clean, comment.text.split("\n")) if line]
                yield Block("note", tuple(Line(line, Box(*box)) for line in lines))

    def _turned(self, block: Block) -> Block:
        level = [as_scanned(line.box, self.skew, self.reading.size) for line in block.lines if line.box]
        boxes = [(box.x0, box.y0, box.x1, box.y1) for box in level]
        turned = shown(in_page_space(np.array(boxes, dtype=np.float32), self.reading), self.frame).tolist()
        return replace(
            block, lines=tuple(Line(line.text, Box(*box)) for line, box in zip(block.lines, turned, strict=True))
        )


def lost(number: int, warning: Warning) -> PageRead:
    return PageRead(PageRows(number, 0, 0, ()), NO_FRAME, NO_FRAME, warning)


def regions(segments: Sequence[Segment], frame: Frame) -> tuple[tuple[Row, ...], ...]:
    """Reading order of what stands on the page, wholly or in part. What a CropBox hides is not read."""
    visible = [segment for segment in segments if _meets(segment.box, *frame.size)]
    return tuple(tuple(to_rows(region)) for region in in_columns(visible))


def _meets(box: Box, width: float, height: float) -> bool:
    return box.x1 > -2 and box.x0 < width + 2 and box.y1 > -2 and box.y0 < height + 2


def recognised(
    number: int, frame: Frame, found: Recognised, line_share: float, printed: Sequence[Segment] = ()
) -> PageRead:
    """The page as its picture was read. Text `printed` over the picture (a stamp, a page number) is taken as it is
    written, instead of what was recognised in its place."""
    reading = replace(frame, turns=(frame.turns + found.turns) % 4)
    scale = reading.size[0] / found.width
    printed = [replace(text, box=as_scanned(text.box, -found.skew, reading.size)) for text in printed]
    words = segments_of(found.words, scale, line_share * max(reading.size))
    words = [word for word in words if not any(_covers(text.box, word.box) for text in printed)]
    rows = PageRows(number, *reading.size, regions([*printed, *words], reading))
    confidence = found.confidence if words else None
    return PageRead(rows, frame, reading, None, confidence, own=bool(printed), skew=found.skew)


def _covers(text: Box, word: Box) -> bool:
    width = min(text.x1, word.x1) - max(text.x0, word.x0)
    height = min(text.y1, word.y1) - max(text.y0, word.y0)
    area = (word.x1 - word.x0) * (word.y1 - word.y0)
    return width > 0 and height > 0 and width * height > COVERED * area
