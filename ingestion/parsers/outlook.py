"""Outlook messages (.msg) become a mail in memory and are read like one: headers, body once, attachments handed on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from email.message import EmailMessage
from email.utils import format_datetime, formataddr
from pathlib import Path

from olefile import OleFileIO

from ingestion.parsers import mail
from ingestion.parsers.cms import signed_content
from ingestion.parsers.encoding import decode
from ingestion.parsers.lines import one_line
from ingestion.parsers.mail_parts import MAX_ATTACHED
from ingestion.parsers.outlook_rtf import rich_text
from ingestion.parsers.outlook_storage import MOST_TEXT, Storage
from ingestion.types import Parsed, Refused

DEEPEST = 10  # messages in messages
MOST_NAMES = 200  # receivers that are shown
CLASS, SUBJECT, BODY, HTML, RTF = 0x001A, 0x0037, 0x1000, 0x1013, 0x1009
SUBMITTED, DELIVERED, CREATED = 0x0039, 0x0E06, 0x3007
SENDER_NAME, SENT_FOR_NAME, SENDER_SMTP, SENT_FOR_SMTP, SENDER_ADDRESS = 0x0C1A, 0x0042, 0x5D01, 0x5D02, 0x0C1F
NAME, SMTP, ADDRESS, RECEIVER_KIND = 0x3001, 0x39FE, 0x3003, 0x0C15
DATA, LONG_FILE_NAME, FILE_NAME, MIME_TYPE, CONTENT_ID, HIDDEN = 0x3701, 0x3707, 0x3704, 0x370E, 0x3712, 0x7FFE
KINDS = {1: "To", 2: "Cc"}
DAMAGED = "This Outlook message is damaged. Save it again in Outlook (as .msg or .eml) and upload that copy."
_OLE_FAULTS = (OSError, ValueError, KeyError, IndexError, AttributeError, TypeError, RecursionError, EOFError)


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """Like a mail. Raises `Refused`: "damaged", "password_protected" (encrypted)."""
    try:
        with OleFileIO(str(path)) as ole:
            message = _mail(Storage(ole), 0)
    except _OLE_FAULTS as error:
        raise Refused("damaged", DAMAGED) from error
    return mail.as_parsed(message, "msg", on_page)


def _mail(source: Storage, depth: int) -> EmailMessage:
    """The message with all that is attached to it."""
    attached = list(source.attachments())
    kind = source.text(CLASS).upper()
    if kind.endswith("SMIME.MULTIPARTSIGNED") and len(attached) == 1:
        message = _signed(attached[0])
    elif kind.endswith(".SMIME") and len(attached) == 1 and (inner := signed_content(_data(attached[0]))):
        message = mail.parse(inner)
    else:
        _refuse_encrypted(kind, attached)
        message = EmailMessage()
        html = _write_body(message, source)
        for one in attached:
            if not _is_inside(one, html):
                _attach(message, one, depth)
    for name, value in _headers(source):
        del message[name]
        with suppress(Exception):  # email's header parser has raised many kinds of errors on odd values
            message[name] = value
    return message


def _signed(attachment: Storage) -> EmailMessage:
    """The attachment of a signed message is the mail itself."""
    return mail.parse(_data(attachment))


def _data(attachment: Storage) -> bytes:
    return attachment.binary(DATA, MAX_ATTACHED)


def _refuse_encrypted(kind: str, attached: list[Storage]) -> None:
    """S/MIME, and rights management, whose text is in an attachment of this name."""
    if kind.endswith(".SMIME") or any(_name(one).lower().endswith((".rpmsg", ".p7m")) for one in attached):
        raise mail.encrypted()


def _write_body(message: EmailMessage, source: Storage) -> str:
    """Both forms of the text, as far as there are two; the HTML form is returned."""
    plain, html = source.text(BODY), source.text(HTML)
    if not html:
        html = decode(source.binary(HTML, MOST_TEXT), source.encoding)
    message.set_content(_encodable(plain))
    if html.strip():
        message.add_alternative(_encodable(html), subtype="html")
    rtf = rich_text(source.binary(RTF, MOST_TEXT)) if not plain.strip() and not html.strip() else b""
    if rtf:  # the only form the body is in: it is handed on as a file
        message.add_attachment(rtf, "text", "rtf", filename="message.rtf")
    return html


def _attach(message: EmailMessage, attachment: Storage, depth: int) -> None:
    inner = attachment.message()
    name = _name(attachment)
    if inner is not None:
        if depth < DEEPEST:
            message.add_attachment(_mail(inner, depth + 1), filename=f"{name.removesuffix('.msg') or 'message'}.eml")
        return
    data = attachment.binary(DATA, MAX_ATTACHED)
    message.add_attachment(data, "application", "octet-stream", filename=name or "attachment")


def _is_inside(attachment: Storage, html: str) -> bool:
    """Is it a picture that is shown in the text (a logo, a signature)?"""
    kind, name = attachment.text(MIME_TYPE), _name(attachment).lower()
    if not (kind.startswith("image/") or name.endswith((".png", ".jpg", ".jpeg", ".gif", ".bmp"))):
        return False
    content_id = attachment.text(CONTENT_ID).strip("\0<> ")
    return bool(attachment.number(HIDDEN) & 0xFFFF) or bool(content_id and f"cid:{content_id}" in html)


def _name(attachment: Storage) -> str:
    return one_line(attachment.text(LONG_FILE_NAME, FILE_NAME, NAME))[:200]


def _headers(source: Storage) -> Iterator[tuple[str, str]]:
    yield "Subject", one_line(source.text(SUBJECT))[:2_000]
    sender = _person(source, (SENDER_NAME, SENT_FOR_NAME), (SENDER_SMTP, SENT_FOR_SMTP, SENDER_ADDRESS))
    yield "From", sender
    for number, header in KINDS.items():
        people = [_person(one, (NAME,), (SMTP, ADDRESS)) for one in _receivers(source, number)]
        yield header, ", ".join(filter(None, people))
    when = source.time(SUBMITTED, DELIVERED, CREATED)
    yield "Date", format_datetime(when) if when else ""


def _receivers(source: Storage, kind: int) -> list[Storage]:
    return [one for one in source.receivers() if one.number(RECEIVER_KIND) & 0xF == kind][:MOST_NAMES]


def _person(source: Storage, names: tuple[int, ...], addresses: tuple[int, ...]) -> str:
    """Name and address; addresses inside an Exchange server (X.500) tell people nothing."""
    name, address = one_line(source.text(*names)), one_line(source.text(*addresses))
    address = address if "@" in address and " " not in address else ""
    if not address:
        return formataddr((name, "")).removesuffix(" <>")
    return formataddr(("" if name == address else name, address))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
