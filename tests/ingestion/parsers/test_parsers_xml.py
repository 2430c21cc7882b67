"""XML: values keep the names of their elements; nothing is fetched or expanded."""

from __future__ import annotations

from pathlib import Path

from ingestion.parsers.xml_text import read
from ingestion.types import Parsed


def xml(tmp_path: Path, text: str, encoding: str = "utf-8") -> Parsed:
    path = tmp_path / "a.xml"
    path.write_bytes(text.encode(encoding))
    return read(path, lambda done, total: None)


def test_records_and_running_text(tmp_path: Path) -> None:
    rows = "<row><part>PPR-9087</part><price>12,50</price></row><row><part>PPR-9088</part><price>3</price></row>"
    text = f'<list unit="EUR"><!-- no --><name>Köln</name>{rows}<note>Some <b>bold</b> text.</note></list>'
    parsed = xml(tmp_path, f'<?xml version="1.0" encoding="ISO-8859-1"?>{text}', "iso-8859-1")
    assert [(one.kind, one.text) for one in parsed.pages[0].blocks] == [
        ("paragraph", "unit: EUR\nname: Köln\nnote: Some bold text."),
        ("heading", "row"),
        ("table", "part\tprice\nPPR-9087\t12,50\nPPR-9088\t3"),
    ]


def test_entities_are_neither_fetched_nor_expanded(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE a [<!ENTITY e0 "x">{entities}<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&e11;&f; end</a>'
    text = xml(tmp_path, bomb).pages[0].text
    assert "root:" not in text
    assert len(text) < 2_000


def test_broken_xml_is_read_as_text_and_said(tmp_path: Path) -> None:
    parsed = xml(tmp_path, "<a><b>Frist 14 Tage</a>")
    assert "Frist 14 Tage" in parsed.pages[0].text
    assert [one.code for one in parsed.warnings] == ["broken_xml"]
    assert [one.code for one in xml(tmp_path, "<a>" * 100_000).warnings] == ["broken_xml"]
