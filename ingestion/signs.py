"""Signs that mean something by how they are set: raised figures, and letters of fonts that show signs in their place.

Without them ten to the power of six reads 106, 20 °C reads 20 C, and a ticked box like an empty one.
"""

from __future__ import annotations

TICKED, UNTICKED = "☒", "☐"
_RAISED = str.maketrans("0123456789+-−()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾")
_PRIVATE = 0xF000  # programs put the letters of such fonts from here on
_GREEK = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψω"
_SYMBOL = dict(zip(map(ord, "ABGDEZHQIKLMNXOPRSTUFCYWabgdezhqiklmnxoprstufcyw"), _GREEK, strict=True)) | {
    **dict(
        zip(
            b"\xa2\xa3\xa5\xac\xad\xae\xaf\xb0\xb1\xb2\xb3\xb4\xb6\xb7\xb8\xb9\xba\xbb\xbc",
            "′≤∞←↑→↓°±″≥×∂•÷≠≡≈…",
            strict=True,
        )
    ),
    **dict(zip(b"\xd6\xd7\xde\xe5\xf2", "√⋅⇒∑∫", strict=True)),
}
_WINGDINGS = dict(
    zip(
        b"\x28\x2a\x46\x4a\x6c\x6e\x6f\x71\x72\x75\x76\x77\x9f\xa7\xa8\xd8\xdf\xe0\xe1\xe2\xe8\xf0\xfb\xfc\xfd\xfe",
        "☎✉☞☺●■☐☐☐◆❖◆•▪☐➢←→↑↓➔⇨✗✓☒☑",
        strict=True,
    )
)
_WINGDINGS_2 = dict(zip(b"\x4f\x50\x51\x52\x53\x54\xa3", "✗✓☒☑☒☒☐", strict=True))
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}
# Where the font is not known: what one of them shows and the others hardly ever do
_ANY = {
    _PRIVATE + code: table[code]
    for code, table in (
        *((code, _SYMBOL) for code in b"\xa3\xa5\xae\xb0\xb1\xb3\xb4\xb7\xb9\xbb"),
        *((code, _WINGDINGS) for code in b"\x6f\x71\xa7\xa8\xd8\xe0\xfb\xfc\xfd\xfe"),
    )
}


def raised(text: str) -> str:
    """Superscript figures as such; letters ("1st") stay as they are."""
    plain = text.strip()
    known = plain.isascii() and plain.lstrip("+-(").rstrip(")").isdecimal()
    return text.translate(_RAISED) if known or plain in ("+", "-", "−") else text


def sign(font: str, code: int) -> str:
    """What `font` shows for the letter `code`; "" where it is not known."""
    return _FONTS.get(font.strip().lower(), {}).get(code & 0xFF, "")


def known_signs(text: str) -> str:
    """`text` with the letters that stand for signs replaced by these, as far as they can be told without the font."""
    return text.translate(_ANY)
