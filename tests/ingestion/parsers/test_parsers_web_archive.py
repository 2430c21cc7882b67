"""Web pages in one file, and workbooks in one XML file."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest
from office_files import silent

from ingestion.parsers import sheets_xml, web_archive
from ingestion.types import Refused


def test_the_page_is_read_and_what_belongs_to_it_is_not(tmp_path: Path) -> None:
    message = EmailMessage()
    message["Subject"] = "Preise"
    page = '<html><head><meta charset="utf-8"><title>Preisliste</title></head><h1>Größe</h1><p>Text'
    message.set_content(page.encode(), "text", "html", cte="quoted-printable")
    message.make_related()
    message.add_related("p { color: red }", "css")
    message.add_related(b"x", "image", "png")
    message.add_related("<p>In the frame", "html")
    (tmp_path / "a.mht").write_bytes(message.as_bytes())
    found = web_archive.read(tmp_path / "a.mht", silent)
    assert [block.text for block in found.pages[0].blocks] == ["Größe", "Text", "In the frame"]
    assert (found.title, found.attachments, found.warnings) == ("Preisliste", (), ())


@pytest.mark.parametrize("data", [b"MIME-Version: 1.0\n\n", b"Content-Type: text/html\n\n<script>x</script>"])
def test_an_archive_that_shows_nothing_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.mht").write_bytes(data)
    with pytest.raises(Refused) as refused:
        web_archive.read(tmp_path / "a.mht", silent)
    assert refused.value.code == "no_text"


def workbook(*rows: str, name: str = "Preise") -> str:
    return (
        '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" '
        'xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">'
        f'<Worksheet ss:Name="{name}"><Table>{"".join(rows)}</Table></Worksheet></Workbook>'
    )


def cell(text: str, kind: str = "String", **attributes: int) -> str:
    said = " ".join(f'ss:{name}="{value}"' for name, value in attributes.items())
    return f'<Cell {said}><Data ss:Type="{kind}">{text}</Data></Cell>'


def test_cells_stand_under_their_names(tmp_path: Path) -> None:
    rows = (
        f"<Row>{cell('Preise 2026', MergeAcross=2)}</Row>",
        f"<Row ss:Index='3'>{cell('Artikel')}{cell('Seit')}{cell('Preis')}</Row>",
        f"<Row>{cell('Tür')}{cell('5.5', 'Number', Index=3)}</Row>",
        f"<Row>{cell('Tor')}{cell('2026-03-01T00:00:00.000', 'DateTime')}{cell('7', 'Number')}</Row>",
        f"<Row>{cell('Uhr')}{cell('2026-03-01T08:30:00.000', 'DateTime')}{cell('1', 'Boolean')}</Row>",
    )
    (tmp_path / "a.xls").write_text(workbook(*rows), encoding="utf-8")
    (page,) = sheets_xml.read(tmp_path / "a.xls", silent).pages
    assert [block.text for block in page.blocks] == [
        "Preise",
        "Preise 2026",
        "Artikel\tSeit\tPreis\nTür\t\t5.5\nTor\t2026-03-01\t7\nUhr\t2026-03-01 08:30\tTRUE",
    ]
    assert page.blocks[2].header == "Artikel\tSeit\tPreis"


def test_a_workbook_without_cells_or_with_entities_is_refused(tmp_path: Path) -> None:
    for markup, code in ((workbook(), "empty"), (workbook()[:-20], "damaged")):
        (tmp_path / "a.xls").write_text(markup, encoding="utf-8")
        with pytest.raises(Refused) as refused:
            sheets_xml.read(tmp_path / "a.xls", silent)
        assert refused.value.code == code


def test_cells_that_claim_to_lie_far_apart_are_refused(tmp_path: Path) -> None:
    far = f"<Row>{cell('x', Index=16384)}</Row>"
    (tmp_path / "a.xls").write_text(workbook(*[far] * 1_000), encoding="utf-8")
    with pytest.raises(Refused) as refused:
        sheets_xml.read(tmp_path / "a.xls", silent)
    assert refused.value.code == "too_large"
