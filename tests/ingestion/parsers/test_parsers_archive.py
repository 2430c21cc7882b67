"""Zip archives: every file with its folder and right name, nothing that leads out or never ends."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from ingestion.parsers import archive_members
from ingestion.parsers.archive import read
from ingestion.types import Parsed, Refused
from tests.ingestion.parsers.zip_files import locked, packed, renamed


def quiet(done: int, total: int) -> None:
    pass


@pytest.fixture
def unpack(tmp_path: Path):
    def unpack(data: bytes) -> Parsed:
        path = tmp_path / "a.zip"
        path.write_bytes(data)
        return read(path, quiet)

    return unpack


def places(parsed: Parsed) -> list[tuple[str, str]]:
    return [(one.folder, one.name) for one in parsed.attachments]


def test_files_keep_their_folders_and_bytes_and_litter_is_left(unpack) -> None:
    files = {
        "Reisen/2026/Plan.txt": b"Plan",
        "Reisen/": b"",
        "liste.csv": b"a;b",
        "__MACOSX/Reisen/._Plan.txt": b"x",
        "Reisen/.DS_Store": b"x",
        "Reisen/Thumbs.db": b"x",
    }
    parsed = unpack(packed(files))
    assert places(parsed) == [("Reisen/2026", "Plan.txt"), ("", "liste.csv")]
    assert [b"".join(one.pieces()) for one in parsed.attachments] == [b"Plan", b"a;b"]
    assert parsed.attachments[1].data == b"a;b"
    assert parsed.pages[0].text == "Reisen/2026/Plan.txt\nliste.csv"
    assert (parsed.outcome, parsed.warnings) == ("text", ())


def test_nothing_leads_out_of_the_archive(unpack) -> None:
    files = {"../../etc/passwd": b"a", "/root/.ssh/x": b"b", "C:\\Windows\\y.txt": b"c", "a/../../z.txt": b"d"}
    assert places(unpack(packed(files))) == [
        ("etc", "passwd"),
        ("root/.ssh", "x"),
        ("Windows", "y.txt"),
        ("a", "z.txt"),
    ]


@pytest.mark.parametrize(
    "encoded", ["Köln Übersicht ß.txt".encode(page) for page in ("cp437", "cp850", "cp1252", "utf-8")]
)
def test_umlauts_whatever_program_wrote_the_archive(unpack, encoded: bytes) -> None:
    plain = b"x" * (len(encoded) - 4) + b".txt"
    data = renamed(packed({plain.decode(): b"Text"}), plain, encoded)
    assert places(unpack(data)) == [("", "Köln Übersicht ß.txt")]


def test_names_that_say_they_are_unicode(unpack) -> None:
    assert places(unpack(packed({"日本/Σ─.txt": b"x"}))) == [("日本", "Σ─.txt")]


def test_what_cannot_be_taken_out_is_named(unpack) -> None:
    data = packed(
        {"a.txt": b"a" * 100, "b.txt": b"b" * 100, "link": b"/etc/passwd", "broken.txt": b"c" * 500}, links=("link",)
    )
    at = data.index(b"broken.txt") + len("broken.txt")
    data = data[:at] + b"\xff\xff\xff" + data[at + 3 :]
    parsed = unpack(locked(data, b"b.txt"))
    assert places(parsed) == [("", "a.txt")]
    assert parsed.outcome == "partial"
    assert [(one.code, one.text.rpartition(": ")[2]) for one in parsed.warnings] == [
        ("member_left_out", "b.txt."),
        ("member_left_out", "link."),
        ("member_left_out", "broken.txt."),
    ]


def test_an_encrypted_archive_is_refused(unpack) -> None:
    with pytest.raises(Refused) as refused:
        unpack(locked(packed({"a.txt": b"a"}), b"a.txt"))
    assert refused.value.code == "password_protected"


def test_an_archive_of_nothing_is_refused(unpack) -> None:
    for data in (packed({}), packed({"folder/": b""})):
        with pytest.raises(Refused) as refused:
            unpack(data)
        assert refused.value.code == "no_text"


def test_an_archive_that_contains_itself_is_refused(unpack, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real one takes art to make: here the archive is told that its member is what it itself is."""
    data = packed({"a.zip": b"x" * 1000})
    monkeypatch.setattr(
        "ingestion.parsers.archive._digest", lambda path: __import__("hashlib").sha256(b"x" * 1000).digest()
    )
    monkeypatch.setattr(Path, "stat", lambda self, **kw: type("S", (), {"st_size": 1000, "st_mode": 0o100644})())
    with pytest.raises(Refused) as refused:
        unpack(data)
    assert refused.value.code == "inflates"


def test_a_bomb_does_not_go_off(unpack) -> None:
    with pytest.raises(Refused) as refused:
        unpack(packed({"zeros.txt": bytes(archive_members.FREE + 1)}))
    assert refused.value.code == "inflates"


def test_other_compressions_are_read(unpack) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", b"a" * 1000, zipfile.ZIP_BZIP2)
        archive.writestr("b.txt", b"b" * 1000, zipfile.ZIP_LZMA)
    assert places(unpack(out.getvalue())) == [("", "a.txt"), ("", "b.txt")]
