"""`beleg inspect` shows files in files, and refuses what holds nothing that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.inspect import inspect_file
from app.config import Settings
from tests.app.documents.files import mail
from tests.ingestion.parsers.zip_files import packed

PLAN = b"The travel budget of 2026 is 4,711 euros.\n"


@pytest.fixture
def look(tmp_path: Path):
    def look(name: str, data: bytes):
        path = tmp_path / name
        path.write_bytes(data)
        return inspect_file(path, Settings(_env_file=None, data_dir=tmp_path / "data"))

    return look


def test_attachments_follow_the_mail_under_their_names(look) -> None:
    found = look("mail.eml", mail(("plan.txt", PLAN), ("tool.exe", b"MZ\x90\x00" + bytes(500))))
    assert [(page.number, page.file) for page in found.pages] == [(1, ""), (2, "plan.txt")]
    assert "4,711 euros" in found.pages[1].text
    assert any(text.startswith("tool.exe: Programs cannot be read") for text in found.warnings)
    assert found.as_json()["pages"][1]["file"] == "plan.txt"


def test_an_archive_shows_its_list_and_its_files(look) -> None:
    found = look("share.zip", packed({"a/plan.txt": PLAN, "inner.zip": packed({"b.csv": b"part;price\nPPR-1;3\n"})}))
    assert [(page.file, page.text) for page in found.pages] == [
        ("", "a/plan.txt\ninner.zip"),
        ("a/plan.txt", PLAN.decode().strip()),
        ("inner.zip", "b.csv"),
        ("inner.zip > b.csv", "part\tprice\nPPR-1\t3"),
    ]
    assert (found.outcome, found.warnings) == ("text", ())


def test_an_archive_with_nothing_to_read_would_be_refused(look) -> None:
    found = look("share.zip", packed({"setup.exe": b"MZ\x90\x00" + bytes(500)}))
    assert found.outcome == "refused"
    assert "setup.exe" in found.reason
