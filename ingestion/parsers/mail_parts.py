"""The parts of a mail: which of them is the text people read, which are attachments, whether it is encrypted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import EmailMessage, Message

from ingestion.parsers import appointments, html_blocks, tnef
from ingestion.parsers.cms import signed_content
from ingestion.parsers.encoding import decode
from ingestion.parsers.lines import file_name, one_line, paragraphs
from ingestion.types import Attachment, Block, Warning

MAX_ATTACHMENTS = 100
MAX_ATTACHED = 100 * 2**20  # bytes of all attachments together
MAX_PARTS = 1_000
_SEALED = {"application/pkcs7-mime", "application/x-pkcs7-mime"}
ENCRYPTED_TEXT = "-----BEGIN PGP MESSAGE-----"
_SIGNATURES = {"pgp-signature", "pkcs7-signature", "x-pkcs7-signature"}
_WORD = re.compile(r"\w+")


def is_encrypted(message: EmailMessage) -> bool:
    """True for PGP/MIME (RFC 3156) and S/MIME (RFC 8551) encryption. A signature alone is none."""
    for part in _parts(message):
        kind = part.get_content_type()
        if kind == "multipart/encrypted":
            return True
        if kind in _SEALED:
            return str(part.get_param("smime-type", "enveloped-data")) != "certs-only"
    return False


def sealed(message: EmailMessage) -> bytes | None:
    """The mail inside a signed one whose text and signature are one piece; None for all others."""
    return signed_content(_bytes(message)) if message.get_content_type() in _SEALED else None


def body(message: EmailMessage) -> tuple[Block, ...]:
    """The blocks of the text: the plain form, or the HTML form where it says more; both are never taken."""
    plain, rich = _form(message, "plain"), _form(message, "html")
    plain_blocks = tuple(paragraphs(_text(plain))) if plain is not None else ()
    rich_blocks = html_blocks.blocks(_text(rich)) if rich is not None else ()
    chosen = rich_blocks if _says_more(rich_blocks, plain_blocks) else plain_blocks
    others = [part for part in _inline_texts(message) if part is not plain and part is not rich]
    more = tuple(found for part in others for found in _blocks_of(part))
    return (*chosen, *more, *_appointments(message))


def _appointments(message: EmailMessage) -> Iterator[Block]:
    """What an invitation says, unless it is attached as well, as a document of its own."""
    parts = [part for part in _parts(message) if part.get_content_type() == "text/calendar"]
    if not any(_is_attached(part) for part in parts):
        for part in parts:
            yield from appointments.blocks(_text(part))


def attachments(message: EmailMessage) -> tuple[tuple[Attachment, ...], tuple[Warning, ...]]:
    """Attached files within the bounds, and a warning that names them and one for those left out."""
    kept: list[Attachment] = []
    left: list[str] = []
    size = 0
    for name, data in _files(message):
        if len(kept) >= MAX_ATTACHMENTS or size + len(data) > MAX_ATTACHED:
            left.append(name)
        elif data:
            kept.append(Attachment(name, data))
            size += len(data)
        else:
            left.append(name)
    return tuple(kept), tuple(_told(kept, left, len(list(_parts(message))) >= MAX_PARTS))


def _files(message: EmailMessage) -> Iterator[tuple[str, bytes]]:
    """Attached files with their names; those that Outlook packed into one each by itself."""
    for number, part in enumerate(_attached(message), start=1):
        data, name = _bytes(part), _name(part, number)
        if not tnef.is_tnef(data):
            yield name, data
            continue
        inner, text = tnef.unpacked(data)
        yield from ((one.name, one.data) for one in inner)
        if text and not any(_text(shown).strip() for shown in _inline_texts(message)):
            yield text.name, text.data
        elif not inner and not text:
            yield name, data


def _told(kept: list[Attachment], left: list[str], more: bool) -> Iterator[Warning]:
    if kept:
        names = ", ".join(item.name for item in kept)
        yield Warning("attachments", f"The mail has attachments, which are read as documents of their own: {names}.")
    if left:
        names = ", ".join(left[:20]) + (" and more" if len(left) > 20 else "")
        yield Warning("attachments_left_out", f"Attachments that are empty, too many or too large, not read: {names}.")
    if more:
        yield Warning("parts_left_out", f"The mail has more than {MAX_PARTS} parts; those after them were not read.")


def _parts(message: EmailMessage) -> Iterator[EmailMessage]:
    """All parts in order, without going into forwarded mails, and not recursively."""
    waiting = [message]
    count = 0
    while waiting and count < MAX_PARTS:
        part = waiting.pop()
        count += 1
        yield part
        if part.is_multipart() and part.get_content_type() != "message/rfc822":
            waiting.extend(reversed([item for item in part.get_payload() if isinstance(item, EmailMessage)]))


def _inline_texts(message: EmailMessage) -> list[EmailMessage]:
    """Text parts that a mail program shows as the mail."""
    return [part for part in _parts(message) if _is_text(part) and not _is_attached(part)]


def _form(message: EmailMessage, subtype: str) -> EmailMessage | None:
    found = [part for part in _inline_texts(message) if part.get_content_subtype() == subtype]
    return found[0] if found else None


def _is_text(part: EmailMessage) -> bool:
    return part.get_content_type() in {"text/plain", "text/html"}


def _is_attached(part: EmailMessage) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def _attached(message: EmailMessage) -> Iterator[EmailMessage]:
    """Parts that are files. Pictures shown inside the text (signatures, logos) are not."""
    for part in _parts(message):
        if part.is_multipart() and part.get_content_type() != "message/rfc822":
            continue
        if _is_text(part) and (part is message or not _is_attached(part)):
            continue
        shown = part.get_content_maintype() in {"image", "text"} and not _is_attached(part)
        logo = part.get_content_maintype() == "image" and part.get_content_disposition() != "attachment"
        if not shown and not logo and part.get_content_subtype() not in _SIGNATURES:
            yield part


def _blocks_of(part: EmailMessage) -> tuple[Block, ...]:
    text = _text(part)
    return html_blocks.blocks(text) if part.get_content_subtype() == "html" else tuple(paragraphs(text))


def _says_more(rich: tuple[Block, ...], plain: tuple[Block, ...]) -> bool:
    """True if the HTML form has more words: some programs leave the plain form empty, or put "see HTML" there."""
    return len(_words(rich)) > len(_words(plain)) * 1.05 + 3 or (not plain and bool(rich))


def _words(found: tuple[Block, ...]) -> list[str]:
    return [word for item in found for word in _WORD.findall(item.text)]


def _text(part: EmailMessage) -> str:
    """The part as text: its charset is believed only if the bytes agree."""
    return decode(_bytes(part), str(part.get_content_charset("") or ""))


def _bytes(part: EmailMessage) -> bytes:
    if part.get_content_type() == "message/rfc822":
        return _forwarded(part)
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _forwarded(part: EmailMessage) -> bytes:
    """A mail within the mail, written out again."""
    inner = part.get_payload()
    try:
        return inner[0].as_bytes() if isinstance(inner, list) and isinstance(inner[0], Message) else b""
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError):
        return b""  # the library cannot write every broken mail it has read; the name is told, the bytes are not


def _name(part: EmailMessage, number: int) -> str:
    """The file's name, or what says most about it."""
    try:
        name = file_name(part.get_filename() or "")
    except Exception:  # email's header parser has raised many kinds of errors on broken names
        name = ""
    kind = part.get_content_subtype()
    name = name or (_subject(part) if kind == "rfc822" else "")
    return name or (f"attachment-{number}.eml" if kind == "rfc822" else f"attachment-{number}.{kind[:20]}")


def _subject(part: EmailMessage) -> str:
    """A forwarded mail is called what it is about."""
    inner = part.get_payload()
    try:
        message = inner[0] if isinstance(inner, list) else None
        subject = one_line(str(message.get("Subject", ""))) if isinstance(message, Message) else ""
    except Exception:  # as above
        subject = ""
    subject = re.sub(r"[/\\]", "-", subject)[:120].strip()
    return f"{subject}.eml" if subject else ""
