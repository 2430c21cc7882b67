"""Which code page old text is in: those of western Europe told by where their letters and signs stand, others by
statistics, which need more text than a price list has."""

from __future__ import annotations

import re

_SAMPLE = 200_000  # bytes that are looked at
_WESTERN = frozenset("äöüßÄÖÜéèêëàâáãåæçíìîïñóòôõøœúùûýÿÉÈÊËÀÂÁÃÅÆÇÍÌÎÏÑÓÒÔÕØŒÚÙÛÝšžŠŽ")
_SIGNS = frozenset("€£¥§©®™°±²³µ·½¼¾×÷–—‘’‚“”„†‡•…‰‹›«»¡¿ªº¢¶´¨¸¬¦ \u00a0\u00ad")
_FRAMES = frozenset(map(chr, range(0x2500, 0x25A0)))  # lines and blocks, which programs for DOS drew tables with
# Signs that no text in Windows-1252 has within a word: letters of DOS or Macintosh read wrongly
_AMISS = re.compile("[A-Za-z][‚„†‡ˆ‰‹Œ“”•˜™›Ž\u0081\u008d\u008f\u0090\u009d\ufffd§¤][a-zß-ÿ]")
_POLISH_READ_WRONGLY = re.compile("[a-z][¡¿¹³¼½¾ªº£¥¦¶¢µ±×÷°][a-z]")
_FRENCH = re.compile(r"[a-z]œ[a-z]|\b[Œœ][a-zé]{2}")
_BYTES_OF_WINDOWS = re.compile(rb"[\x80-\x9f]")
_CENTRAL = tuple(frozenset(letters) for letters in ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű"))


def guessed(data: bytes) -> str:
    """`data`, which is no Unicode, as text."""
    sample = data[:_SAMPLE]
    western = sample.decode("cp1252", errors="replace")
    if not _BYTES_OF_WINDOWS.search(sample) and _is_latin_9(sample.decode("iso8859-15"), western):
        return data.decode("iso8859-15", errors="replace")
    if _looks_western(western):
        return data.decode("cp1252", errors="replace")
    for name in ("cp850", "mac_roman"):
        if _AMISS.search(western) and _in_words(sample.decode(name, errors="replace")):
            return data.decode(name, errors="replace")
    if len(data) < 400 and _looks_japanese(data):
        return data.decode("cp932")
    return data.decode(_by_statistics(sample), errors="replace")


def _looks_western(text: str) -> bool:
    """True if what is not ASCII is letters and signs of western Europe, in the measure western text has."""
    foreign = [char for char in text if char > "\x7f"]
    letters = sum(char.isalpha() for char in text)
    known = sum(char in _WESTERN or char in _SIGNS for char in foreign)
    accented = sum(char in _WESTERN for char in foreign)
    inside = len(_POLISH_READ_WRONGLY.findall(text))
    amiss = len(_AMISS.findall(text))
    few = accented <= max(letters * 0.35, 8) and inside * 20 <= len(foreign)
    return known >= len(foreign) * 0.98 and few and amiss * 20 <= len(foreign)


def _is_latin_9(text: str, western: str) -> bool:
    """Latin-9 has the euro where Latin-1 has a sign for any currency, and œ where it has fractions."""
    return ("¤" in western or bool(_FRENCH.search(text))) and _looks_western(text)


def _in_words(text: str) -> bool:
    """Does nearly all that is not ASCII belong to words of western Europe (or to frames)?"""
    foreign = [at for at, char in enumerate(text) if char > "\x7f"]
    known = sum(text[at] in _WESTERN or text[at] in _SIGNS or text[at] in _FRAMES for at in foreign)
    letters = [at for at in foreign if text[at] in _WESTERN]
    beside = sum(text[at - 1 : at].isalpha() or text[at + 1 : at + 2].isalpha() for at in letters)
    return bool(letters) and known >= len(foreign) * 0.98 and beside >= len(letters) * 0.9


def _looks_japanese(data: bytes) -> bool:
    """Statistics need some hundred bytes; below that, text of kana, kanji and ASCII only is taken for Shift-JIS."""
    try:
        foreign = [char for char in data.decode("cp932") if char > "\x7f"]
    except UnicodeDecodeError:
        return False
    return all("\u3000" <= char <= "\u30ff" or "\u4e00" <= char <= "\u9fff" or char >= "\uff01" for char in foreign)


def _by_statistics(data: bytes) -> str:
    central = _central(data)
    if central:
        return central
    from charset_normalizer import from_bytes  # slow to load, and hardly ever needed

    best = from_bytes(data).best()
    return best.encoding if best else "cp1252"


def _central(data: bytes) -> str:
    """Windows and ISO put š, ž, ą in different places: which of them makes letters of one language? "" if neither."""
    shares = {name: _of_one_language(data.decode(name, errors="replace").lower()) for name in ("cp1250", "iso8859-2")}
    name = max(shares, key=lambda name: shares[name])
    return name if shares[name] >= 0.95 else ""


def _of_one_language(text: str) -> float:
    """The share of what is not ASCII that is letters of one language of central Europe, signs left aside."""
    foreign = [char for char in text if char > "\x7f" and char not in _SIGNS]
    return max(sum(char in letters for char in foreign) for letters in _CENTRAL) / max(len(foreign), 1)
