"""Binary workbooks (XLSB) without LibreOffice: values under their names, and that formats are missing is said."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from office_files import silent
from xlsb_files import workbook

from ingestion.parsers import sheets_old
from ingestion.sniff import sniff
from ingestion.types import Refused


def test_sheets_of_a_binary_workbook(tmp_path: Path) -> None:
    rows = [["Artikel", "Preis", "Aktiv"], ["Tür", 5.5, True], ["Öl", 7, None]]
    (tmp_path / "a.xlsb").write_bytes(workbook({"Preise": rows, "Alt": [["geheim"]]}, hidden=("Alt",)))
    assert sniff(tmp_path / "a.xlsb", "a.xlsb") == "xlsb"
    parsed = sheets_old.read_xlsb(tmp_path / "a.xlsb", silent)
    assert [(page.label, page.blocks[-1].text) for page in parsed.pages] == [
        ("Preise", "Artikel\tPreis\tAktiv\nTür\t5.5\tTRUE\nÖl\t7"),
        ("Alt", "geheim"),
    ]
    assert parsed.pages[0].blocks[-1].header == "Artikel\tPreis\tAktiv"
    assert [warning.code for warning in parsed.warnings] == ["number_formats", "hidden_sheet"]


def test_a_broken_binary_workbook_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.xlsb", "w") as file:
        file.writestr("[Content_Types].xml", "<Types/>")
        file.writestr("xl/workbook.bin", b"\x83\x01\xff\xff")
    with pytest.raises(Refused) as refused:
        sheets_old.read_xlsb(tmp_path / "a.xlsb", silent)
    assert refused.value.code in ("damaged", "empty")
