"""Pages whose content is damaged are named, sound ones are not."""

from __future__ import annotations

from pathlib import Path

from ingestion.parsers.pdf import read
from ingestion.parsers.pdf_streams import damaged_pages
from tests.ingestion.pdf_samples import column, make


def quiet(done: int, total: int) -> None:
    pass


def compressed(path: Path, pages: int) -> bytes:
    return make(path, *(column(at * 7, 20, x=72) for at in range(pages)), pageCompression=1).read_bytes()


def test_sound_pages(tmp_path: Path) -> None:
    compressed(tmp_path / "a.pdf", 3)
    assert damaged_pages(tmp_path / "a.pdf", 3) == []


def test_a_blank_page_with_an_empty_stream_is_sound(tmp_path: Path) -> None:
    body = b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
    body += b"2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n"
    body += b"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R>>\nendobj\n"
    body += b"4 0 obj\n<</Length 0/Filter/FlateDecode>>\nstream\n\nendstream\nendobj\n"
    (tmp_path / "a.pdf").write_bytes(body + b"trailer\n<</Root 1 0 R/Size 5>>\n%%EOF\n")
    assert damaged_pages(tmp_path / "a.pdf", 1) == []


def test_a_page_of_which_bytes_are_lost_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    body = b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
    body += b"2 0 obj\n<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>\nendobj\n"
    for page, content in ((3, 5), (4, 6)):
        body += b"%d 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents %d 0 R" % (page, content)
        body += b"/Resources<</Font<</F 7 0 R>>>>>>\nendobj\n"
    text = b"BT /F 12 Tf 20 200 Td (What is said on this page) Tj ET"
    body += b"5 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n" % (len(text), text)
    body += b"7 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n"
    for broken in (b"/JBIG2Decode", b"/FlateDecode"):
        damaged = b"6 0 obj\n<</Length 9/Filter%s>>\nstream\n\0\0\0\0\x30\0\1\0\0\nendstream\nendobj\n" % broken
        path = tmp_path / "a.pdf"
        path.write_bytes(body + damaged + b"trailer\n<</Root 1 0 R/Size 8>>\n%%EOF\n")
        parsed = read(path, quiet)
        assert parsed.outcome == "partial"
        assert "What is said" in parsed.pages[0].text
        assert [(warning.code, warning.page) for warning in parsed.warnings] == [("page_damaged", 2)]
