"""Opening office files: real bytes are bounded, nothing in them can expand, refusals say why."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from office_files import CONTENT_TYPES, RELATIONS, docx, paragraph, relations, silent

from ingestion.parsers import office_zip, word
from ingestion.types import Refused


def test_inflated_bytes_are_counted_whatever_part_they_hide_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office_zip, "MAX_INFLATED", 2**20)
    path = docx(tmp_path / "a.docx", paragraph("x"))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("word/media/image1.png", bytes(2**21))
    assert path.stat().st_size < 10_000
    assert refusal(path) == "inflates"


def test_a_single_part_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office_zip, "MAX_PART", 2**16)
    assert refusal(docx(tmp_path / "a.docx", paragraph(" " * 2**17))) == "inflates"


def test_the_number_of_parts_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office_zip, "MAX_MEMBERS", 3)
    assert refusal(docx(tmp_path / "a.docx", paragraph("x"))) == "inflates"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused(tmp_path: Path, encoding: str) -> None:
    head = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]>'
    path = docx(tmp_path / "a.docx", "")
    rewrite(path, "word/document.xml", (head + "<x>&b;&a;</x>").encode(encoding))
    assert refusal(path) == "damaged"


def test_a_part_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", paragraph("x" * 1_000))
    data = bytearray(path.read_bytes())
    entry = data.index(b"word/document.xml", data.index(b"PK\x01\x02")) - 46
    data[entry + 24 : entry + 28] = (10).to_bytes(4, "little")  # the declared size in the directory
    path.write_bytes(bytes(data))
    assert refusal(path) == "damaged"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b"hello", "damaged"),
        (b"PK\x05\x06" + bytes(18), "damaged"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
            "password_protected",
        ),
    ],
)
def test_what_is_no_office_file_says_so(tmp_path: Path, data: bytes, code: str) -> None:
    (tmp_path / "a.docx").write_bytes(data)
    assert refusal(tmp_path / "a.docx") == code


def test_every_cut_of_a_file_is_refused(tmp_path: Path) -> None:
    data = docx(tmp_path / "a.docx", paragraph("x")).read_bytes()
    for size in range(1, len(data), 97):
        (tmp_path / "b.docx").write_bytes(data[:size])
        assert refusal(tmp_path / "b.docx") == "damaged"


def test_relations_to_nowhere_are_overlooked_as_word_does(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", paragraph("Text"))
    dangling = f'<Relationship Id="n" Type="{RELATIONS}/image" Target="NULL"/>'
    rewrite(path, "word/_rels/document.xml.rels", relations(dangling).encode())
    assert word.read(path, silent).pages[0].text == "Text"


def test_strict_files_are_read_like_others(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", paragraph("Text"))
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    usual, strict = b"http://schemas.openxmlformats.org/%s/2006/", b"http://purl.oclc.org/ooxml/%s/"
    for kind in (b"wordprocessingml", b"officeDocument"):
        parts = {name: data.replace(usual % kind, strict % kind) for name, data in parts.items()}
    write(path, parts)
    assert word.read(path, silent).pages[0].text == "Text"


def test_macros_and_pictures_are_not_handed_on(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", paragraph("x"))
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("word/vbaProject.bin", b"macro")
    package = office_zip.open_package(path)
    assert package.data("word/vbaProject.bin") == b""
    assert package.left_out == ("word/vbaProject.bin",)


def test_compression_no_office_program_uses_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w", zipfile.ZIP_BZIP2) as file:
        file.writestr("[Content_Types].xml", CONTENT_TYPES)
    assert refusal(tmp_path / "a.docx") == "damaged"


def refusal(path: Path) -> str:
    with pytest.raises(Refused) as refused:
        word.read(path, silent)
    return refused.value.code


def rewrite(path: Path, name: str, data: bytes) -> None:
    with zipfile.ZipFile(path) as file:
        parts = {member: file.read(member) for member in file.namelist()}
    write(path, parts | {name: data})


def write(path: Path, parts: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(name, data)
