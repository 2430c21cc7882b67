"""The words beside a number: a unit or currency ("30 calendar days", "87 per cent"), a scale ("3 million")."""

from __future__ import annotations

import re

from app.questions.vocabulary import SCALES, UNITS

_AFTER = re.compile(r"[ -]?(?P<w>%|°c|[€$£]|[^\W\d_]+\$?)\.?", re.I)
_ENDS = frozenset({"and", "or", "und", "oder", "to", "bis", "of", "in", "per", "pro", "a", "the", "each"})


def is_money_or_share(word: str) -> bool:
    """Whether a word only says what a number counts: percent or a currency."""
    return len(UNITS.get(word.casefold(), "")) in (1, 3) and not UNITS[word.casefold()].islower()


def is_unit(word: str) -> bool:
    """Whether a word is a unit or currency, and so belongs to its number."""
    return word.casefold() in UNITS or word.casefold() in SCALES


def scale_after(text: str, at: int) -> tuple[int, int] | None:
    """Of a scale that begins at `at`: its power of ten and its length in characters."""
    match = _AFTER.match(text, at)
    power = SCALES.get(match["w"].casefold()) if match else None
    return (power, match.end() - at) if match and power else None


def unit_after(text: str, at: int) -> tuple[str, int]:
    """The unit beside a number that ends at `at`, one word in between allowed, and where it ends; without one, no
    unit."""
    match = _AFTER.match(text, at)
    if not match:
        return "", at
    unit = UNITS.get(match["w"].casefold(), "")
    if unit or match.group().endswith("."):
        return unit, match.end()
    if text[at : at + 5].casefold() == " per ":  # "87 per cent"
        return ("%", at + 9) if text[at + 5 : at + 9].casefold() == "cent" else ("", at)
    second = _AFTER.match(text, match.end())
    if not second or match["w"].casefold() in _ENDS:
        return "", at
    return UNITS.get(second["w"].casefold(), ""), second.end()
