"""Is the text of a PDF page what the page shows? A page may be a picture, or its fonts may not say which letters they
hold; then its picture has to be recognised instead."""

from __future__ import annotations

import re
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
VOWELS = frozenset("aeiouyäöüáéíóúàèìòùâêîôûãõåæøœëïAEIOUYÄÖÜÁÉÍÓÚÀÈÌÒÙÂÊÎÔÛÃÕÅÆØŒËÏ")
MOJIBAKE = re.compile("[\u00c2\u00c3][\u0080-\u00bf\u2013-\u203a]|\u00e2\u20ac")
CAPITAL_WITHIN = re.compile(r"[a-z][A-Z]")


def doubt_about(text: PageText, rows: PageRows, pictured: Pictured) -> Doubt:
    """ "picture": there is none, or too little; "garbled": it is certainly wrong; "odd": it may be, so that the page's
    picture has to decide."""
    if text.unmapped > 0.3 or _undecoded(text) > 0.2 or _few_letters(rows):
        return "garbled"
    if _is_picture(rows, pictured):
        return "picture"
    return "odd" if _looks_odd(rows) or text.unmapped > 0.05 or _undecoded(text) > 0.02 else ""


def _undecoded(text: PageText) -> float:
    """Share of the characters that stand for nothing: control characters, letters of private use."""
    codes = text.codes[(text.codes > 32) | (text.codes < 9)]
    codes = codes[(codes != WORD_HYPHEN) & (codes != 0)]
    bad = (codes < 32) | ((codes >= 0x7F) & (codes < 0xA0)) | ((codes >= 0xE000) & (codes < 0xF900)) | (codes == 0xFFFD)
    bad &= ~np.isin(codes, list(REPLACED))
    return float(bad.mean()) if len(codes) else 0.0


def _few_letters(rows: PageRows) -> bool:
    """Signs where letters should be, or letters of private use."""
    text = _dense(rows)
    private = sum("\ue000" <= letter < "\uf900" for letter in text)
    plain = sum(map(str.isalnum, text))
    return private * 3 > len(text) or (len(text) >= 4 and plain * 3 < len(text))


def _is_picture(rows: PageRows, pictured: Pictured) -> bool:
    if not rows.regions:
        return pictured.anything
    if rows.letters < FEW_LETTERS:
        return pictured.image > 0.5
    return pictured.image > WHOLE and rows.letters < STAMPED and not pictured.layer


def _looks_odd(rows: PageRows) -> bool:
    """Latin letters that make no words of any language: shifted codes, or UTF-8 read as something else."""
    text = _dense(rows)
    if len(MOJIBAKE.findall(text)) * 300 > len(text):
        return True
    letters = [letter for letter in text if letter.isalpha() and letter < "\u0250"]
    if len(letters) < ENOUGH:
        return False
    vowels = sum(letter in VOWELS for letter in letters) / len(letters)
    return not 0.2 < vowels < 0.65 or len(CAPITAL_WITHIN.findall(text)) > 0.15 * len(letters)


def _dense(rows: PageRows) -> str:
    return "".join("".join(row.text.split()) for region in rows.regions for row in region)
