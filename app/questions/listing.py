"""Enumerations in a statement ("dental, vision and hearing care"): each of their items has to be found by itself.

Most of a statement's words are enough to prove it (`matching.COVERED`), but of a list that would let a third of the
items be made up.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from app.questions.normal import plain
from app.questions.words import CONNECTIVE_STEMS, content_stems

_LAST = r"(?:and|or|und|oder|sowie|as well as)"
_LIST = re.compile(rf"[^,;:.()]+(?:,\s+(?!{_LAST}\s)[^,;:.()]+)+,?\s+{_LAST}\s+[^,;:.()]+", re.IGNORECASE)
_BETWEEN = re.compile(rf",\s+(?:{_LAST}\s+)?|\s+{_LAST}\s+", re.IGNORECASE)
MOST_WORDS = 5  # content words; what is longer is no item but a clause


@dataclass(frozen=True)
class Item:
    """One thing of an enumeration: its words, and their stems."""

    words: str
    stems: frozenset[str]


def items(text: str) -> tuple[Item, ...]:
    """The items of the enumerations in `text`, of three and more each, without words that several share ("dental care,
    vision care"). Of the first only the last word that is left: before it stands the sentence's beginning; of the last
    only the first one: the sentence may go on."""
    found: list[Item] = []
    for listed in _LIST.finditer(plain(text)):
        parts = [part for part in _BETWEEN.split(listed[0]) if part.strip()]
        if len(parts) < 3:
            continue
        read = _without_shared([_content(part) for part in parts])
        found += [_item(read[0][-1:]), *(_item(words) for words in read[1:-1]), _item(read[-1][:1])]
    return tuple(item for item in found if item.stems and len(item.stems) <= MOST_WORDS)


def _content(part: str) -> list[tuple[str, str]]:
    """Stem and word of what carries content, in their order."""
    return [(stem, word) for stem, word in content_stems(part).items() if stem not in CONNECTIVE_STEMS]


def _without_shared(parts: list[list[tuple[str, str]]]) -> list[list[tuple[str, str]]]:
    many = Counter(stem for part in parts for stem, _ in part)
    return [[(stem, word) for stem, word in part if many[stem] == 1] for part in parts]


def _item(words: list[tuple[str, str]]) -> Item:
    return Item(" ".join(word for _, word in words), frozenset(stem for stem, _ in words))
