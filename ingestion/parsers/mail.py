"""E-mail (RFC 5322, MIME): headers as metadata, the body once, attachments handed on as files of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import EmailPolicy
from pathlib import Path

from ingestion.parsers.encoding import decode
from ingestion.parsers.lines import one_line
from ingestion.parsers.mail_parts import ENCRYPTED_TEXT, attachments, body, is_encrypted, sealed
from ingestion.types import Block, Line, Page, Parsed, Refused, Warning

_SHOWN = ("Subject", "From", "To", "Cc", "Date")
_MAX_SHOWN = 2_000  # characters of a header that are shown; a list of a thousand receivers is cut
_MAX_PARSED = 12_000  # characters of a header that are looked at: the library takes quadratic time and memory


class _BoundedHeaders(EmailPolicy):
    """The library's modern policy, with headers cut before they are parsed."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, _as_text(value[:_MAX_PARSED])


def read(path: Path, on_page: Callable[[int, int], None]) -> Parsed:
    """One page: a metadata block of headers, then the body. Attachments come in `Parsed.attachments`.

    Raises `Refused`: "empty", "damaged" (no mail), "password_protected" (encrypted), "no_text", "unknown_type".
    """
    return as_parsed(_message(path.read_bytes()), "eml", on_page)


def as_parsed(message: EmailMessage, kind: str, on_page: Callable[[int, int], None]) -> Parsed:
    """A message as it is read, whatever kind of file it was in."""
    inner = sealed(message)
    if inner is not None:
        message = _opened(message, inner)
    if is_encrypted(message):
        raise encrypted()
    found = body(message)
    if any(ENCRYPTED_TEXT in item.text for item in found):
        raise encrypted()
    files, more = attachments(message)
    headers = _headers(message)
    if not found and not files and not headers:
        raise Refused("damaged", "This file has neither the headers nor the text of a mail. Save the mail again.")
    on_page(1, 1)
    page = Page(1, (*headers, *found))
    warnings = (*more, *_cut(message))
    return Parsed(
        kind, "text", (page,), has_pages=False, title=_header(message, "Subject"), warnings=warnings, attachments=files
    )


def _message(data: bytes) -> EmailMessage:
    if not data.strip():
        raise Refused("empty", "This file is empty. Check the original and upload it again.")
    try:
        message = parse(data.lstrip(b"\r\n\xef\xbb\xbf"))
    except (RecursionError, ValueError, LookupError) as error:
        raise Refused("damaged", "This mail is damaged or built in a way no mail program builds it.") from error
    if not message.keys():
        raise Refused("damaged", "This file does not begin with the headers of a mail. Save the mail again as .eml.")
    return message


def parse(data: bytes) -> EmailMessage:
    message = BytesParser(EmailMessage, policy=_BoundedHeaders()).parsebytes(data)
    assert isinstance(message, EmailMessage)
    return message


def _opened(outer: EmailMessage, inner: bytes) -> EmailMessage:
    """The mail inside a signed one, with the headers that only the outer one has."""
    message = parse(inner)
    for name in _SHOWN:
        if name not in message and name in outer:
            message[name] = _header(outer, name)
    return message


def encrypted() -> Refused:
    """The refusal for a mail nobody but its receiver can read."""
    return Refused(
        "password_protected",
        "This mail is encrypted and can be read only with its receiver's key. Open it in the mail program, save it "
        "without encryption (or print it to PDF) and upload that copy.",
    )


def _headers(message: EmailMessage) -> tuple[Block, ...]:
    shown = [(name, _header(message, name)) for name in _SHOWN]
    rows = tuple(Line(f"{name}: {value}") for name, value in shown if value)
    return (Block("metadata", rows),) if rows else ()


def _header(message: EmailMessage, name: str) -> str:
    """A header as people read it. The library raises on some broken ones; then the raw text is better than none."""
    try:
        value = message.get(name)
        date = getattr(value, "datetime", None)
        text = date.strftime("%Y-%m-%d %H:%M %z") if date else str(value or "")
    except Exception:  # email's header parser has raised many kinds of errors on broken input
        text = next((str(raw) for key, raw in message.raw_items() if key.lower() == name.lower()), "")
    return one_line(text)[:_MAX_SHOWN]


def _as_text(value: str) -> str:
    """Raw bytes in a header, which old programs write, come as lone surrogates."""
    return value if value.isascii() else decode(value.encode("utf-8", errors="surrogateescape"))


def _cut(message: EmailMessage) -> Iterator[Warning]:
    if any(type(defect).__name__ in _CUT_OFF for part in message.walk() for defect in part.defects):
        yield Warning("damaged", "The mail is cut off; what is there was read.")


_CUT_OFF = {"CloseBoundaryNotFoundDefect", "StartBoundaryNotFoundDefect", "InvalidBase64LengthDefect"}
