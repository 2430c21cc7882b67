"""RTF as tokens (Rich Text Format 1.9.1): groups, control words, characters of a code page, plain bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?[0-9]{1,10})? ?"
    rb"|\\'(?P<hex>[0-9a-fA-F]{2})"
    rb"|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<brace>[{}])"
    rb"|(?P<bytes>[^\\{}\r\n\x00]+)"
    rb"|[\\\r\n\x00]",
    re.DOTALL,
)
_SIGNS = {b"~": " ", b"_": "-", b"-": "", b":": "", b"|": ""}

Kind = Literal["open", "close", "word", "star", "bytes", "byte", "text"]


class Token(NamedTuple):
    """`data` for "bytes" and "byte" (one character of a code page), `text` for "word" and "text"."""

    kind: Kind
    text: str = ""
    number: int | None = None
    data: bytes = b""


def tokens(data: bytes) -> Iterator[Token]:
    """The tokens of an RTF file. Binary data (\\bin) is passed over."""
    at = 0
    while match := _TOKEN.match(data, at):
        at = match.end()
        kind = match.lastgroup
        if kind == "bytes":
            yield Token("bytes", data=match["bytes"])
        elif kind in ("word", "number"):
            word, number = match["word"].decode("ascii"), match["number"]
            if word == "bin":
                at += max(int(number or 0), 0)
            else:
                yield Token("word", word, int(number) if number is not None else None)
        elif kind == "hex":
            yield Token("byte", data=bytes([int(match["hex"], 16)]))
        elif kind == "brace":
            yield Token("open" if match["brace"] == b"{" else "close")
        elif kind == "sign":
            yield _sign(match["sign"])


def _sign(sign: bytes) -> Token:
    if sign == b"*":
        return Token("star")
    if sign in b"\\{}":
        return Token("byte", data=sign)
    if sign in b"\r\n":  # the same as \par
        return Token("word", "par")
    return Token("text", _SIGNS.get(sign, ""))
