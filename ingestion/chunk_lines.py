"""The units passages are made of: printed lines, and pieces of a line where one alone is too long."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ingestion.types import Block, Line, Page

SENTENCE = re.compile(r".+?(?:[.!?…][\"'”’)\]]*\s+|[。！？]\s*|;\s+|$)", re.DOTALL)
WORD = re.compile(r"\S+\s*")
HEADING_LENGTH = 120  # characters of a heading that are kept in the path


@dataclass(frozen=True, slots=True)
class Unit:
    """A line, or a piece of one (then `line` is shared). `heading` is its level, 0 for other text, `title` the whole
    heading then; `joint` the tokens of what joins it to the unit before; `header` the line that a passage that starts
    here must repeat first."""

    text: str
    page: int
    place: Line
    tokens: int
    block: int
    line: int
    joint: int = 1
    heading: int = 0
    title: str = ""
    table: bool = False
    header: Line | None = None
    header_tokens: int = 0


def units_of(pages: tuple[Page, ...], size: int, count: Callable[[str], int]) -> list[Unit]:
    """All lines of `pages`, counted once each; none has more than `size` tokens."""
    units: list[Unit] = []
    blocks = [(page.number, block) for page in pages for block in page.blocks]
    for number, (page, block) in enumerate(blocks):
        header, tokens = _header(block, size, count)
        for line in (part for raw in block.lines for part in _plain(raw)):
            repeat = header is not None and line.text != header.text
            first = Unit(
                text=line.text,
                page=page,
                place=line,
                tokens=0,
                block=number,
                line=len(units),
                heading=max(block.level, 1) if block.kind == "heading" else 0,
                title=_title(block),
                table=block.kind == "table",
                header=header if repeat else None,
                header_tokens=tokens if repeat else 0,
            )
            pieces = _pieces(line.text, size - first.header_tokens, count)
            units += [replace(first, text=text, tokens=length) for text, length in pieces]
    return units


def _title(block: Block) -> str:
    return " ".join(block.text.split())[:HEADING_LENGTH].rstrip() if block.kind == "heading" else ""


def _header(block: Block, size: int, count: Callable[[str], int]) -> tuple[Line | None, int]:
    """A table's header with its tokens; none if it would fill more than half a passage."""
    header = block.header.rstrip()  # what stands before the first tab is the name of the first column: none
    if not header.strip():
        return None, 0
    tokens = count(header) + 1
    if tokens * 2 > size:
        return None, 0
    there = next((line for line in block.lines if line.text.rstrip() == header), Line(header))
    return replace(there, text=header), tokens


def _plain(line: Line) -> Iterator[Line]:
    """The line without white space at its end; none if nothing is left, several if a parser left line ends in it."""
    for text in line.text.splitlines():
        if text.strip():
            yield replace(line, text=text.rstrip())


def _pieces(text: str, size: int, count: Callable[[str], int]) -> Iterator[tuple[str, int]]:
    """`text` in pieces of at most `size` tokens with their counts: whole, else parted at sentences, words, anywhere."""
    tokens = count(text)
    if tokens <= size or len(text) < 2:
        yield text, tokens
        return
    for group in _groups(_parts(text), size, count):
        piece = "".join(group).strip()
        if piece:
            yield from _pieces(piece, size, count)


def _parts(text: str) -> list[str]:
    """At least two parts that make up `text`, the largest there are."""
    for pattern in (SENTENCE, WORD):
        parts = [match.group() for match in pattern.finditer(text)]
        if len(parts) > 1:
            return parts
    half = len(text) // 2
    return [text[:half], text[half:]]


def _groups(parts: list[str], size: int, count: Callable[[str], int]) -> Iterator[list[str]]:
    """Neighbouring parts together as long as they fit; never all of them, so that each group is shorter."""
    held: list[str] = []
    tokens, left = 0, len(parts)
    for part in parts:
        length = count(part)
        if held and (tokens + length > size or len(held) >= left / 2):
            yield held
            held, tokens = [], 0
        held.append(part)
        tokens += length
    yield held
