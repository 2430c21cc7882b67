"""Letters of an RTF text, which come as bytes of a code page or as units of UTF-16 with bytes for old programs after
them: gathered until they can be put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ingestion.parsers.rtf_tokens import Token


class Letters:
    """`passing`: characters of a fallback that are still to come."""

    def __init__(self) -> None:
        self.passing = 0
        self._runs: list[tuple[bool, bytearray]] = []  # whether it is UTF-16, and the bytes

    def take(self, token: Token, fallback: int, *, seen: bool) -> bool:
        """True if the token was a letter; one that is not `seen` is only counted. `fallback`: how many stand for a
        letter in old programs."""
        if token.kind in ("bytes", "byte"):
            passed = min(self.passing, len(token.data))
            self.passing -= passed
            self._add(False, token.data[passed:] if seen else b"")
        elif token.kind == "word" and token.text == "u":
            self._add(True, ((token.number or 0) & 0xFFFF).to_bytes(2, "little") if seen else b"")
            self.passing = fallback
        elif token.kind == "text" and self.passing:
            self.passing -= 1
        else:
            return False
        return True

    def taken(self, decode: Callable[[bytes], str]) -> Iterator[str]:
        """What was gathered, as text; `decode` knows the code page."""
        runs, self._runs, self.passing = self._runs, [], 0
        for wide, data in runs:
            yield data.decode("utf-16-le", "replace") if wide else decode(bytes(data))

    def _add(self, wide: bool, data: bytes) -> None:
        if data and (not self._runs or self._runs[-1][0] != wide):
            self._runs.append((wide, bytearray()))
        if data:
            self._runs[-1][1].extend(data)
