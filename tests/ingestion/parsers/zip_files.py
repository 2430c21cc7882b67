"""Zip archives made for tests, odd ones too."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Mapping


def packed(files: Mapping[str, bytes], *, links: tuple[str, ...] = ()) -> bytes:
    """A zip of these files; those named in `links` are symbolic links."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = ((stat.S_IFLNK if name in links else stat.S_IFREG) | 0o644) << 16
            archive.writestr(info, data)
    return out.getvalue()


def renamed(data: bytes, old: bytes, new: bytes) -> bytes:
    """A name replaced by one of the same length in any encoding, the flag for UTF-8 taken away."""
    assert len(old) == len(new)
    changed = bytearray(data.replace(old, new))
    for mark, at_flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(mark)
        while at >= 0:
            changed[at + at_flag + 1] &= ~0x08 & 0xFF
            at = changed.find(mark, at + 4)
    return bytes(changed)


def locked(data: bytes, name: bytes) -> bytes:
    """The member `name` marked as encrypted."""
    changed = bytearray(data)
    for mark, at_flag, at_name in ((b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)):
        at = changed.find(mark)
        while at >= 0:
            if changed[at + at_name : at + at_name + len(name)] == name:
                changed[at + at_flag] |= 1
            at = changed.find(mark, at + 4)
    return bytes(changed)
