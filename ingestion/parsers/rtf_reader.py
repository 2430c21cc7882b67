"""Walks the tokens of an RTF file and puts their text where it goes: body, notes, margins, fonts, styles.

A state machine of our own, without recursion: libraries at hand flatten tables, know one code page a file and lose
headings.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field

from ingestion.parsers.lines import block, one_line
from ingestion.parsers.office_zip import damaged
from ingestion.parsers.rtf_fonts import Fonts
from ingestion.parsers.rtf_letters import Letters
from ingestion.parsers.rtf_story import CellStyle, Paragraph, Story
from ingestion.parsers.rtf_tokens import Token, tokens
from ingestion.parsers.rtf_words import BREAKS, KEPT_STARRED, MARGINS, PAGE_FIELDS, SIGNS, SKIPPED
from ingestion.parsers.tables import MAX_COLUMNS
from ingestion.signs import raised
from ingestion.types import Block

MAX_DEPTH = 1_000  # groups within each other
_PLACES = {"fonttbl": "fonts", "stylesheet": "styles", "fldinst": "instruction", "info": "info"}
_FLAGS = {"v": "hidden", "deleted": "deleted", "mvf": "deleted", "super": "raised", "htmlrtf": "marked_up"}


def _counts_pages(instruction: str) -> bool:
    """Page numbers and the lists made of them."""
    return instruction.replace("\\", " ").upper().split()[:1] in PAGE_FIELDS


@dataclass
class _State:
    """What holds within a group. `place` says where its text goes."""

    place: str = "text"  # text, skip, fonts, styles, title, mark, instruction, author, object
    font: int | None = None
    fallback: int = 1  # characters after \\u that stand for it in old programs
    hidden: bool = False
    deleted: bool = False
    raised: bool = False  # superscript
    marked_up: bool = False  # \\htmlrtf: RTF that stands for HTML
    paragraph: Paragraph = field(default_factory=Paragraph)
    starred: bool = False
    ends: str = ""  # what its end completes: footnote, annotation, header, footer, field, shape
    old: bool = False  # \\upr: the first group within is for old programs
    style: int = 0  # of the style sheet, being learned


class Reader:
    """Walks the tokens once. `hidden`, `changes`, `embedded`, `pictures` and `cut_off` tell afterwards what was met."""

    def __init__(self) -> None:
        self.title = ""
        self.hidden = self.changes = self.pictures = self.cut_off = False
        self.embedded = 0
        self.objects: list[list[str]] = []  # embedded files in hexadecimal figures
        self.margins: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
        self._fonts = Fonts()
        self._state = _State()
        self._stack: list[_State] = []
        self._stories = [Story()]
        self._letters = Letters()
        self._instructions: list[str] = []  # of the fields that are open
        self._author = ""
        self._styles: dict[int, Paragraph] = {}
        self._named = ""

    def read(self, data: bytes) -> list[Block]:
        for token in tokens(data):
            self._take(token)
            if token.kind == "close" and not self._stack:
                break
        self._flush()
        self.cut_off = bool(self._stack)
        while self._stack:
            self._close()
        body = self._stories[0]
        found = body.end()
        self.title = body.title or self.title
        return found

    def _take(self, token: Token) -> None:
        kind, state = token.kind, self._state
        if self._letters.take(token, state.fallback, seen=state.place != "skip"):
            return
        if kind == "word" and token.text == "uc":  # may stand between the halves of one character
            self._setting("uc", token.number)
            self._letters.passing = 0
            return
        self._flush()
        if kind == "open":
            self._open()
        elif kind == "close":
            self._close()
        elif kind == "star":
            self._state.starred = True
        elif kind == "text":
            self._write(token.text)
        else:
            self._word(token.text, token.number)

    def _flush(self) -> None:
        """Write what was gathered."""
        for text in self._letters.taken(lambda data: self._fonts.decode(data, self._state.font)):
            self._write(text)

    def _open(self) -> None:
        if len(self._stack) >= MAX_DEPTH:
            raise damaged()
        self._stack.append(self._state)
        outer, self._state = self._state, copy(self._state)
        self._state.paragraph = copy(outer.paragraph)
        self._state.starred, self._state.ends, self._state.old = False, "", False
        if outer.old:
            self._state.place, outer.old = "skip", False

    def _close(self) -> None:
        if not self._stack:
            return
        closed, self._state = self._state, self._stack.pop()
        if closed.place == "styles" and self._state.place == "styles":
            self._learn_style(closed.style, closed.paragraph.level)
        if closed.ends == "field":
            self._instructions.pop()
        elif closed.ends:
            self._end_story(closed.ends)

    def _write(self, text: str) -> None:
        state = self._state
        if state.place == "text":
            if state.deleted:
                self.changes |= bool(text.strip())
            elif state.hidden:
                self.hidden |= bool(text.strip())
            elif not state.marked_up:
                self._stories[-1].text.append(raised(text) if state.raised else text)
        elif state.place == "object":
            self.objects[-1].append(text)
        elif state.place == "mark":
            self._stories[-1].mark += text[:100]
        elif state.place == "styles":
            self._named = (self._named + text)[:200]
        elif state.place == "title":
            self.title = (self.title + text)[:1_000]
        elif state.place == "author":
            self._author = (self._author + text)[:200]
        elif state.place == "instruction" and self._instructions:
            self._instructions[-1] = (self._instructions[-1] + text)[:200]

    # --- control words

    def _word(self, word: str, number: int | None) -> None:
        state = self._state
        starred, state.starred = state.starred, False
        if starred and word not in KEPT_STARRED:
            state.place = "skip"
        elif word in SIGNS:
            self._write(SIGNS[word])
        elif word in SKIPPED:
            self.pictures |= word == "pict"
            state.place = "skip"
        elif state.place == "skip":
            if word == "ud":  # the Unicode form of what was just passed over
                state.place = "text"
        elif not (self._table(word, number) or self._setting(word, number) or self._destination(word)):
            self._font(word, number)

    def _table(self, word: str, number: int | None) -> bool:
        """Words that end or describe paragraphs, cells and rows."""
        story, state = self._stories[-1], self._state
        if state.place != "text":
            return False
        if word in BREAKS:
            story.end_paragraph(state.paragraph)
        elif word in ("cell", "nestcell"):
            story.end_cell(inner=word == "nestcell")
        elif word in ("row", "nestrow"):
            story.end_row(inner=word == "nestrow")
        elif word == "trowd":
            story.styles, story.header = [CellStyle()], False
        elif word == "cellx" and len(story.styles) <= MAX_COLUMNS:
            story.styles[-1].edge = number or 0
            story.styles.append(CellStyle())
        elif word == "clvmrg":
            story.styles[-1].from_above = True
        elif word == "trhdr":
            story.header = True
        else:
            return False
        return True

    def _setting(self, word: str, number: int | None) -> bool:
        """Words that set how the text after them is to be taken."""
        state = self._state
        if word == "plain":
            state.hidden = state.deleted = state.raised = False
            state.font = None
        elif word == "pard":
            state.paragraph = Paragraph()
        elif word == "intbl":
            state.paragraph.depth = max(state.paragraph.depth, 1)
        elif word == "itap":
            state.paragraph.depth = number or 0
        elif word == "outlinelevel":
            state.paragraph.level = (number or 0) % 10 + 1 if (number or 0) < 9 else 0
        elif word == "ls":
            state.paragraph.in_list = (number or 0) > 0
        elif word == "s":
            self._style(number or 0)
        elif word in _FLAGS:
            setattr(state, _FLAGS[word], number != 0)
        elif word in ("nosupersub", "sub"):
            state.raised = False
        elif word == "uc":
            state.fallback = min(max(number or 0, 0), 100)
        else:
            return False
        return True

    def _destination(self, word: str) -> bool:
        """Words that say where the text of their group goes."""
        state = self._state
        if word in _PLACES:
            state.place = _PLACES[word]
        elif word in ("footnote", "annotation", "shptxt", "dptxbxtext") or word in MARGINS:
            state.ends = MARGINS.get(word, word)
            state.place, state.paragraph = "text", Paragraph()
            self._stories.append(Story())
        elif word in ("listtext", "pntext"):
            state.place = "mark"
            self._stories[-1].mark = ""
        elif word == "field":
            state.ends = "field"
            self._instructions.append("")
        elif word == "fldrslt":
            state.place = "skip" if self._instructions and _counts_pages(self._instructions[-1]) else "text"
        elif word == "atnauthor":
            state.place, self._author = "author", ""
        elif word == "title":
            state.place, self.title = "title", ""
        elif word == "object":
            self.embedded += 1
        elif word == "objdata":
            state.place = "object"
            self.objects.append([])
        elif word == "upr":
            state.old = True
        else:
            return False
        return True

    def _font(self, word: str, number: int | None) -> None:
        if word == "f":
            self._state.font = number or 0
        elif word == "deff":
            self._fonts.default = number
        elif word in ("ansi", "mac", "pc", "pca", "ansicpg"):
            self._fonts.document(word, number)
        elif word in ("fcharset", "cpg") and self._state.place == "fonts":
            self._fonts.learn(self._state.font or 0, word, number)

    # --- styles and stories

    def _style(self, number: int) -> None:
        if self._state.place == "styles":
            self._state.style = number
        elif number in self._styles:
            style = self._styles[number]
            self._state.paragraph.level, self._state.paragraph.is_title = style.level, style.is_title

    def _learn_style(self, number: int, level: int) -> None:
        name, self._named = self._named.strip().rstrip(";").strip().lower(), ""
        words = name.split()
        numbered = len(words) == 2 and words[0] in ("heading", "überschrift", "titre") and words[1].isdigit()
        level = min(int(words[1]), 9) if numbered else level
        if level or name in ("title", "titel"):
            self._styles[number] = Paragraph(level=level, is_title=not level)

    def _end_story(self, kind: str) -> None:
        found, outer = self._stories.pop().end(), self._stories[-1]
        if kind in self.margins:
            self.margins[kind]["\n".join(item.text for item in found)] = None
        elif kind in ("footnote", "annotation"):
            lead = f"Comment by {one_line(self._author)}: " if kind == "annotation" and self._author.strip() else ""
            text = "\n".join(item.text for item in found)
            outer.after += filter(None, [block("note", lead + text) if text.strip() else None])
            self._author = "" if kind == "annotation" else self._author
        else:
            outer.after += found
