"""Pieces of a line put together."""

from __future__ import annotations

import pytest

from ingestion.layout.rows import to_rows
from ingestion.layout.types import Segment
from ingestion.types import Box


@pytest.mark.parametrize("pieces", [(")טופס", "4711", "( במערכת"), ("(טופס", "4711", ") במערכת")])
def test_brackets_of_right_to_left_text_open_before_they_close(pieces: tuple[str, ...]) -> None:
    """PDFium turns the brackets of files that say what they mean, and of files that say how they look."""
    ends = (200, 150, 128)
    line = [Segment(text, Box(x - 48, 10, x, 20), 10, False) for text, x in zip(pieces, ends, strict=True)]
    (row,) = to_rows([line[0], Segment(pieces[1], Box(130, 10, 150, 20), 10, False), line[2]])
    assert row.text.replace(" ", "") == "(טופס4711)במערכת"
