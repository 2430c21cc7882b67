"""Strings that PDFium writes into a buffer."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any


def wide(read: Callable[[Any, int], int]) -> str:
    """A UTF-16 string that PDFium writes after telling its size in bytes."""
    size = read(None, 0)
    if not 2 < size < 1 << 20:
        return ""
    buffer = ctypes.create_string_buffer(size)
    read(buffer, size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")
