"""Which code page bytes of an RTF file are in: the document's, or that of the font they are set in."""

from __future__ import annotations

import codecs

# Character sets of fonts (Windows): those that are not here are in the document's own code page
_CHARSETS = {
    77: "mac_roman",
    78: "cp932",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gbk",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    255: "cp437",
}
_DOCUMENT = {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}


class Fonts:
    """Learned from the font table while it goes by."""

    def __init__(self) -> None:
        self.default: int | None = None
        self._document = "cp1252"
        self._pages: dict[int, str] = {}

    def document(self, word: str, number: int | None) -> None:
        """The document's code page: \\ansi, \\mac, \\pc, \\pca or \\ansicpg."""
        self._document = _DOCUMENT.get(word) or _page(number) or self._document

    def learn(self, font: int, word: str, number: int | None) -> None:
        """What the font table says of a font: \\fcharset or \\cpg."""
        page = _page(number) if word == "cpg" else _CHARSETS.get(number or 0)
        if page:
            self._pages[font] = page

    def decode(self, data: bytes, font: int | None) -> str:
        """The text of `data` set in `font`. What its code page does not have is tried in the document's."""
        own = self._pages.get(self.default if font is None else font, self._document)  # type: ignore[arg-type]
        for page in (own, self._document):
            try:
                return data.decode(page)
            except UnicodeDecodeError:
                continue
        return data.decode(own, "replace")


def _page(number: int | None) -> str:
    """Python's name of a Windows code page, or "" if it knows none."""
    names = {
        0: "cp1252",
        708: "iso8859_6",
        709: "iso8859_6",
        936: "gbk",
        1361: "johab",
        10000: "mac_roman",
        65001: "utf-8",
    }
    name = names.get(number or 0, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return ""
