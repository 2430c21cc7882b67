"""Cuts an answer into statements while it streams: sentences, list items, table rows, each with the ids it cites.

A statement is complete when the first character of the next one has arrived, so that citations after its full stop
still belong to it. Nothing is lost: the `raw` texts of all pieces in order are the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.questions.vocabulary import (
    ABBREVIATIONS,
    ABBREVIATIONS_AT_ENDS,
    ABBREVIATIONS_OF_NUMBERS,
    ARTICLES_BEFORE_ORDINALS,
)

_MONTH_NEXT = re.compile(
    r"(?:jan|feb|mär|maerz|apr|mai|jun|jul|aug|sep|okt|nov|dez|quartal|stock|etage|absatz|kapitel|teil|stufe|klasse)",
    re.I,
)
IDS = re.compile(
    r"\s*[\[【(]\s*(?:sources?|quellen?|ids?|passages?)?:?\s*(D\d+(?:\.\d+)?(?:\s*(?:[,;&/]|and|und)?\s*D?\d+\.\d+)*)"
    r"(?:[^\]】)\n]{0,80})?[\]】)]|"
    r"\s*(?<![\w.])(D\d+\.\d+)(?:(?:,|\s+and|\s+und)\s+D\d+\.\d+)*(?![\w.]*\w)",
)
_ACCORDING = re.compile(
    r"\s*(?:according to|as (?:stated|described|mentioned|per)|based on|per|in|laut|gemäß|nach)\b[^.,\[【(]{0,40}"
    rf"(?:(?:{IDS.pattern})(?:\s*(?:and|und|,))?)+\s*,\s*",
    re.IGNORECASE,
)
_EMPTY_ASIDE = re.compile(r"\s*\((?:see|siehe|vgl\.?|cf\.?|source:?|quelle:?)?\s*\)", re.IGNORECASE)
_ID = re.compile(r"D?(\d+\.\d+)")
_PARTIAL_IDS = re.compile(
    r"\s*(?:[\[【(]\s*(?:(?:sources?|quellen?|ids?|passages?):?)?\s*(?:D\d*\.?[\d., ;&/Dandu]*[^\]】)\n]{0,80})?|"
    r"(?<!\w)D\d*\.?\d*|\s+)$"
)
_MARKER = re.compile(r"[ \t]*(?:>[ \t]*)*(?:(?:[-*•–+·]|\(?\d{1,3}[.)]|[a-zA-Z][)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_HEADING = re.compile(r"\s*(?:#{1,6}[ \t]|(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__):?[ \t]*$)")
_RULE = re.compile(r"\s*(?:\|?[\s:|-]*-{3,}[\s:|-]*|```\w*|\*{3,}|_{3,})\s*$")
_LABEL = re.compile(r"(?:the )?(?:passages?|sources?|ids?|answer|passagen?|quellen?|kennung|antwort)[.:]?$", re.I)
_LONGEST_QUOTATION = 400
_END = re.compile(r"[.!?…]+[\"'”’»«)\]*_]*")
_INTERJECTION = re.compile(r"\s*(?:yes|no|ja|nein|sure|correct|richtig|right)[.!,]\s*$", re.I)


@dataclass(frozen=True)
class Piece:
    """One statement as written. `lead + text` is its raw text without the ids; `cited` are the ids, in order, once.

    `claims` is false for what says nothing by itself: headings, table rules and header rows, "The plan covers:".
    """

    lead: str
    text: str
    raw: str
    cited: tuple[str, ...]
    claims: bool = True


class Splitter:
    """Feed it the answer as it streams; each call returns the pieces that are complete."""

    def __init__(self) -> None:
        self._rest = ""
        self._scanned = 0
        self._in_table = False

    @property
    def rest(self) -> str:
        """The raw text of the unfinished piece."""
        return self._rest

    def feed(self, text: str) -> list[Piece]:
        self._rest += text
        pieces: list[Piece] = []
        while (end := self._boundary()) is not None:
            pieces.append(self._cut(end))
        return pieces

    def finish(self) -> list[Piece]:
        """The last piece, when there is any."""
        rest, self._rest, self._scanned = self._rest, "", 0
        return [self._piece(rest)] if rest.strip() else []

    def _cut(self, end: int) -> Piece:
        raw, self._rest, self._scanned = self._rest[:end], self._rest[end:], 0
        return self._piece(raw)

    def _boundary(self) -> int | None:
        """Where the first piece ends, or None while that cannot be known yet."""
        text = self._rest
        start = len(text) - len(text.lstrip())
        at = max(self._scanned, start + _MARKER.match(text, start).end() - start)  # type: ignore[union-attr]
        table_row = text.startswith("|", start)
        while at < len(text):
            stop = self._stop(text, at, table_row)
            if stop is None:
                break
            end = _after_ids(text, stop)
            if end is None:
                self._scanned = max(start, stop - 1) if text[stop - 1] == "\n" else _word_start(text, stop)
                return None
            if self._ends(text, start, stop, end):
                return end
            at = max(stop, at + 1)
        self._scanned = max(self._scanned, _word_start(text, len(text)))
        return None

    def _stop(self, text: str, at: int, table_row: bool) -> int | None:
        """The next place after which a piece may end: behind a sentence's last sign, or before a line break."""
        newline = text.find("\n", at)
        mark = None if table_row or text.lstrip().startswith("#") else _END.search(text, at)
        if mark and (newline < 0 or mark.start() < newline):
            return mark.end()
        return newline if newline >= 0 else None

    def _ends(self, text: str, start: int, stop: int, end: int) -> bool:
        if text[stop : stop + 1] == "\n" or "\n" in text[stop:end]:
            return bool(text[start:stop].strip())
        if end == stop and not text[end].isspace():
            return False  # 3.5, example.com
        if _INTERJECTION.match(text[start:stop]):
            return False  # "Yes." claims nothing without the sentence after it
        before = text[start:stop]
        if stop - start < _LONGEST_QUOTATION and _inside_quotation(before):
            return False
        return _is_sentence_end(before, text[end:].lstrip())

    def _piece(self, raw: str) -> Piece:
        marker = _MARKER.match(raw, len(raw) - len(raw.lstrip()))
        lead = raw[: marker.end()] if marker else ""
        shown, cited = without_ids(raw[len(lead) :])
        row = raw.lstrip().startswith("|")
        claims = not (row and not self._in_table) and not _says_nothing(shown)
        self._in_table = row
        return Piece(lead, shown, raw, cited, claims)


def without_ids(raw: str) -> tuple[str, tuple[str, ...]]:
    """The text without its citation ids, and the ids ("D3.12") in order, once each. "According to [D3.12], ..." loses
    its opening, too."""
    cited: dict[str, None] = {}
    for match in IDS.finditer(raw):
        for number in _ID.findall(match.group()):
            cited[f"D{number}"] = None
    if not cited:
        return raw, ()
    opening = _ACCORDING.match(raw)
    if opening:
        raw = raw[opening.end() :]
        raw = raw[:1].upper() + raw[1:]
    return _EMPTY_ASIDE.sub("", IDS.sub("", raw)), tuple(cited)


def showable(rest: str) -> str:
    """As much of an unfinished piece as can be shown: ids removed, what may become one held back."""
    partial = _PARTIAL_IDS.search(rest, max(0, len(rest) - 120))
    return without_ids(rest[: partial.start()] if partial else rest)[0]


def _after_ids(text: str, stop: int) -> int | None:
    """Behind the citations (and line breaks before them) that follow `stop`; None when more text must come first."""
    at = stop
    while match := IDS.match(text, at):
        at = match.end()
    if at > stop and text[at : at + 1] in (".", ",", ";"):
        at += 1
    following = text[at:].lstrip()
    if not following:
        return None
    if following[0] in "[【(" and "]" not in following and "】" not in following and ")" not in following:
        return at if len(following) > 90 or "\n" in following else None
    return at


def _inside_quotation(before: str) -> bool:
    opened = before.count("„") + before.count("»")
    closed = before.count("«") + before.count("“")
    english = before.count("“") > before.count("”") and not before.count("„")
    return before.count('"') % 2 == 1 or opened > closed or english


def _is_sentence_end(before: str, following: str) -> bool:
    words = before.rstrip("\"'”’»«)]*_").split()
    last = words[-1] if words else ""
    if not last.endswith("."):
        return True
    word = last.rstrip(".").lstrip("(\"'„“[*").casefold()
    nxt = following.lstrip("\"'„“«»([*_")[:12]
    if last.endswith("...") or not nxt:
        return not nxt[:1].islower()
    if word.isdigit() and len(word) <= 2:
        previous = words[-2].casefold().lstrip("(") if len(words) > 1 else ""
        return not (nxt[0].islower() or _MONTH_NEXT.match(nxt) or previous in ARTICLES_BEFORE_ORDINALS)
    if nxt[0].islower():
        return False
    if word in ABBREVIATIONS_AT_ENDS or (word in ABBREVIATIONS_OF_NUMBERS and not nxt[0].isdigit()):
        return True
    return not (word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()))


def _says_nothing(text: str) -> bool:
    bare = text.strip().strip("*_").strip()
    if not any(c.isalnum() for c in bare) or _RULE.match(text) or _LABEL.match(bare):
        return True
    if _HEADING.match(text):
        return True
    return bare.endswith(":") and not any(c.isdigit() for c in bare)


def _word_start(text: str, stop: int) -> int:
    """A place from which scanning again sees the whole last word and its signs."""
    return max(0, text.rfind(" ", 0, max(0, stop - 1)))
