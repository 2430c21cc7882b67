"""Is the text of a PDF page what the page shows? A page may be a picture, or its fonts may not say which letters they
hold; then its picture has to be recognised instead."""

from __future__ import annotations

import re
from collections import Counter
from typing import Literal

import numpy as np

from ingestion.layout.segments import REPLACED, WORD_HYPHEN
from ingestion.layout.types import PageRows
from ingestion.parsers.pdf_text import PageText
from ingestion.parsers.pdfium import Pictured

Doubt = Literal["", "picture", "garbled", "odd"]

FEW_LETTERS = 60  # a page with fewer may be a scan with a page number
STAMPED = 400  # a page that is one picture and has fewer may be a scan with a stamp or a fax machine's line
WHOLE = 0.8  # share of the page that a scan covers
ENOUGH = 80  # letters from which it can be told whether they make words
TINY, TINY_LETTERS = 1.5, 10  # points of height, and letters of that, which are no accident
VOWELS = frozenset("aeiouyäöüáéíóúàèìòùâêîôûãõåæøœëïAEIOUYÄÖÜÁÉÍÓÚÀÈÌÒÙÂÊÎÔÛÃÕÅÆØŒËÏ")
MOJIBAKE = re.compile("[\u00c2\u00c3][\u0080-\u00bf\u2013-\u203a]|\u00e2\u20ac")
CAPITAL_WITHIN = re.compile(r"[a-z][A-Z]")


def doubt_about(text: PageText, rows: PageRows, pictured: Pictured) -> Doubt:
    """ "picture": there is none, or too little; "garbled": it is certainly wrong; "odd": it may be, so that the page's
    picture has to decide."""
    undecoded, dense = _undecoded(text), _dense(rows)
    signs = Counter(dense)
    if text.unmapped > 0.3 or undecoded > 0.2 or _few_letters(signs):
        return "garbled"
    if _is_picture(rows, pictured):
        return "picture"
    return "odd" if text.unmapped > 0.05 or undecoded > 0.02 or _looks_odd(dense, signs) else ""


def is_tiny(rows: PageRows) -> bool:
    """Is there text that nobody can see, because it is printed too small?"""
    low = [row for region in rows.regions for row in region if row.box.y1 - row.box.y0 < TINY and not row.aside]
    return sum(len(row.text) for row in low) >= TINY_LETTERS


def _undecoded(text: PageText) -> float:
    """Share of the characters that stand for nothing: control characters, letters of private use."""
    codes = text.codes[(text.codes > 32) | (text.codes < 9)]
    codes = codes[(codes != WORD_HYPHEN) & (codes != 0)]
    if not len(codes):
        return 0.0
    strange = codes[(codes < 32) | (codes >= 0x7F)]  # few, where the text is decoded well
    bad = (strange < 0xA0) | ((strange >= 0xE000) & (strange < 0xF900)) | (strange == 0xFFFD)
    bad &= ~np.isin(strange, list(REPLACED))
    return float(bad.sum() / len(codes))


def _few_letters(signs: Counter[str]) -> bool:
    """Signs where letters should be, or letters of private use."""
    private = sum(times for sign, times in signs.items() if "\ue000" <= sign < "\uf900")
    plain = sum(times for sign, times in signs.items() if sign.isalnum())
    return private * 3 > signs.total() or (signs.total() >= 4 and plain * 3 < signs.total())


def _is_picture(rows: PageRows, pictured: Pictured) -> bool:
    if not rows.regions:
        return pictured.anything
    if rows.letters < FEW_LETTERS:
        return pictured.image > 0.5
    return pictured.image > WHOLE and rows.letters < STAMPED and not pictured.layer


def _looks_odd(dense: str, signs: Counter[str]) -> bool:
    """Latin letters that make no words of any language: shifted codes, or UTF-8 read as something else."""
    if not dense.isascii() and len(MOJIBAKE.findall(dense)) * 300 > len(dense):
        return True
    latin = {sign: times for sign, times in signs.items() if sign.isalpha() and sign < "\u0250"}
    letters = sum(latin.values())
    if letters < ENOUGH:
        return False
    vowels = sum(times for sign, times in latin.items() if sign in VOWELS) / letters
    return not 0.2 < vowels < 0.65 or len(CAPITAL_WITHIN.findall(dense)) > 0.15 * letters


def _dense(rows: PageRows) -> str:
    """All that is printed, without white space."""
    return "".join("".join(cell for region in rows.regions for row in region for cell in row.cells).split())
