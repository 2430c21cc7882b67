"""Whole numbers written in markup, where anything may stand in a number's place."""

from __future__ import annotations


def whole(text: str | None, default: int, most: int) -> int:
    """The number from 0 that `text` is, at most `most`; `default` if it is none."""
    text = (text or "").strip()
    if not (text.isascii() and text.isdigit()) or len(text) > 12:
        return default
    return min(int(text), most)
