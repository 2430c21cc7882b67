"""Rich text as Outlook compresses it (MS-OXRTFCP), in its own files and in what it packs into a mail."""

from __future__ import annotations

from contextlib import suppress

import compressed_rtf


def rich_text(data: bytes) -> bytes:
    """The RTF file; nothing where the data is broken."""
    with suppress(Exception):  # the library raises bare exceptions on broken data
        return bytes(compressed_rtf.decompress(data)) if data else b""
    return b""
