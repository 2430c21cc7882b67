"""Names of members of a zip: decoded as the program meant that wrote them, and split into folder and name.

A zip says whether a name is UTF-8 (APPNOTE 4.4.4, bit 11). Many programs write UTF-8 and do not say so; older ones
write the code page of DOS (437, 850) or Windows (1252). The names tell which: those of people hold letters, in the
main small ones, and no boxes and Greek.
"""

from __future__ import annotations

import stat
import zipfile
from pathlib import PurePosixPath

_UTF8 = 0x800
_CODE_PAGES = ("cp437", "cp850", "cp1252")
_WESTERN = frozenset("äöüßÄÖÜéèêëàâáãåæçíìîïñóòôõøœúùûýÿÉÈÊËÀÂÁÃÅÆÇÍÌÎÏÑÓÒÔÕØŒÚÙÛÝšžŠŽ–’“”„§°´«»")
_LITTER = frozenset({".ds_store", "thumbs.db", "desktop.ini", ".localized", "ehthumbs.db"})
_LITTER_FOLDERS = frozenset({"__macosx", ".git", ".svn", "$recycle.bin", ".trashes", ".spotlight-v100", ".fseventsd"})


def place_of(member: zipfile.ZipInfo) -> tuple[str, str]:
    """(folder, name), for people only: neither ever becomes a path. What leads out of the archive is dropped."""
    parts = [part for part in _decoded(member).replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if parts and len(parts[0]) == 2 and parts[0][1] == ":":  # a drive
        parts.pop(0)
    return "/".join(parts[:-1]), parts[-1] if parts else ""


def is_litter(folder: str, name: str) -> bool:
    """Files and folders that programs leave behind and nobody reads."""
    lower = name.lower()
    inside = any(part in _LITTER_FOLDERS for part in folder.lower().split("/"))
    return inside or lower in _LITTER or lower.startswith(("._", "~$", ".~lock."))


def is_special(member: zipfile.ZipInfo) -> bool:
    """A link, a device or the like (made on Unix), not a file."""
    mode = stat.S_IFMT(member.external_attr >> 16)
    return mode not in (0, stat.S_IFREG, stat.S_IFDIR)


def shown(folder: str, name: str) -> str:
    return str(PurePosixPath(folder) / name)


def _decoded(member: zipfile.ZipInfo) -> str:
    name = member.orig_filename.partition("\0")[0]
    if member.flag_bits & _UTF8 or name.isascii():
        return name
    try:
        raw = name.encode("cp437")
    except UnicodeEncodeError:
        return name
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return max((raw.decode(page, "replace") for page in _CODE_PAGES), key=_likelihood)


def _likelihood(name: str) -> tuple[int, int]:
    foreign = [letter for letter in name if letter > "\x7f"]
    return sum(letter in _WESTERN for letter in foreign), sum(letter.islower() for letter in foreign)
