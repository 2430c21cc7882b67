"""Outlook messages: read like a mail, with what is attached to them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from ingestion.parsers import mail
from ingestion.parsers.outlook import read
from ingestion.types import Refused

SAMPLES = Path(__file__).parents[2] / "samples"


def quiet(done: int, total: int) -> None:
    pass


def test_headers_body_and_attachment() -> None:
    parsed = read(SAMPLES / "fake-email-attachment.msg", quiet)
    assert parsed.title == "Fake email with attachment"
    assert parsed.pages[0].blocks[0].text.split("\n") == [
        "Subject: Fake email with attachment",
        "From: Mallori Harrell <mallori@unstructured.io>",
        "To: Mallori Harrell <mallori@unstructured.io>",
        "Date: 2023-04-20 21:39 +0000",
    ]
    assert parsed.pages[0].text.count("Here's the attachments!") == 1
    (attachment,) = parsed.attachments
    assert attachment.name == "fake-attachment.txt"
    assert b"Hey this is a fake attachment!" in attachment.data


def test_a_message_in_a_message_is_handed_on_as_a_mail(tmp_path: Path) -> None:
    parsed = read(SAMPLES / "testMSG_att_msg.msg", quiet)
    assert [one.name for one in parsed.attachments] == ["Test Attachment.eml", "smbprn.00009008.KdcPjl.pdf"]
    assert parsed.attachments[1].data.startswith(b"%PDF-")
    inner = tmp_path / "inner.eml"
    inner.write_bytes(parsed.attachments[0].data)
    text = mail.read(inner, quiet).pages[0].text
    assert "Subject: Test Attachment" in text
    assert "Blah blah blah" in text


def test_an_encrypted_message_is_refused(tmp_path: Path) -> None:
    data = (SAMPLES / "fake-email-attachment.msg").read_bytes()
    path = tmp_path / "a.msg"
    path.write_bytes(data.replace("fake-attachment.txt".encode("utf-16-le"), "fake-attachment.p7m".encode("utf-16-le")))
    with pytest.raises(Refused) as refused:
        read(path, quiet)
    assert refused.value.code == "password_protected"


@pytest.mark.parametrize("length", [600, 2_000, 5_000, 9_000])
def test_what_is_cut_off_is_refused_or_read(tmp_path: Path, length: int) -> None:
    path = tmp_path / "a.msg"
    path.write_bytes((SAMPLES / "fake-email-attachment.msg").read_bytes()[:length])
    with suppress(Refused):  # and nothing else
        assert read(path, quiet).pages
