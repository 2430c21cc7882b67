"""What a signed S/MIME mail holds when text and signature are one piece (CMS SignedData, RFC 5652): the mail inside.

Only the outer structure is walked, nothing is verified; an encrypted one has no content that could be taken out.
"""

from __future__ import annotations

from collections.abc import Iterator

_SIGNED = bytes.fromhex("2a864886f70d010702")  # 1.2.840.113549.1.7.2
_SEQUENCE, _OCTETS, _OCTETS_IN_PIECES, _OID, _INNER = 0x30, 0x04, 0x24, 0x06, 0xA0
_DEEPEST = 6


def signed_content(data: bytes) -> bytes | None:
    """The signed bytes; None if it is anything else."""
    try:
        info = _only(data, _SEQUENCE)
        (kind, oid), (_, wrapped) = list(_elements(info))[:2]
        if kind != _OID or oid != _SIGNED:
            return None
        fields = list(_elements(_only(wrapped, _SEQUENCE)))
        holder = next(value for tag, value in fields if tag == _SEQUENCE)  # encapContentInfo
        inner = next(value for tag, value in _elements(holder) if tag == _INNER)
        return b"".join(_octets(inner, 0)) or None
    except (ValueError, StopIteration, IndexError):
        return None


def _octets(data: bytes, depth: int) -> Iterator[bytes]:
    """Long contents come in pieces."""
    if depth > _DEEPEST:
        raise ValueError
    for tag, value in _elements(data):
        if tag == _OCTETS:
            yield value
        elif tag == _OCTETS_IN_PIECES:
            yield from _octets(value, depth + 1)


def _only(data: bytes, wanted: int) -> bytes:
    tag, value = next(_elements(data))
    if tag != wanted:
        raise ValueError
    return value


def _elements(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Tag and content of each element (X.690); of one without a length, up to its end mark."""
    at = 0
    while at + 2 <= len(data):
        tag, start, end, after = _element(data, at, 0)
        if tag == 0 and start == end:
            return
        yield tag, data[start:end]
        at = after


def _element(data: bytes, at: int, depth: int) -> tuple[int, int, int, int]:
    """Tag, where its content begins and ends, where the next element begins."""
    if depth > 30:
        raise ValueError
    tag, length, start = data[at], data[at + 1], at + 2
    if length == 0x80:
        inner = start
        while data[inner : inner + 2] != b"\0\0":
            inner = _element(data, inner, depth + 1)[3]
        return tag, start, inner, inner + 2
    if length & 0x80:
        size = length & 0x7F
        length, start = int.from_bytes(data[start : start + size], "big"), start + size
    if start + length > len(data):
        raise ValueError
    return tag, start, start + length, start + length
