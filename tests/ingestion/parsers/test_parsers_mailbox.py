"""Mailboxes: every mail is handed on under its subject."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.parsers.mailbox import read
from ingestion.types import Refused

BOX = (
    b"From anna@example.com Mon Nov  2 10:00:00 2026\nSubject: =?utf-8?q?Reise_nach_K=C3=B6ln?=\n"
    b"From: anna@example.com\n\nPlan\n>From here on it rains.\nFrom there on too.\n\n"
    b"From ben@example.com Mon Nov  2 11:00:00 2026\nFrom: ben@example.com\nSubject: a/b\n c\n\nzwei\n"
)


def quiet(done: int, total: int) -> None:
    pass


def test_each_mail_is_handed_on_under_its_subject(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    path.write_bytes(BOX)
    parsed = read(path, quiet)
    assert [one.name for one in parsed.attachments] == ["00001 Reise nach Köln.eml", "00002 a-b c.eml"]
    assert parsed.attachments[0].data.endswith(b"Plan\nFrom here on it rains.\nFrom there on too.\n\n")
    assert b"".join(parsed.attachments[1].pieces()).startswith(b"From: ben@example.com")
    assert parsed.pages[0].text.startswith("00001 Reise nach Köln.eml")


def test_a_box_without_mails_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    path.write_bytes(b"nothing\n")
    with pytest.raises(Refused):
        read(path, quiet)


def test_a_subject_in_an_unknown_encoding_is_shown_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    path.write_bytes(b"From a@b.de x\nSubject: =?\xfct\xff-8?q?K=C3?= =?utf\xe4?b?_?=\nFrom: a@b.de\n\nText\n")
    assert read(path, quiet).attachments[0].name.startswith("00001 ")
