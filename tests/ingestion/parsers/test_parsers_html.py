"""Web pages: what a browser shows is read, what it does not show is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from office_files import silent

from ingestion.parsers import html
from ingestion.types import Block, Parsed, Refused


def test_structure(tmp_path: Path) -> None:
    markup = """<title>A &amp; B</title><nav>Menu</nav><h2>Rules<br>2026</h2><p>One <b>bold</b>
        word.</p>loose text<ul><li>first<li>second<ol start=4><li>inner</ol></ul><pre>  x = 1
  y</pre>"""
    parsed = read(tmp_path, markup)
    assert parsed.title == "A & B"
    assert [(block.kind, block.level, block.text) for block in parsed.pages[0].blocks] == [
        ("heading", 2, "Rules 2026"),
        ("paragraph", 0, "One bold word."),
        ("paragraph", 0, "loose text"),
        ("list", 0, "- first"),
        ("list", 0, "- second"),
        ("list", 0, "4. inner"),
        ("code", 0, "  x = 1\n  y"),
    ]


def test_what_is_not_shown_is_not_read(tmp_path: Path) -> None:
    markup = """<p>Shown<script>var cool</script><style>p{}</style><noscript>no</noscript><template>t</template></p>
        <p hidden>h</p><p style="display : none">d</p><p style="color:red;visibility:hidden">v</p><!-- comment -->
        <p style="font-size:0">z</p><p style="font-size:0.9em">small</p>"""
    assert text(read(tmp_path, markup)) == "Shown\n\nsmall"


def test_tables_with_spans_lists_and_tables_in_cells(tmp_path: Path) -> None:
    markup = """<table><caption>Prices</caption>
        <thead><tr><th>Region<th colspan=2>2026</tr><tr><th><th>H1<th>H2</tr></thead>
        <tr><td rowspan=2>North<td>1<td><ul><li>a<li>b</ul></tr>
        <tr><td>2<td>x<table><tr><th>k<th>v<tr><td>K<td>V</table></tr>
        <tr><td colspan=2>wide<td>3</tr></table>"""
    caption, outer, inner = read(tmp_path, markup).pages[0].blocks
    assert caption.text == "Prices"
    assert outer.header == "Region\t2026 H1\t2026 H2"
    assert [line.text for line in outer.lines] == [outer.header, "North\t1\ta; b", "North\t2\tx", "wide\t\t3"]
    assert inner.text == "k\tv\nK\tV"


def test_tables_that_arrange_a_page_are_read_as_text(tmp_path: Path) -> None:
    markup = "<table><tr><td><h1>News</h1><p>Text</td><td>Side</td></tr></table>"
    assert [block.kind for block in read(tmp_path, markup).pages[0].blocks] == ["heading", "paragraph", "paragraph"]


@pytest.mark.parametrize(
    "data",
    [
        "<p>Preis 5 € für Käse".encode("cp1252"),
        '<meta charset="iso-8859-1"><p>Preis 5 € für Käse'.encode("cp1252"),
        '<meta charset="utf-8"><p>Preis 5 € für Käse'.encode("utf-16"),
        '<?xml version="1.0" encoding="iso-8859-15"?><p>Preis 5 € für Käse</p>'.encode("iso-8859-15"),
        b"<p>Preis 5 &euro; f&uuml;r K&#228;se",
    ],
)
def test_charsets(tmp_path: Path, data: bytes) -> None:
    assert text(read(tmp_path, data)) == "Preis 5 € für Käse"


def test_entities_of_a_dtd_are_not_expanded(tmp_path: Path) -> None:
    markup = '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/hostname">]><p>Text &x;</p>'
    assert "Text &x;" in text(read(tmp_path, markup))


def test_invisible_characters_do_not_split_or_hide_words(tmp_path: Path) -> None:
    assert text(read(tmp_path, "<p>Un&shy;ter&#8203;nehmen\U000e0041\U000e0042 &#8238;ok</p>")) == "Unternehmen ok"


@pytest.mark.parametrize("open_tag", ["<div>", "<b>", "<ul><li>", "<table><tr><td>a<td>"])
def test_deep_nesting_is_read_or_refused_but_never_lost(tmp_path: Path, open_tag: str) -> None:
    assert "deep" in text(read(tmp_path, open_tag * 200 + "deep"))
    with pytest.raises(Refused) as refused:
        read(tmp_path, open_tag * 50_000 + "deep")
    assert refused.value.code == "damaged"


def test_spans_cannot_blow_a_table_up(tmp_path: Path) -> None:
    row = "<tr>" + "<td rowspan=65534 colspan=65534>x</td>" * 5 + "</tr>"
    found: tuple[Block, ...] = read(tmp_path, f"<table>{row * 40}</table>").pages[0].blocks
    assert len(found[0].text) < 100_000


def test_a_page_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        read(tmp_path, "<script>render()</script>")
    assert refused.value.code == "no_text"


def read(folder: Path, data: bytes | str) -> Parsed:
    (folder / "a.html").write_bytes(data if isinstance(data, bytes) else data.encode())
    return html.read(folder / "a.html", silent)


def text(parsed: Parsed) -> str:
    return parsed.pages[0].text
