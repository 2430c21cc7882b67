"""Bytes to text when nobody says how they were written: byte order mark, UTF-8, UTF-16, the declared name, a guess.

Windows-1252 is tried before statistics (`encoding_guess.py`): it is what old German and English files are written in,
and short ones (a price list of ten lines) carry too little text for statistics to tell it from its neighbours.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from ingestion.parsers.encoding_guess import guessed
from ingestion.types import Refused

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 200_000  # bytes that statistics look at
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")


def read_text(path: Path, declared: str = "") -> str:
    """The file as text. Raises `Refused` "empty" (no bytes, or only white space) or "unknown_type" (not text)."""
    data = path.read_bytes()
    text = decode(data, declared)
    if not text.strip("\ufeff\0 \t\r\n\v\f"):
        raise Refused("empty", "This file is empty. Check the original and upload it again.")
    if is_binary(text):
        raise Refused("unknown_type", "This file does not hold text that can be read.")
    return text


def decode(data: bytes, declared: str = "") -> str:
    """`data` as text. `declared` is a charset the file itself names; it is believed only if the bytes agree."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, errors="replace")
    wide = _wide(data)
    if wide:
        return data.decode(wide, errors="replace")
    for name in ("utf-8", declared):
        text = _strictly(data, name)
        if text is not None:
            return text
    return _nearly_utf8(data) or guessed(data)


def is_binary(text: str) -> bool:
    """True if `text` holds more control and replacement characters than any text file does."""
    sample = text[:_SAMPLE]
    return len(_CONTROLS.findall(sample)) > max(2, len(sample) // 100)


def _wide(data: bytes) -> str:
    """The UTF-16 byte order of `data` when it has no mark: every other byte of Latin text is zero."""
    sample = data[:2_000]
    if len(sample) < 8:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.4 and even < half * 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.4 and odd < half * 0.05 else ""


def _nearly_utf8(data: bytes) -> str:
    """UTF-8 that is cut off within its last letter, or into which a program wrote single lines in Windows-1252; ""
    for anything else."""
    try:
        whole = codecs.getincrementaldecoder("utf-8")().decode(data)
        return "" if whole.isascii() else whole
    except UnicodeDecodeError:
        lines = data.splitlines(keepends=True)
    texts = [_strictly(line, "utf-8") for line in lines]
    right = sum(text is not None and not text.isascii() for text in texts)
    if right < max(1, texts.count(None)):
        return ""
    pairs = zip(lines, texts, strict=True)
    return "".join(line.decode("cp1252", "replace") if text is None else text for line, text in pairs)


def _strictly(data: bytes, name: str) -> str | None:
    """`data` decoded as `name`, or None. A web page that says "latin-1" means Windows-1252 (WHATWG Encoding)."""
    if name.lower().replace("_", "-") in {"iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii"}:
        name = "cp1252"
    try:
        return data.decode(name) if name and codecs.lookup(name)._is_text_encoding else None
    except (LookupError, UnicodeError, ValueError):
        return None
