"""Mail: headers as people read them, the text once, attachments within bounds, encryption said."""

from __future__ import annotations

import struct
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import silent

from ingestion.parsers import appointments, mail, mail_parts, tnef
from ingestion.parsers.cms import signed_content
from ingestion.types import Parsed, Refused

EVENT = """BEGIN:VCALENDAR\r
BEGIN:VTIMEZONE\r
DTSTART:16010101T000000\r
END:VTIMEZONE\r
BEGIN:VEVENT\r
SUMMARY:Kickoff\\, Teil\r
  1\r
DTSTART;TZID=Europe/Berlin:20260305T100000\r
DTEND;VALUE=DATE:20260305\r
LOCATION:Raum Elbe\r
ORGANIZER;CN=Eva:mailto:e@example.org\r
DESCRIPTION:Ablauf\\n1. A\r
BEGIN:VALARM\r
DESCRIPTION:Reminder\r
END:VALARM\r
END:VEVENT\r
END:VCALENDAR\r
"""


def test_headers_and_text(tmp_path: Path) -> None:
    message = written("Größere Menge\n\nViele Grüße\nJörg\n")
    parsed = read(tmp_path, message.as_bytes())
    headers, *body = parsed.pages[0].blocks
    assert (headers.kind, headers.text) == (
        "metadata",
        "Subject: Lieferverzug für Köln\nFrom: Jörg Müller <j@example.org>\n"
        "To: e@example.org\nDate: 2026-09-17 08:42 +0200",
    )
    assert [block.text for block in body] == ["Größere Menge", "Viele Grüße\nJörg"]
    assert (parsed.title, parsed.has_pages) == ("Lieferverzug für Köln", False)


@pytest.mark.parametrize(
    ("plain", "rich", "expected"),
    [
        ("The same words here", "<p>The same words here", "The same words here"),
        (
            "Please see the HTML",
            "<p>The order 4500 of the year 2026 is late by nine days",
            "The order 4500 of the year 2026 is late by nine days",
        ),
        ("", "<p>Only here</p><script>x</script>", "Only here"),
    ],
)
def test_the_form_that_says_more_is_taken(tmp_path: Path, plain: str, rich: str, expected: str) -> None:
    message = written(plain)
    message.add_alternative(rich, subtype="html")
    assert [block.text for block in read(tmp_path, message.as_bytes()).pages[0].blocks[1:]] == [expected]


def test_attachments_are_handed_on_inline_pictures_are_not(tmp_path: Path) -> None:
    message = written("Text")
    message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="../../etc/Übersicht.pdf")
    message.add_attachment(b"a;b\n", maintype="text", subtype="csv", filename="plan.csv")
    message.add_attachment(b"png", maintype="image", subtype="png", disposition="inline", cid="<logo>")
    message.add_attachment(written("Forwarded text"))
    parsed = read(tmp_path, message.as_bytes())
    assert [item.name for item in parsed.attachments] == ["Übersicht.pdf", "plan.csv", "Lieferverzug für Köln.eml"]
    assert b"Forwarded text" in parsed.attachments[2].data
    assert "Forwarded" not in parsed.pages[0].text
    assert "Übersicht.pdf, plan.csv" in parsed.warnings[0].text


def test_attachments_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_parts, "MAX_ATTACHMENTS", 2)
    monkeypatch.setattr(mail_parts, "MAX_ATTACHED", 150)
    message = written("Text")
    for name, size in (("a", 100), ("b", 100), ("c", 10), ("d", 10)):
        message.add_attachment(bytes(size), maintype="application", subtype="pdf", filename=f"{name}.pdf")
    parsed = read(tmp_path, message.as_bytes())
    assert [item.name for item in parsed.attachments] == ["a.pdf", "c.pdf"]
    assert "b.pdf, d.pdf" in parsed.warnings[1].text


@pytest.mark.parametrize(
    "data",
    [
        b"From: a\nContent-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--\n",
        b"From: a\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nAAAA\n",
        b"From: a\n\n-----BEGIN PGP MESSAGE-----\n\nhIwDY32hYGCE8MkBA\n",
    ],
)
def test_encrypted_mail_is_refused(tmp_path: Path, data: bytes) -> None:
    assert refusal(tmp_path, data) == "password_protected"


@pytest.mark.parametrize(
    ("data", "code"), [(b"", "empty"), (b"This is not a mail.", "damaged"), (b"\n\nonly text\n", "damaged")]
)
def test_what_is_no_mail_is_refused(tmp_path: Path, data: bytes, code: str) -> None:
    assert refusal(tmp_path, data) == code


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"From: a@b.c\nContent-Type: text/plain; charset=nonsense\n\nGr\xfc\xdfe", "Grüße"),
        ("From: Jürgen <a@b.c>\n\nText".encode("cp1252"), "From: Jürgen <a@b.c>"),
        (b"From: a@b.c\nDate: 99 Foo 20000\n\nText", "Date: 99 Foo 20000"),
        (b"From: a@b.c\nContent-Transfer-Encoding: base64\n\nR3LDvMOfZQ=!!\n", "Grüße"),
        (b"From: " + b"a@b.c, " * 100_000 + b"\nSubject: " + b"=?utf-8?q?x?= " * 50_000 + b"\n\nText", "Text"),
        (b"From: a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nText", "Text"),
    ],
)
def test_broken_mail_is_read_as_far_as_it_goes(tmp_path: Path, data: bytes, expected: str) -> None:
    assert expected in read(tmp_path, data).pages[0].text


@pytest.mark.parametrize(
    "line", ["Content-Type: multipart/mixed; boundary=b{0}\n\n--b{0}\n", "Content-Type: message/rfc822\n\nSubject: x\n"]
)
def test_deep_mail_is_read_as_far_as_it_goes(tmp_path: Path, line: str) -> None:
    data = "From: a@b.c\n" + "".join(line.format(at) for at in range(400)) + "\nText"
    assert read(tmp_path, data.encode()).warnings


def test_an_invitation_says_what_when_and_where(tmp_path: Path) -> None:
    message = written("Bitte kommen.")
    message.add_alternative(EVENT, subtype="calendar")
    found = read(tmp_path, message.as_bytes())
    assert [block.text for block in found.pages[0].blocks[1:]] == [
        "Bitte kommen.",
        "Kickoff, Teil 1",
        "Start: 2026-03-05 10:00 (Europe/Berlin)\nEnd: 2026-03-05\nLocation: Raum Elbe\nOrganizer: Eva <e@example.org>",
        "Ablauf\n1. A",
    ]
    message.add_attachment(EVENT.encode(), "text", "calendar", filename="invite.ics")
    found = read(tmp_path, message.as_bytes())
    assert len(found.pages[0].blocks) == 2
    assert [one.name for one in found.attachments] == ["invite.ics"]


def test_an_appointment_is_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.ics").write_text(EVENT, encoding="utf-8")
    found = appointments.read(tmp_path / "a.ics", silent)
    assert (found.title, len(found.pages[0].blocks)) == ("Kickoff, Teil 1", 3)
    (tmp_path / "a.ics").write_text("no appointment", encoding="utf-8")
    assert appointments.read(tmp_path / "a.ics", silent).pages[0].text == "no appointment"


def test_a_forwarded_mail_is_called_what_it_is_about(tmp_path: Path) -> None:
    message = written("See below.")
    message.add_attachment(written("inner"))
    assert [one.name for one in read(tmp_path, message.as_bytes()).attachments] == ["Lieferverzug für Köln.eml"]


@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_signed_mail_in_one_piece_is_read(tmp_path: Path, in_pieces: bool) -> None:
    inner = "Content-Type: text/plain; charset=utf-8\r\n\r\nDer Preis beträgt 5 €.\r\n".encode()
    message = EmailMessage()
    message["Subject"] = "Angebot"
    kind = {"params": {"smime-type": "signed-data", "name": "smime.p7m"}}
    message.set_content(signed(inner, in_pieces), "application", "pkcs7-mime", **kind)
    blocks = read(tmp_path, message.as_bytes()).pages[0].blocks
    assert [block.text for block in blocks] == ["Subject: Angebot", "Der Preis beträgt 5 €."]


@pytest.mark.parametrize(
    "data", [b"", b"\x30", b"\x30\x80" * 200, b"\x30\x84\xff\xff\xff\xff", b"\x30\x03\x06\x01\x2a"]
)
def test_what_is_no_signed_content_is_none(data: bytes) -> None:
    assert signed_content(data) is None


def signed(content: bytes, in_pieces: bool) -> bytes:
    """The parts of a CMS SignedData that matter, with lengths or (as programs that stream write it) without."""

    def element(tag: int, *inner: bytes) -> bytes:
        data = b"".join(inner)
        if in_pieces and tag & 0x20:
            return bytes([tag, 0x80]) + data + b"\0\0"
        return bytes([tag, 0x82]) + len(data).to_bytes(2, "big") + data

    octets = element(0x24, element(4, content[:20]), element(4, content[20:])) if in_pieces else element(4, content)
    data = element(6, bytes.fromhex("2a864886f70d010701"))
    fields = (element(2, b"\1"), element(0x31), element(0x30, data, element(0xA0, octets)), element(0x31))
    kind = element(6, bytes.fromhex("2a864886f70d010702"))
    return element(0x30, kind, element(0xA0, element(0x30, *fields)))


def written(text: str) -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = "Lieferverzug für Köln"
    message["From"] = "Jörg Müller <j@example.org>"
    message["To"] = "e@example.org"
    message["Date"] = "Thu, 17 Sep 2026 08:42:00 +0200"
    message.set_content(text)
    return message


def read(folder: Path, data: bytes) -> Parsed:
    (folder / "a.eml").write_bytes(data)
    return mail.read(folder / "a.eml", silent)


def refusal(folder: Path, data: bytes) -> str:
    with pytest.raises(Refused) as refused:
        read(folder, data)
    return refused.value.code


def test_what_outlook_packed_into_one_file_is_taken_out(tmp_path: Path) -> None:
    message = written("See the files.")
    notes = tnef_file(b"notes.txt", b"one", "Größe der Notizen.txt")
    packed = tnef_of((0x9003, b"\0\0\0\0"), (0x800C, b"The text\0"), *notes)
    message.add_attachment(packed, "application", "ms-tnef", filename="winmail.dat")
    found = read(tmp_path, message.as_bytes())
    assert [(one.name, one.data) for one in found.attachments] == [("Größe der Notizen.txt", b"one")]
    message = written(" \n")
    message.add_attachment(packed, "application", "ms-tnef", filename="winmail.dat")
    names = [one.name for one in read(tmp_path, message.as_bytes()).attachments]
    assert names == ["Größe der Notizen.txt", "message.txt"]
    message.add_attachment(packed[:20], "application", "ms-tnef", filename="winmail.dat")
    assert "winmail.dat" in read(tmp_path, message.as_bytes()).warnings[0].text


@given(st.binary(max_size=300))
def test_broken_packs_are_taken_as_far_as_they_go(data: bytes) -> None:
    files, _ = tnef.unpacked(tnef_of() + data)
    assert all(one.data for one in files)
    tnef.unpacked(tnef_of((0x9002, b""), (0x9005, data), (0x9003, data)))


def tnef_of(*attributes: tuple[int, bytes]) -> bytes:
    parts = (struct.pack("<BHHI", 1, number, 6, len(data)) + data + b"\0\0" for number, data in attributes)
    return b"\x78\x9f\x3e\x22\1\0" + b"".join(parts)


def tnef_file(short: bytes, data: bytes, name: str) -> tuple[tuple[int, bytes], ...]:
    """Its properties hold one of a fixed size, one with a name of its own, and the long name."""
    wide = (name + "\0").encode("utf-16-le")
    own = struct.pack("<HH", 0x1F, 0x8001) + bytes(16) + struct.pack("<II", 1, 4) + b"x\0\0\0"
    own += struct.pack("<II", 1, 2)
    properties = struct.pack("<I", 3) + struct.pack("<HHI", 3, 0x3705, 1) + own + b"\0\0\0\0"
    properties += struct.pack("<HHII", 0x1F, 0x3707, 1, len(wide)) + wide + bytes(-len(wide) % 4)
    return ((0x9002, bytes(14)), (0x8010, short + b"\0"), (0x800F, data), (0x9005, properties))
