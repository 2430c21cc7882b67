"""Plain text and Markdown, their encodings, and how long lines are broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import silent

from ingestion.parsers import text
from ingestion.parsers.encoding import decode
from ingestion.parsers.lines import LONG, UNBROKEN, broken, clean, lines
from ingestion.parsers.whole import whole
from ingestion.types import Parsed, Refused

MARKDOWN = """\
---
title: "Hausordnung"
stand: 2026-05-12
---

# Ruhezeiten #

Von **22 Uhr** bis `6 Uhr`, siehe [Plan](https://example.org/plan)
und <mailto:haus@example.org>.

3. eins
4. zwei
   - drei

| Tag | Zeit |
|---|---|
| Mo | 8-12 |

```sh
  run --now
```
<!-- hidden --><p>Absatz in <b>HTML</b></p>
"""


def test_markdown(tmp_path: Path) -> None:
    parsed = markdown(tmp_path, MARKDOWN)
    assert parsed.title == "Hausordnung"
    assert [(block.kind, block.level, block.text) for block in parsed.pages[0].blocks] == [
        ("metadata", 0, 'title: "Hausordnung"\nstand: 2026-05-12'),
        ("heading", 1, "Ruhezeiten"),
        ("paragraph", 0, "Von 22 Uhr bis 6 Uhr, siehe Plan (https://example.org/plan)\nund haus@example.org."),
        ("list", 0, "3. eins"),
        ("list", 0, "4. zwei"),
        ("list", 0, "- drei"),
        ("table", 0, "Tag\tZeit\nMo\t8-12"),
        ("code", 0, "  run --now"),
        ("paragraph", 0, "Absatz in HTML"),
    ]
    assert parsed.pages[0].blocks[6].header == "Tag\tZeit"


def test_a_line_on_top_is_no_front_matter_without_keys(tmp_path: Path) -> None:
    parsed = markdown(tmp_path, "---\n\nText\n\n---\n\nMore\n")
    assert [block.kind for block in parsed.pages[0].blocks] == ["paragraph", "paragraph"]


@pytest.mark.parametrize(
    "content", [">" * 3_000 + " deep", "".join("  " * n + "- x\n" for n in range(300)) + "deep", "<!-- deep"]
)
def test_markdown_that_its_parser_drops_is_read_as_text(tmp_path: Path, content: str) -> None:
    assert "deep" in markdown(tmp_path, content).pages[0].text


def test_text_keeps_its_source_lines_and_paragraphs(tmp_path: Path) -> None:
    parsed = plain(tmp_path, b"Titel\r\nZeile 2\r\n\r\n\tspalte   a\x0cneu\n\n\n  ende ")
    assert [[line.text for line in block.lines] for block in parsed.pages[0].blocks] == [
        ["Titel", "Zeile 2"],
        ["    spalte   a", "neu"],
        ["  ende"],
    ]


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("Größe für 5 €", "cp1252"),
        ("Größe für 5 €", "utf-16-le"),
        ("Größe für 5 €", "utf-16"),
        ("Größe für 5 €", "utf-8-sig"),
        ("Größe für 5 €", "utf-32"),
        ("Прайс-лист компании на 2026 год, доставка три дня", "cp1251"),
        ("Zażółć gęślą jaźń, proszę państwa", "cp1250"),
        ("Καλημέρα κόσμε, ο τιμοκατάλογος της εταιρείας", "iso8859-7"),
        ("価格表です。東京の会社の製品一覧", "cp932"),
    ],
)
def test_encodings(content: str, encoding: str) -> None:
    assert decode(content.encode(encoding)) == content


@pytest.mark.parametrize(
    "content",
    [
        "Köln ist schön und öde. Kosten: 5 Euro",
        "Größe der Überweisung\nAnlage für Müller: Äpfel",
    ],
)
@pytest.mark.parametrize("encoding", ["cp850", "cp1252", "iso8859-15", "utf-8"])
def test_german_of_all_ages(content: str, encoding: str) -> None:
    assert decode(content.encode(encoding)) == content


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("Größe 1.234,56 € Müller, Œuvre", "iso8859-15"),
        ("Le cœur du système coûte 5 €, la sœur aussi", "iso8859-15"),
        ("Nimm ½ Liter und 2½ Löffel; ¼l Öl", "cp1252"),
        ("He said “yes” — don’t… »ja« „nein“ Müller", "cp1252"),
        ("Größe der Überweisung\rAnlage für Müller: Äpfel", "mac_roman"),
        ("┌───┬──┐\n│Größe│5│\n└───┴──┘\nÜbergröße", "cp850"),
        ("Smlouva o dílo: cena činí 1000 korun. Do třiceti dnů. Příliš žluťoučký kůň úpěl.", "iso8859-2"),
        ("Umowa sprzedaży: w ciągu trzydziestu dni, cena tysiąc złotych, łódź", "cp1250"),
    ],
)
def test_code_pages_are_told_apart(content: str, encoding: str) -> None:
    assert decode(content.encode(encoding)) == content


def test_lines_of_another_code_page_and_a_cut_off_end_spoil_nothing_else() -> None:
    lines = ["Größe eins\n".encode(), "Größe zwei\n".encode("cp1252"), b"three\n", "Größe".encode()]
    assert decode(b"".join(lines)) == "Größe eins\nGröße zwei\nthree\nGröße"
    assert decode("Größe und Köln".encode()[:-5] + b"\xc3") == "Größe und "


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b" \n\t\0", "empty"),
        ("\u200b\u2028".encode(), "empty"),
        (bytes(range(256)) * 8, "unknown_type"),
    ],
)
def test_refusals(tmp_path: Path, data: bytes, code: str) -> None:
    for reader in (plain, markdown):
        with pytest.raises(Refused) as refused:
            reader(tmp_path, data)
        assert refused.value.code == code


def test_long_lines_are_broken_after_sentences() -> None:
    sentence = "This is a sentence of some length, and it ends here. "
    pieces = broken(sentence * 30)
    assert all(piece.endswith(".") and len(piece) <= LONG for piece in pieces)


@given(st.text(alphabet=st.sampled_from("ab.! \n\u00a0\u00ad\u200b\ud800é"), max_size=3_000))
def test_breaking_loses_nothing_but_white_space(content: str) -> None:
    found = [line.text for line in lines(content)]
    assert "".join("".join(found).split()) == "".join(clean(content).split())
    assert all(len(piece) <= UNBROKEN for piece in found)


@given(st.text(max_size=20))
def test_numbers_in_markup_may_be_anything(content: str) -> None:
    assert 0 <= whole(content, 7, 100) <= 100


@given(st.binary(max_size=300))
def test_any_bytes_decode(data: bytes) -> None:
    clean(decode(data)).encode("utf-8")


def plain(folder: Path, data: bytes) -> Parsed:
    (folder / "a.txt").write_bytes(data)
    return text.read(folder / "a.txt", silent)


def markdown(folder: Path, data: bytes | str) -> Parsed:
    (folder / "a.md").write_bytes(data if isinstance(data, bytes) else data.encode())
    return text.read_markdown(folder / "a.md", silent)
