"""Files inside a PDF: attached to it, pinned to a page, and the data of a form that is a program."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import pypdfium2_raw as c

from ingestion.parsers.pdf_strings import wide
from ingestion.types import Attachment, Refused, Warning

LIMIT = 64 * 1024 * 1024  # bytes of all together
MOST = 1_000
PACKETS = 50
FORM_DATA = "form-data.xml"
DATA = b"datasets"

LARGE = "An attached file is too large and was left out."
UNREAD = "An attached file is damaged and was left out."
MANY = "The PDF has more attached files than are read; the rest was left out."
PROGRAM = (
    "The PDF is a form whose pages are made by a program (dynamic XFA form). It was not run: only what was filled in "
    "is read, if anything. Open the form in Adobe Reader, print it as PDF and upload that."
)


@dataclass(frozen=True)
class Pinned:
    """A file pinned to a page. `data` is None where it cannot be read, `large` says that there is too much of it."""

    name: str
    data: bytes | None
    large: bool = False


def attachments(document: Any, pinned: Iterable[Pinned]) -> tuple[tuple[Attachment, ...], list[Warning]]:
    """All files inside `document`, with those `pinned` to its pages, and what is to be said about them."""
    found, notes, left = dict[tuple[str, bytes], Attachment](), dict[str, Warning](), LIMIT
    for file in chain(_files(document), pinned):
        if len(found) == MOST:
            notes["many"] = Warning("attachments_left_out", MANY)
            break
        if file.large or len(file.data or b"") > left:
            notes["large"] = Warning("attachment_too_large", LARGE)
        elif file.data is None:
            notes["damaged"] = Warning("attachment_damaged", UNREAD)
        elif (file.name, file.data) not in found:
            found[file.name, file.data] = Attachment(file.name, file.data)
            left -= len(file.data)
    form = _form_data(document, left) if c.FPDF_GetFormType(document) == c.FORMTYPE_XFA_FULL else None
    if form is not None:
        notes["form"] = Warning("dynamic_form", PROGRAM)
    forms = (Attachment(FORM_DATA, form),) if form else ()
    return (*found.values(), *forms), list(notes.values())


def _files(document: Any) -> Iterator[Pinned]:
    for at in range(max(c.FPDFDoc_GetAttachmentCount(document), 0)):
        yield taken(c.FPDFDoc_GetAttachment(document, at), LIMIT)


def taken(file: Any, limit: int) -> Pinned:
    """Name and bytes of an attached file by its handle."""
    if not file:
        return Pinned("", None)
    data, large = _buffer(partial(c.FPDFAttachment_GetFile, file), limit)
    return Pinned(wide(partial(_name, file)), data, large)


def _name(file: Any, buffer: Any, size: int) -> int:
    shorts = None if buffer is None else ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort))
    return int(c.FPDFAttachment_GetName(file, shorts, size))


def _buffer(read: Callable[[Any, int, Any], int], limit: int) -> tuple[bytes | None, bool]:
    """The bytes that `read` writes, and whether they are more than `limit`; then they are not read."""
    length = ctypes.c_ulong()
    if not read(None, 0, length):
        return None, False
    if length.value > limit:
        return None, True
    data = ctypes.create_string_buffer(max(length.value, 1))
    return (data.raw[: length.value] if read(data, length.value, length) else None), False


def _form_data(document: Any, limit: int) -> bytes:
    """The values filled into a dynamic form, as XML; none if there are none."""
    for at in range(min(max(c.FPDF_GetXFAPacketCount(document), 0), PACKETS)):
        packet, _ = _buffer(partial(c.FPDF_GetXFAPacketContent, document, at), limit)
        if packet is not None and DATA in packet and (found := _filled_in(packet)):
            return found
    return b""


def _filled_in(packet: bytes) -> bytes:
    from lxml import etree  # few PDFs need it, and it takes as long to load as a page takes to read

    from ingestion.parsers.office_zip import parse_xml

    try:
        root = parse_xml(packet)
    except Refused:
        return b""
    for data in root.iter("{*}data"):
        if "".join(data.itertext()).strip():
            return bytes(etree.tostring(data, encoding="utf-8"))
    return b""
