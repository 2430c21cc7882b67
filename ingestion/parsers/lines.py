"""Text as lines: freed of characters nobody sees, and long paragraphs broken where a printer could break them.

Only white space is ever replaced by a line break, so a quotation is still found after white space is normalised.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from ingestion.signs import known_signs
from ingestion.types import Block, BlockKind, Line

LONG = 400  # characters; a paragraph up to this long stays one line
UNBROKEN = 4_000  # characters without any white space (scripts that use none, encoded data) are cut here

# Zero-width and direction marks, soft hyphens, controls and the invisible "tag" letters: they split words for a
# search and hide text from people. Joiners (U+200C, U+200D) stay: Persian, Indic scripts and emoji need them.
_UNSEEN = re.compile(
    "[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAK = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n[ \t\u3000]*\n")
_GAP = re.compile(" {9,}")
_WIDEST_GAP = " " * 8  # columns set with spaces stay readable, a gap of thousands does not cost a thousand tokens
_SENTENCE_END = re.compile(r"(?<=[.!?…;:])[\"'”“»)\]]*\s+")


def clean(text: str) -> str:
    """`text` in Unicode NFC, without unseen characters, line breaks as \\n, no-break spaces as spaces."""
    if text.isprintable():
        return text if text.isascii() else unicodedata.normalize("NFC", text)
    text = _BREAK.sub("\n", _UNSEEN.sub("", text))
    text = known_signs(_SURROGATE.sub("\ufffd", text)).replace("\u00a0", " ").replace("\u202f", " ")
    return unicodedata.normalize("NFC", text)


def one_line(text: str) -> str:
    """`text` cleaned, with every run of white space as one space."""
    return " ".join(clean(text).split())


def file_name(path: str) -> str:
    """The last part of a path of any system, for people only: it never becomes a path."""
    return one_line(path.replace("\\", "/").rsplit("/", 1)[-1])[:200]


def lines(text: str) -> tuple[Line, ...]:
    """One Line for each line of `text`, white space collapsed, empty lines left out, long ones broken."""
    rows = (" ".join(row.split()) for row in clean(text).split("\n"))
    return tuple(Line(piece) for row in rows if row for piece in broken(row))


def source_lines(text: str) -> tuple[Line, ...]:
    """One Line for each line of `text` as it is set: indentation and columns kept, empty lines left out."""
    rows = (_GAP.sub(_WIDEST_GAP, row.expandtabs(4).rstrip()) for row in clean(text).split("\n"))
    return tuple(Line(piece) for row in rows if row for piece in broken(row))


def paragraphs(text: str) -> Iterator[Block]:
    """Paragraph blocks of the source lines between blank lines."""
    for part in _BLANK_LINES.split(clean(text)):
        found = source_lines(part)
        if found:
            yield Block("paragraph", found)


def code(text: str) -> Iterator[Block]:
    """A code block of the source lines, if there are any."""
    found = source_lines(text)
    if found:
        yield Block("code", found)


def block(kind: BlockKind, text: str, level: int = 0) -> Block | None:
    """A block of the lines of `text`, or None if nothing can be read in it."""
    found = lines(text)
    return Block(kind, found, level=level) if found else None


def broken(row: str) -> list[str]:
    """`row` in pieces of about LONG characters, cut after sentences where possible, else at white space."""
    pieces: list[str] = []
    start = 0
    while len(row) - start > LONG:
        cut, resume = _cut(row, start)
        pieces.append(row[start:cut].rstrip())
        start = resume
    pieces.append(row[start:].rstrip())
    return [piece for piece in pieces if piece]


def _cut(row: str, start: int) -> tuple[int, int]:
    """Where the piece from `start` ends and where the next begins."""
    ends = list(_SENTENCE_END.finditer(row, start + LONG // 4, start + LONG))
    if ends and ends[-1].end() < len(row):
        return ends[-1].end(), ends[-1].end()
    space = max(row.rfind(gap, start + 1, start + LONG) for gap in " \t")
    if space < 0:
        space = min((at for gap in " \t" if (at := row.find(gap, start + LONG, start + UNBROKEN)) > 0), default=-1)
    if space > 0:
        return space, space + 1
    end = min(start + UNBROKEN, len(row))
    return end, end
