"""Normalised text and the way back to its source."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.questions.normal import normalise, plain


@pytest.mark.parametrize(
    ("source", "normal"),
    [
        ("a\u00a0–\n b", "a - b"),
        ("insur\u00adance", "insurance"),
        ("ﬁle", "file"),
        ("“x” ’s", '"x" \'s'),
        ("10²", "10^2"),
        ("5½", "5 1/2"),
        ("e\u0301", "é"),
        ("１２", "12"),
    ],
)
def test_normal_form(source: str, normal: str) -> None:
    assert plain(source) == normal


@given(st.text())
def test_every_character_leads_back_to_its_source(source: str) -> None:
    normal = normalise(source)
    assert len(normal.text) == len(normal.starts) == len(normal.ends)
    assert list(normal.starts) == sorted(normal.starts)
    for i in range(len(normal.text)):
        start, end = normal.source_range(i, i + 1)
        assert 0 <= start < end <= len(source)
    assert "  " not in normal.text


@given(st.text())
def test_the_short_way_leads_to_the_same_text(source: str) -> None:
    assert plain(source) == normalise(source).text.strip()


@given(st.text(st.characters(categories=["Lu", "Ll", "Nd"])))
def test_letters_and_digits_are_compatible_forms(source: str) -> None:
    assert all(unicodedata.normalize("NFKC", c) for c in normalise(source).text)
