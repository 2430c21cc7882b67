"""Which script is a page in? Tesseract reads Korean with English letters if it is asked to, and is not ashamed of it.

What was read well is blotted out, and Tesseract's script detection looks at the rest. It needs some fifty characters,
so a foreign word or two in a page goes unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ingestion.ocr.words import Word, mean_confidence

EAST_ASIAN = frozenset({"Han", "Hangul", "Korean", "Japanese", "Hiragana", "Katakana", "HanS", "HanT"})
LATIN = frozenset({"Latin", "Fraktur"})
LANGUAGES = {
    "Korean": ("kor",),
    "Hangul": ("kor",),
    "Japanese": ("jpn", "jpn_vert"),
    "Hiragana": ("jpn", "jpn_vert"),
    "Katakana": ("jpn", "jpn_vert"),
    "Han": ("chi_sim", "chi_tra", "chi_sim_vert", "chi_tra_vert"),
    "Cyrillic": ("rus", "ukr", "bul", "srp", "bel", "mkd", "kaz", "kir", "mon", "tat", "tgk", "uzb_cyrl", "aze_cyrl"),
    "Greek": ("ell", "grc"),
    "Arabic": ("ara", "fas", "urd", "pus", "snd", "uig"),
    "Hebrew": ("heb", "yid"),
    "Thai": ("tha",),
    "Devanagari": ("hin", "mar", "nep", "san"),
    "Bengali": ("ben", "asm"),
    "Tamil": ("tam",),
    "Telugu": ("tel",),
    "Kannada": ("kan",),
    "Malayalam": ("mal",),
    "Gujarati": ("guj",),
    "Gurmukhi": ("pan",),
    "Oriya": ("ori",),
    "Sinhala": ("sin",),
    "Georgian": ("kat", "kat_old"),
    "Armenian": ("hye",),
    "Ethiopic": ("amh", "tir"),
    "Khmer": ("khm",),
    "Lao": ("lao",),
    "Myanmar": ("mya",),
    "Tibetan": ("bod", "dzo"),
    "Cherokee": ("chr",),
    "Thaana": ("div",),
    "Syriac": ("syr",),
    "Canadian_Aboriginal": ("iku",),
}  # likeliest first; all others are written in Latin letters
READ_WELL = 80.0  # mean confidence of a line that certainly is what it was read as
INK = 128  # darker is print
UNREAD = 0.08  # share of a page's ink outside of what was read well, from which it is looked at
SURE_SCRIPT, NO_WORDS = 1.0, 50.0  # the script is believed if surely told, or if what was read is hardly believed
PAD = 4  # pixels around a word that are its own

Pixels = NDArray[np.uint8]
SCRIPT = re.compile(r"^Script: (\w+)$", re.MULTILINE)
CONFIDENCE = re.compile(r"^Script confidence: ([\d.]+)$", re.MULTILINE)


@dataclass(frozen=True)
class Script:
    name: str
    confidence: float


def told(output: str) -> Script | None:
    """What Tesseract's detection printed."""
    name, sure = SCRIPT.search(output), CONFIDENCE.search(output)
    return Script(name.group(1), float(sure.group(1))) if name and sure else None


def readable(languages: Iterable[str]) -> frozenset[str]:
    """The scripts that can be read with `languages`, as Tesseract calls both. Whoever reads one East Asian script is
    trusted with all: their signs are shared, and the detection mixes them up."""
    found = set(LATIN)
    for language in languages:
        own = {script for script, written in LANGUAGES.items() if language in written}
        found |= own or {language.rpartition("/")[2].removesuffix("_vert")}
    return frozenset(found | EAST_ASIAN if found & EAST_ASIAN else found)


def suggested(script: str) -> str:
    """The language to add to the settings."""
    return LANGUAGES[script][0] if script in LANGUAGES else f"script/{script}"


def well_read(words: Sequence[Word]) -> list[Word]:
    """Those in lines that certainly are what they were read as."""
    found: list[Word] = []
    for _, of_line in groupby(words, key=lambda word: word.line):
        line = list(of_line)
        if mean_confidence(line) >= READ_WELL:
            found += line
    return found


def rest(pixels: Pixels, words: Sequence[Word], scale: float) -> Pixels | None:
    """The page with what was read well blotted out, None where next to nothing is left. `scale`: pixels of the page for
    one of those that `words` were found in."""
    ink = int((pixels < INK).sum())
    left = pixels.copy()
    for word in well_read(words):
        x0, y0, x1, y1 = (int(edge * scale) for edge in (word.x0, word.y0, word.x1, word.y1))
        left[max(y0 - PAD, 0) : y1 + PAD, max(x0 - PAD, 0) : x1 + PAD] = 255
    return left if int((left < INK).sum()) > UNREAD * ink else None


def foreign(script: Script | None, words: Sequence[Word], languages: Iterable[str]) -> str:
    """The script that the rest of a page is in, if it is certain that it is none that can be read; else ""."""
    if script is None or script.name in readable(languages):
        return ""
    well = {id(word) for word in well_read(words)}
    doubtful = mean_confidence([word for word in words if id(word) not in well])
    return script.name if script.confidence >= SURE_SCRIPT or doubtful < NO_WORDS else ""
