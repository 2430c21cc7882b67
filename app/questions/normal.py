"""Text made comparable without losing the way back: Unicode NFKC, one kind of dash, quote and space, with offsets.

Digits that mean something else are kept apart from plain ones: 10² does not become 102, and 5½ not 51/2.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_DASHES = dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-")
_QUOTES = {**dict.fromkeys("‘’‚‛′`´", "'"), **dict.fromkeys("“”„‟«»″", '"')}
_DROPPED = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_SIMPLE = str.maketrans({**_DASHES, **_QUOTES, **dict.fromkeys(_DROPPED, "")})


@dataclass(frozen=True)
class Normal:
    """A normalised text; character i came from `source[starts[i]:ends[i]]`."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def source_range(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the source of normalised characters [start, end); empty ranges are not allowed."""
        return self.starts[start], self.ends[end - 1]


def normalise(source: str) -> Normal:
    """Normalised text with the way back to the source's offsets; runs of white space become one space."""
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(source):
        piece = fold(source[start:end])
        if piece[:1] == " " and chars and chars[-1] == " ":
            ends[-1] = end
            piece = piece[1:]
        for char in piece:
            chars.append(char)
            starts.append(start)
            ends.append(end)
    return Normal("".join(chars), tuple(starts), tuple(ends))


def plain(source: str) -> str:
    """The normalised text alone, white space at the ends removed."""
    simple = source.translate(_SIMPLE)
    if simple.isascii() or unicodedata.is_normalized("NFKC", simple):
        return " ".join(simple.split())
    return normalise(source).text.strip()


def fold(cluster: str) -> str:
    """One character with its combining marks, normalised."""
    if len(cluster) == 1:
        known = _DASHES.get(cluster) or _QUOTES.get(cluster)
        if known:
            return known
        if cluster in _DROPPED:
            return ""
        if cluster.isspace():
            return " "
        if cluster.isascii():
            return cluster
        return _compatible(cluster)
    return unicodedata.normalize("NFKC", cluster)


def _compatible(char: str) -> str:
    kind = unicodedata.decomposition(char)
    folded = unicodedata.normalize("NFKC", char)
    if kind.startswith(("<super>", "<sub>")) and folded.isdigit():
        return "^" + folded
    if kind.startswith("<fraction>"):
        return " " + folded.replace("\u2044", "/")
    return " ".join(folded.split()) or " "


def _clusters(source: str) -> list[tuple[int, int]]:
    if source.isascii():
        return [(i, i + 1) for i in range(len(source))]
    found: list[tuple[int, int]] = []
    for i, char in enumerate(source):
        if found and unicodedata.combining(char):
            found[-1] = (found[-1][0], i + 1)
        else:
            found.append((i, i + 1))
    return found
