"""Passages: nothing lost, nothing twice, sizes kept, marks that lead back to the printed line."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.chunk import cut
from ingestion.types import Block, Box, Line, Page, Parsed, Passage

SIZE = 20


def count(text: str) -> int:
    """A stand-in for a tokenizer: words, and long words in pieces of six letters."""
    return sum(-(-len(word) // 6) for word in text.split())


def sentence(length: int, seed: int) -> str:
    """Words of one to nine letters, some ending a sentence; cheaper to draw than letters one by one."""
    return " ".join(
        f"{'abcdefghi'[: (seed + at * 7) % 9 + 1]}{'.' if (seed + at) % 5 == 0 else ''}" for at in range(length)
    )


numbers = st.integers(0, 99)
texts = st.builds(sentence, st.integers(1, 12), numbers)
long_texts = st.builds(sentence, st.integers(30, 90), numbers)
boxes = numbers.map(lambda n: Box(n, 2 * n, n + 100, 2 * n + 10))
lines = st.builds(Line, st.one_of(texts, texts, texts, long_texts, st.just("x" * 300)), st.none() | boxes)
plain = st.builds(
    Block, st.sampled_from(["paragraph", "list", "note", "code"]), st.lists(lines, min_size=1, max_size=5).map(tuple)
)
headings = st.builds(
    Block, st.just("heading"), st.lists(st.builds(Line, texts), min_size=1, max_size=2).map(tuple), st.integers(1, 4)
)


@st.composite
def tables(draw: st.DrawFn) -> Block:
    header = "\t".join(draw(st.lists(numbers.map(lambda n: sentence(1, n)), min_size=2, max_size=3)))
    rows = draw(st.lists(lines, min_size=0, max_size=6))
    first = [Line(header)] if draw(st.booleans()) or not rows else []
    return Block("table", (*first, *rows), header=header)


pages = st.lists(st.lists(st.one_of(plain, headings, tables()), max_size=4).map(tuple), min_size=0, max_size=3)
documents = st.builds(
    lambda blocks, has_pages: Parsed(
        "text", "text", tuple(Page(number, page) for number, page in enumerate(blocks, 1)), has_pages
    ),
    pages,
    st.booleans(),
)


def own_text(passage: Passage) -> str:
    """A passage's text without a table header it repeats."""
    return "".join(passage.text[mark.start : mark.end] for mark in passage.marks)


def letters(text: str) -> str:
    return re.sub(r"\s+", "", text)


@settings(max_examples=60, deadline=None)
@given(documents)
def test_no_text_is_lost_or_doubled(parsed: Parsed) -> None:
    passages = cut(parsed, SIZE, count)
    there = letters("".join(page.text for page in parsed.pages))
    headers = [block.header for page in parsed.pages for block in page.blocks if block.header]
    found = letters("".join(own_text(passage) for passage in passages))
    if headers:  # repeated headers come on top
        assert len(found) >= len(there)
        at = 0
        for letter in there:  # what is there stands in what was found, in the same order
            at = found.index(letter, at) + 1
    else:
        assert found == there


@settings(max_examples=60, deadline=None)
@given(documents)
def test_sizes_are_kept_and_told_truly(parsed: Parsed) -> None:
    for passage in cut(parsed, SIZE, count):
        assert passage.tokens == count(passage.text) <= SIZE
        assert passage.text == passage.text.rstrip().lstrip("\n ")  # a tab: the first cell is empty


@settings(max_examples=60, deadline=None)
@given(documents)
def test_marks_cover_the_text_and_lead_back_to_lines(parsed: Parsed) -> None:
    printed = {
        (page.number, line.box, letters(line.text))
        for page in parsed.pages
        for block in page.blocks
        for line in (*block.lines, Line(block.header))
    }
    for passage in cut(parsed, SIZE, count):
        end = 0
        for mark in passage.marks:
            assert mark.start >= end
            assert not passage.text[end : mark.start].strip()
            text = letters(passage.text[mark.start : mark.end])
            assert text
            assert any(
                text in whole
                for page, box, whole in printed
                if page == mark.page and (mark.box is None or box == mark.box)
            )
            end = mark.end
        assert end == len(passage.text)


@settings(max_examples=40, deadline=None)
@given(documents)
def test_no_passage_crosses_a_page_with_a_number(parsed: Parsed) -> None:
    for passage in cut(parsed, SIZE, count):
        pages = {mark.page for mark in passage.marks}
        assert not parsed.has_pages or len(pages) == 1


@settings(max_examples=20, deadline=None)
@given(documents)
def test_same_input_same_bytes(parsed: Parsed) -> None:
    assert cut(parsed, SIZE, count) == cut(parsed, SIZE, count)
    assert [p.ordinal for p in cut(parsed, SIZE, count)] == list(range(len(cut(parsed, SIZE, count))))


def one_page(*blocks: Block) -> Parsed:
    return Parsed("text", "text", (Page(1, blocks),))


def paragraph(*texts: str) -> Block:
    return Block("paragraph", tuple(Line(text) for text in texts))


def test_a_table_header_is_repeated_in_every_passage() -> None:
    rows = tuple(Line(f"Land {n}\t{n} Mio") for n in range(30))
    table = Block("table", (Line("Land\tEinwohner"), *rows), header="Land\tEinwohner")
    passages = cut(one_page(table), SIZE, count)
    assert len(passages) > 3
    assert all(passage.text.startswith("Land\tEinwohner\n") for passage in passages)


def test_a_table_header_without_a_name_for_the_first_column_stays_over_its_columns() -> None:
    table = Block(
        "table", (Line("\t2025\t2026"), *(Line(f"Land {n}\t{n}\t{n + 1}") for n in range(30))), header="\t2025\t2026"
    )
    passages = cut(one_page(table), SIZE, count)
    assert len(passages) > 3
    assert all(passage.text.startswith("\t2025\t2026\nLand") for passage in passages)


def test_a_header_that_is_no_row_of_its_own_comes_first_too() -> None:
    table = Block("table", (Line("a\tb"), Line("c\td")), header="Name\tValue")
    (passage,) = cut(one_page(table), SIZE, count)
    assert passage.text == "Name\tValue\na\tb\nc\td"


def test_headings_start_passages_and_make_the_path() -> None:
    sentence = "eins zwei drei vier fünf sechs sieben acht neun zehn elf."
    passages = cut(
        one_page(
            Block("heading", (Line("Urlaub"),), 1),
            paragraph(sentence),
            Block("heading", (Line("Antrag"),), 2),
            paragraph(sentence, sentence),
        ),
        SIZE,
        count,
    )
    assert [passage.text.split("\n")[0] for passage in passages] == ["Urlaub", "Antrag", sentence]
    assert [passage.headings for passage in passages] == [(), ("Urlaub",), ("Urlaub", "Antrag")]


def test_no_heading_stands_last() -> None:
    filler = "a b c d e f g h i."
    passages = cut(
        one_page(paragraph(filler, filler), Block("heading", (Line("Preise"),), 1), paragraph("Es kostet viel.")),
        22,
        count,
    )
    assert not any(passage.text.endswith("Preise") for passage in passages)


def test_a_short_rest_is_balanced_with_its_neighbour() -> None:
    lines = tuple(f"w{n} x y z" for n in range(6))  # 24 tokens: not 20 and 4
    assert [passage.tokens for passage in cut(one_page(paragraph(*lines)), SIZE, count)] == [12, 12]


def test_a_line_that_is_too_long_is_split_at_sentences() -> None:
    text = "Der erste Satz ist kurz. Der zweite auch nicht lang. " * 4
    passages = cut(one_page(paragraph(text)), SIZE, count)
    assert all(passage.text.endswith(".") for passage in passages)
    assert letters("".join(passage.text for passage in passages)) == letters(text)


def test_nothing_to_cut() -> None:
    assert cut(Parsed("text", "text", ()), SIZE, count) == []
    assert cut(one_page(paragraph("  ", "")), SIZE, count) == []


def test_a_passage_that_starts_with_a_heading_stands_under_the_higher_ones_only():
    blocks = (
        Block("heading", (Line("3 Leave"),), level=1),
        Block("heading", (Line("3.1 Claim"),), level=2),
        Block("paragraph", (Line("Thirty days a year are granted to everybody here. " * 4),)),
        Block("heading", (Line("3.2 Carrying over"),), level=2),
        Block("paragraph", (Line("Until the end of March of the following year. " * 4),)),
    )
    parsed = Parsed("text", "text", (Page(1, blocks),), has_pages=False)
    passages = cut(parsed, 50, lambda text: len(text.split()))
    second = next(passage for passage in passages if passage.text.startswith("3.2"))
    assert second.headings == ("3 Leave",)


def pages_of(*pages: tuple[Block, ...], label: str = "") -> Parsed:
    numbered = (Page(number, blocks, label=label and f"{label} {number}") for number, blocks in enumerate(pages, 1))
    return Parsed("pdf", "text", tuple(numbered))


def test_a_table_of_contents_is_no_heading_of_the_pages_after_it() -> None:
    contents = (Block("heading", (Line("Inhaltsverzeichnis"),), 1), paragraph("Urlaub 2", "Reisen 3"))
    passages = cut(pages_of(contents, (paragraph("Urlaub gibt es."),)), SIZE, count)
    assert [passage.headings for passage in passages] == [(), ()]


def test_a_heading_that_nothing_follows_does_not_reach_through_the_rest() -> None:
    title = (Block("heading", (Line("Handbuch"),), 1), Block("heading", (Line("Anlage 1"),), 2), paragraph("Text."))
    passages = cut(pages_of(title, *[(paragraph("Mehr Text."),)] * 20), SIZE, count)
    assert passages[1].headings == passages[10].headings == ("Handbuch", "Anlage 1")
    assert passages[11].headings == passages[20].headings == ("Handbuch",)


def test_slides_stand_under_their_own_headings() -> None:
    slides = pages_of(
        (Block("heading", (Line("Ziele"),), 1), paragraph("Mehr.")),
        (
            paragraph(
                "Ohne.",
            ),
        ),
        label="Slide",
    )
    assert [passage.headings for passage in cut(slides, SIZE, count)] == [(), ()]


def test_a_label_stays_with_what_it_names() -> None:
    filler = "a b c d e f g h i j k l."
    passages = cut(one_page(paragraph(filler), paragraph("Tips:"), paragraph(filler)), 20, count)
    assert [passage.text for passage in passages] == [filler, f"Tips:\n\n{filler}"]
