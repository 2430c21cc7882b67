"""What holds for the passages of any document whatever: each line once, in order, where it was printed, in its size."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.chunk import cut
from ingestion.types import Block, Box, Line, Mark, Page, Parsed

SIZE = 20


def words(text: str) -> int:
    """Words, and long words in pieces of six letters: parts add up to the whole."""
    return sum(-(-len(word) // 6) for word in text.split())


def awkward(text: str) -> int:
    """Like tokenizers that see text in context: line ends cost more than one token, bytes count, not letters."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 5) + 3 * text.count("\n")


counters = st.sampled_from([words, awkward])
plain_words = st.text("abcdefghi", min_size=1, max_size=9)
any_words = st.text(st.characters(exclude_categories=("Cs", "Zl", "Zp", "Zs", "Cc")), min_size=1, max_size=9)
odd_words = st.sampled_from(
    ["x" * 300, "é" * 90, "漢字" * 40, "👩‍👩‍👧‍👦" * 8, "שלום", "e\u0301", "1.234,56", "a\u2028b", "c\x0bd", "."]
)
some_words = st.one_of(plain_words, plain_words, any_words, odd_words)
texts = st.lists(some_words, min_size=1, max_size=14).map(" ".join)
rows = st.lists(st.one_of(st.just(""), plain_words, any_words), min_size=1, max_size=4).map("\t".join)
blanks = st.sampled_from(["", " ", "\t\t", "\n", "\u00a0"])
printed = st.one_of(texts, texts, texts, blanks)
plain = st.builds(
    lambda kind, texts: Block(kind, tuple(map(Line, texts))),
    st.sampled_from(["paragraph", "list", "note", "code", "metadata"]),
    st.lists(printed, min_size=0, max_size=5),
)
headings = st.builds(
    lambda text, level: Block("heading", (Line(text),), level), st.one_of(plain_words, texts), st.integers(0, 6)
)
tables = st.builds(
    lambda header, body, own: Block("table", tuple(map(Line, [header] * own + body)), header=header),
    st.one_of(rows, st.just("")),
    st.lists(st.one_of(rows, texts), min_size=0, max_size=7),
    st.booleans(),
)


def numbered(blocks: list[list[Block]], labels: list[str], has_pages: bool) -> Parsed:
    """A document whose every line has a place of its own, told by the left edge of its box."""
    serial = 0
    pages = []
    for number, page in enumerate(blocks, 1):
        placed = []
        for block in page:
            lines = []
            for line in block.lines:
                serial += 1
                lines.append(replace(line, box=Box(serial, 0, serial + 1, 1)))
            placed.append(replace(block, lines=tuple(lines)))
        pages.append(Page(number, tuple(placed), label=labels[number % len(labels)]))
    return Parsed("text", "text", tuple(pages), has_pages)


documents = st.builds(
    numbered,
    st.lists(st.lists(st.one_of(plain, headings, tables), max_size=5), max_size=3),
    st.sampled_from([[""], ["Sheet 1", ""]]),
    st.booleans(),
)


def letters(text: str) -> str:
    return re.sub(r"\s+", "", text)


def by_line(parsed: Parsed, count: Callable[[str], int]) -> dict[float, list[tuple[Mark, str]]]:
    """The marks of all passages with their texts, by the line they lead back to; 0 for those without a place."""
    found = defaultdict(list)
    for passage in cut(parsed, SIZE, count):
        for mark in passage.marks:
            found[mark.box.x0 if mark.box else 0].append((mark, passage.text[mark.start : mark.end]))
    return found


@settings(max_examples=80, deadline=None)
@given(documents, counters)
def test_each_line_comes_back_once_from_where_it_was_printed(parsed: Parsed, count: Callable[[str], int]) -> None:
    found = by_line(parsed, count)
    for page in parsed.pages:
        for block in page.blocks:
            for line in block.lines:
                assert line.box is not None
                pieces = found.pop(line.box.x0, [])
                together, whole = letters("".join(text for _, text in pieces)), letters(line.text)
                if block.header and line.text.rstrip() == block.header.rstrip() and whole:
                    assert together == whole * (len(together) // len(whole))  # repeated in every passage of the table
                    assert together
                else:
                    assert together == whole
                assert all(mark.page == page.number for mark, _ in pieces)
                assert all(text in line.text for _, text in pieces)
    headers = {letters(block.header) for page in parsed.pages for block in page.blocks}
    assert {letters(text) for _, text in found.pop(0, [])} <= headers  # a header that is no row has no place
    assert not found


@settings(max_examples=50, deadline=None)
@given(documents, counters)
def test_passages_follow_the_reading_order(parsed: Parsed, count: Callable[[str], int]) -> None:
    passages = cut(parsed, SIZE, count)
    assert [passage.ordinal for passage in passages] == list(range(len(passages)))
    headers = {letters(block.header) for page in parsed.pages for block in page.blocks if block.header}
    last = 0.0
    for passage in passages:
        for at, mark in enumerate(passage.marks):
            repeated = at == 0 and letters(passage.text[mark.start : mark.end]) in headers
            if mark.box is not None and not repeated:
                assert mark.box.x0 >= last
                last = mark.box.x0
        if parsed.has_pages:
            assert len({mark.page for mark in passage.marks}) == 1


@settings(max_examples=50, deadline=None)
@given(documents, counters)
def test_no_passage_is_larger_than_allowed(parsed: Parsed, count: Callable[[str], int]) -> None:
    for passage in cut(parsed, SIZE, count):
        assert passage.tokens == count(passage.text)
        assert passage.tokens <= SIZE
        assert passage.text.strip()


@settings(max_examples=40, deadline=None)
@given(documents, counters)
def test_marks_cover_the_text_without_overlap(parsed: Parsed, count: Callable[[str], int]) -> None:
    for passage in cut(parsed, SIZE, count):
        end = 0
        for mark in passage.marks:
            assert end <= mark.start < mark.end
            assert not passage.text[end : mark.start].strip()
            end = mark.end
        assert end == len(passage.text)


@settings(max_examples=20, deadline=None)
@given(documents, counters)
def test_same_document_same_passages(parsed: Parsed, count: Callable[[str], int]) -> None:
    assert cut(parsed, SIZE, count) == cut(replace(parsed), SIZE, count)


@settings(max_examples=40, deadline=None)
@given(documents, counters)
def test_headings_stand_above_what_follows_them(parsed: Parsed, count: Callable[[str], int]) -> None:
    blocks = (block for page in parsed.pages for block in page.blocks if block.kind == "heading")
    titles = {" ".join(block.text.split())[:120].rstrip() for block in blocks}
    for passage in cut(parsed, SIZE, count):
        assert set(passage.headings) <= titles


@pytest.mark.parametrize("count", [words, awkward])
def test_a_letter_that_is_larger_than_a_passage_stands_alone(count: Callable[[str], int]) -> None:
    """The one thing that cannot be made smaller: a single character of more tokens than a passage may have."""
    parsed = Parsed("text", "text", (Page(1, (Block("paragraph", (Line("a 漢 b"),)),)),))
    passages = cut(parsed, 4, lambda text: 9 if "漢" in text else count(text))
    assert "漢" in [passage.text for passage in passages]
    assert [passage.tokens for passage in passages if "漢" not in passage.text] != []
