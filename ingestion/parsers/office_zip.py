"""Opens zip-based office files (OOXML, OpenDocument) in bounds, hands on a clean copy: measured, XML only, one truth.

Every member is inflated in pieces and its real bytes are counted; declared sizes are not believed. The copy holds the
XML parts as they are and everything else (pictures, embedded files, macros) as empty members, so that no library
behind this one can inflate, expand or run anything. Files written in ISO "strict" names get the usual ones.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from lxml import etree

from ingestion.types import Refused

MAX_MEMBERS = 20_000
MAX_INFLATED = 512 * 2**20  # bytes of all members together
MAX_XML = 256 * 2**20  # bytes of all XML parts, which are held in memory
MAX_PART = 128 * 2**20  # bytes of one XML part
MAX_EMBEDDED = 128 * 2**20  # bytes of embedded files, which are handed on
MOST_EMBEDDED = 200
ODF_MANIFEST = "META-INF/manifest.xml"
OOXML_INDEX = "[Content_Types].xml"
_PIECE = 2**18
_EMBEDDED = re.compile(r"/embeddings/[^/]+$|^word/(?:afchunk|chunk|altchunk)[^/]*$|^Object [0-9]+$", re.IGNORECASE)
_REAL = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # what the packaging standard (ECMA-376 part 2) allows
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_DTD = [text.encode(name) for text in ("<!DOCTYPE", "<!ENTITY") for name in ("utf-8", "utf-16-le", "utf-16-be")]
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_PRESENTATIONS = (  # macro files, shows and templates are read like what they hold
    b"vnd.ms-powerpoint.presentation.macroEnabled.main+xml",
    b"vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
    b"vnd.ms-powerpoint.template.macroEnabled.main+xml",
    b"vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml",
    b"vnd.openxmlformats-officedocument.presentationml.template.main+xml",
)
# How many strings a workbook claims to have: optional, and calamine sets aside memory for as many as are claimed
_STRINGS = re.compile(rb"<(?:\w{1,20}:)?sst\s[^<>]{0,4000}>")
_COUNTS = re.compile(rb"""\s(?:uniqueCount|count)\s*=\s*(?:"[^"]*"|'[^']*')""")
_BINARY_PART = re.compile(r"xl/(?:workbook|sharedStrings|styles|(?:work|macro|dialog|chart)sheets/\w+)\.bin")
_PRESENTATION = b"vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"


class Package:
    """The clean copy. `left_out` names the members whose content was dropped; of these, `embedded` holds files that lie
    in the document, as many as may be."""

    def __init__(self, file: io.BytesIO, left_out: tuple[str, ...], embedded: Mapping[str, bytes]) -> None:
        self._file = file
        self.left_out = left_out
        self.embedded = embedded
        self._zip = zipfile.ZipFile(file)
        self.names = frozenset(self._zip.namelist())

    def opened(self) -> io.BytesIO:
        """The copy as a zip file, from its start, for libraries to open."""
        return io.BytesIO(self._file.getbuffer())

    def data(self, name: str) -> bytes:
        """The bytes of a part."""
        return self._zip.read(name)

    def root(self, name: str) -> etree._Element:
        """The root element of a part. Raises `Refused` "damaged" if it is no XML."""
        return parse_xml(self.data(name))

    def related(self, source: str, kind: str) -> list[str]:
        """Names of the parts that `source` ("" for the package) refers to as `kind` (last word of the type)."""
        return [target for target, found in self._relations(source).values() if found == kind]

    def target(self, source: str, relation_id: str) -> str:
        """The part behind a relation id of `source`, or ""."""
        return self._relations(source).get(relation_id, ("", ""))[0]

    def main(self) -> str:
        """The name of the main part (document, presentation, workbook)."""
        found = [name for name in self.related("", "officeDocument") if name in self.names]
        if not found:
            raise damaged()
        return found[0]

    def _relations(self, source: str) -> dict[str, tuple[str, str]]:
        name = _relations_of(source)
        if name not in self.names:
            return {}
        return {
            item.get("Id", ""): (
                _resolve(source, item.get("Target", "")),
                item.get("Type", "").rsplit("/", 1)[-1],
            )
            for item in self.root(name).iter(_RELATION)
            if item.get("TargetMode") != "External"
        }


def open_package(path: Path, index: str = OOXML_INDEX, binary: bool = False) -> Package:
    """The package, which must hold the part `index`; with `binary` parts of a binary workbook are kept too.

    Raises `Refused`: "password_protected", "damaged" (no zip, cut off, broken XML, DTD), "inflates".
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _clean_copy(archive, index, binary)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        raise _no_zip(path) from error


def parse_xml(data: bytes) -> etree._Element:
    """An element tree without entities, network or more than 256 levels. Raises `Refused` "damaged"."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise damaged() from error


def damaged() -> Refused:
    """The refusal for a file whose structure is broken."""
    return Refused(
        "damaged",
        "This file is damaged or cut off. Open it in its program, save it anew and upload that copy.",
    )


def _clean_copy(archive: zipfile.ZipFile, index: str, binary: bool) -> Package:
    members = {_plain(info.filename): info for info in archive.infolist() if not info.is_dir()}
    _check_members(archive, members, index)
    copy, left_out, embedded, total, held = io.BytesIO(), [], Embedded(), 0, 0
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as clean:
        for name, info in members.items():
            keep = _is_part(name) or (binary and bool(_BINARY_PART.fullmatch(name)))
            wanted = keep or embedded.wants(name, info)
            data, size = _inflate(archive, info, wanted, MAX_INFLATED - total)
            total, held = total + size, held + (len(data) if keep else 0)
            if held > MAX_XML:
                raise _inflates(MAX_XML)
            if not keep:
                left_out.append(name)
                embedded.take(name, data)
                data = b""
            clean.writestr(name, _rewritten(name, data, members) if keep and _is_part(name) else data)
    copy.seek(0)
    return Package(copy, tuple(left_out), embedded.files)


class Embedded:
    """Files that lie in the document, as long as they are not too many nor, by what is said of them, too large."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._left = MAX_EMBEDDED

    def wants(self, name: str, info: zipfile.ZipInfo) -> bool:
        fits = info.file_size <= min(self._left, MAX_PART) and len(self.files) < MOST_EMBEDDED
        return fits and bool(_EMBEDDED.search(name))

    def take(self, name: str, data: bytes) -> None:
        if data:
            self.files[name] = data
            self._left -= len(data)


def _check_members(archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], index: str) -> None:
    if len(archive.infolist()) > MAX_MEMBERS:
        raise Refused(
            "inflates",
            "This file holds more than %(limit)s parts, far more than an office program writes.",
            limit=MAX_MEMBERS,
        )
    if any(info.flag_bits & 1 for info in members.values()):
        raise password_protected()
    if index not in members or any(i.compress_type not in _REAL for i in members.values()):
        raise damaged()


def _is_part(name: str) -> bool:
    return name.endswith((".xml", ".rels")) and not name.startswith("customXml/")


def _inflate(archive: zipfile.ZipFile, info: zipfile.ZipInfo, keep: bool, budget: int) -> tuple[bytes, int]:
    """The member's bytes (none unless `keep`) and how many there were, counted while inflating."""
    pieces, size = [], 0
    for piece in _pieces(archive, info):
        size += len(piece)
        if size > budget or (keep and size > MAX_PART):
            raise _inflates(MAX_PART if keep and size > MAX_PART else MAX_INFLATED)
        if keep:
            pieces.append(piece)
    return b"".join(pieces), size


def _pieces(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(info) as member:
        while piece := member.read(_PIECE):
            yield piece


def _rewritten(name: str, data: bytes, members: dict[str, zipfile.ZipInfo]) -> bytes:
    if name == ODF_MANIFEST:  # names a DTD in old files; nobody parses it
        return data
    if any(mark in data for mark in _DTD):
        raise Refused(
            "damaged",
            "This file declares XML entities, which no office program does and which can be used for attacks. "
            "Open it in its program, save it anew and upload that copy.",
        )
    data = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data)
    if name.startswith("xl/"):
        data = _STRINGS.sub(lambda tag: _COUNTS.sub(b"", tag.group()), data)
    if name == "[Content_Types].xml":
        for kind in _PRESENTATIONS:
            data = data.replace(kind, _PRESENTATION)
    return _without_dangling(name, data, members) if name.endswith(".rels") else data


def _without_dangling(name: str, data: bytes, members: dict[str, zipfile.ZipInfo]) -> bytes:
    """Relations to parts that are not there (Word writes "NULL" at times) would stop the libraries."""
    root = parse_xml(data)
    folder, file = posixpath.split(name)
    source = posixpath.join(posixpath.dirname(folder), file.removesuffix(".rels"))
    for item in list(root.iter(_RELATION)):
        inside = item.get("TargetMode") != "External"
        if inside and _resolve(source, item.get("Target", "")) not in members:
            root.remove(item)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


def _relations_of(source: str) -> str:
    folder, file = posixpath.split(source)
    return posixpath.join(folder, "_rels", f"{file}.rels")


def _resolve(source: str, target: str) -> str:
    joined = target if target.startswith("/") else posixpath.join("/", posixpath.dirname(source), target)
    return posixpath.normpath(joined.partition("#")[0]).lstrip("/")


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")


def _inflates(limit: int) -> Refused:
    return Refused(
        "inflates",
        "This file unpacks to more than %(limit)s MiB, which is not safe to read. Split it into smaller files.",
        limit=limit // 2**20,
    )


def password_protected() -> Refused:
    """The refusal for an encrypted office file."""
    return Refused(
        "password_protected",
        "This file is password protected. Open it in its program, remove the password, save it and upload that copy.",
    )


def _no_zip(path: Path) -> Refused:
    """Why it is no zip: an encrypted office file is an OLE container that names its stream EncryptedPackage."""
    with path.open("rb") as file:
        head = file.read(2**20)
    if not head:
        return Refused("empty", "This file is empty. Check the original and upload it again.")
    if head.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in path.read_bytes():
        return password_protected()
    return damaged()
