"""E-books: the spine decides the order, protection is refused, bombs do not go off."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from ingestion.parsers.epub import read
from ingestion.types import Refused

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="O/b.opf"/></rootfiles></container>"""
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>Bergbuch</dc:title><dc:creator>A. Müller</dc:creator></metadata>
<manifest><item id="two" href="2.xhtml"/><item id="one" href="Teil%201.xhtml"/>
<item id="nav" href="nav.xhtml" properties="nav"/></manifest>
<spine><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/><itemref idref="lost"/></spine></package>"""
TABLE = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"


def quiet(done: int, total: int) -> None:
    pass


def book(tmp_path: Path, **more: str) -> Path:
    parts = {
        "META-INF/container.xml": CONTAINER,
        "O/b.opf": PACKAGE,
        "O/nav.xhtml": "<html><body><nav><ol><li>Anfang</li></ol></nav></body></html>",
        "O/Teil 1.xhtml": "<html><body><h1>Anfang</h1><p>Köln</p><script>cool script</script></body></html>",
        "O/2.xhtml": f"<html><body><h1>Ende</h1>{TABLE}</body></html>",
    }
    path = tmp_path / "a.epub"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in {**parts, **more}.items():
            archive.writestr(name, text)
    return path


def test_chapters_come_in_the_order_of_the_spine_without_navigation_and_scripts(tmp_path: Path) -> None:
    parsed = read(book(tmp_path), quiet)
    assert (parsed.title, parsed.has_pages, parsed.outcome) == ("Bergbuch", False, "text")
    assert [page.text for page in parsed.pages] == [
        "Title: Bergbuch\nAuthor: A. Müller\n\nAnfang\n\nKöln",
        "Ende\n\na\tb\n1\t2",
    ]


def test_a_chapter_that_is_missing_is_named(tmp_path: Path) -> None:
    parsed = read(book(tmp_path, **{"O/b.opf": PACKAGE.replace("2.xhtml", "lost.xhtml")}), quiet)
    assert parsed.outcome == "partial"
    assert "O/lost.xhtml" in parsed.warnings[0].text


def test_a_book_under_copy_protection_is_refused_one_with_protected_fonts_is_not(tmp_path: Path) -> None:
    def encryption(method: str, uri: str) -> str:
        data = f'<EncryptedData><EncryptionMethod Algorithm="{method}"/><CipherReference URI="{uri}"/></EncryptedData>'
        return f'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">{data}</encryption>'

    aes = encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "O/2.xhtml")
    with pytest.raises(Refused) as refused:
        read(book(tmp_path, **{"META-INF/encryption.xml": aes}), quiet)
    assert refused.value.code == "password_protected"
    fonts = encryption("http://www.idpf.org/2008/embedding", "O/font.otf")
    assert read(book(tmp_path, **{"META-INF/encryption.xml": fonts}), quiet).pages


def test_a_chapter_that_inflates_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        read(book(tmp_path, **{"O/2.xhtml": "<p>" + " " * (70 << 20)}), quiet)
    assert refused.value.code in ("inflates", "damaged")


def test_entities_and_references_to_the_outside_come_to_nothing(tmp_path: Path) -> None:
    evil = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + PACKAGE.replace("Bergbuch", "B&e;")
    parsed = read(book(tmp_path, **{"O/b.opf": evil}), quiet)
    assert "root:" not in parsed.pages[0].text


def test_a_book_without_its_package_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        read(book(tmp_path, **{"META-INF/container.xml": "<container/>"}), quiet)
    assert refused.value.code == "damaged"
