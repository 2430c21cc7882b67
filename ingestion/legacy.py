"""Office files of the old binary kinds (DOC, XLS, PPT): LibreOffice, where it is installed, makes new ones of them.

It runs confined (`ingestion/tool.py`) with a home of its own that is gone afterwards; macros are off, links are not
followed. What it makes is read like any file from outside.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingestion import tool
from ingestion.process import Limits
from ingestion.sniff import sniff
from ingestion.tool import Allowance
from ingestion.types import Refused

log = logging.getLogger(__name__)

WITHOUT = ("xls", "xlsb")  # can be read without LibreOffice, if not as well
NEWER = {"doc": "docx", "xls": "xlsx", "xlsb": "xlsx", "ppt": "pptx"}
NO_WORD = (
    "Old Word documents (.doc) need LibreOffice, which is not installed on this server. "
    "Save it as .docx and upload that, or ask the administrator to install LibreOffice."
)
NO_SLIDES = (
    "Old PowerPoint slides (.ppt) need LibreOffice, which is not installed on this server. "
    "Save it as .pptx and upload that, or ask the administrator to install LibreOffice."
)
NOT_CONVERTED = (
    "LibreOffice could not open this old office file: it may be damaged or password protected. "
    "Open it in the program it was made with, save it in the present format (.docx, .xlsx, .pptx) and upload that."
)
TOO_SLOW = (
    "LibreOffice took longer than %(seconds)s seconds to convert this old office file and was stopped. "
    "Save it in the present format (.docx, .xlsx, .pptx) and upload that."
)

OLE_AS_TEXT = ("ÐÏ", "à¡±")  # how every file of the old kinds begins

SECONDS = 120
MEMORY_MIB = 2500  # of address space, most of which it only sets aside
FILE_MIB = 512
RESTART = 81  # it ends with this when it has set up its profile, and wants to be started again
STARTS = 3
FOLDERS = ("/etc/libreoffice", "/var/lib/libreoffice", "/var/spool/libreoffice", "/var/cache/fontconfig")
SOCKETS = Path("/tmp")  # noqa: S108  the only place where it makes the socket that it does not start without
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Content/Update">
<prop oor:name="Link" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update">
<prop oor:name="Link" oor:op="fuse"><value>2</value></prop></item>
</oor:items>
"""


def office() -> Path | None:
    """LibreOffice's program, if it is installed."""
    for name in ("soffice", "libreoffice"):
        found = tool.find(name)
        program = Path(found).resolve().with_name("soffice.bin") if found else None
        if program is not None and program.exists():
            return program
    return None


@contextmanager
def readable(path: Path, name: str, limits: Limits) -> Iterator[tuple[Path, str, str]]:
    """What is to be read, the file itself or what LibreOffice made of it: its place, its name, and its old kind ("" for
    the file itself). Raises `Refused`."""
    try:
        kind = sniff(path, name)
    except (OSError, Refused):  # the reading process says what is wrong
        kind = ""
    if kind not in NEWER or (kind in WITHOUT and office() is None):
        yield path, name, ""
        return
    with converted(path, kind, limits) as made:
        yield made, made.name, kind


@contextmanager
def converted(path: Path, kind: str, limits: Limits) -> Iterator[Path]:
    """The file at `path`, of the old `kind`, as one of the new kind; gone when the block ends. Raises `Refused`:
    "no_converter", "damaged", "too_slow"."""
    program = office()
    if program is None:
        raise Refused("no_converter", NO_WORD) if kind == "doc" else Refused("no_converter", NO_SLIDES)
    with tempfile.TemporaryDirectory(prefix="beleg-office-") as folder:
        scratch = Path(folder).resolve()
        source = scratch / f"file.{kind}"
        shutil.copyfile(path, source)
        try:
            _convert(program, source, scratch, min(SECONDS, limits.seconds))
        except tool.TooSlow as error:
            raise Refused("too_slow", TOO_SLOW, seconds=round(min(SECONDS, limits.seconds))) from error
        except tool.ToolError as error:
            log.warning("LibreOffice failed: %s", error)
        made = scratch / "out" / f"file.{NEWER[kind]}"
        if not made.is_file() or made.is_symlink() or _was_taken_for_text(made):
            raise Refused("damaged", NOT_CONVERTED)
        yield made


def _was_taken_for_text(made: Path) -> bool:
    """A workbook that LibreOffice cannot open is a table of text to it: the first cell holds the file's first bytes."""
    try:
        with zipfile.ZipFile(made) as archive, archive.open("xl/sharedStrings.xml") as strings:
            head = strings.read(4096).decode("utf-8", "ignore")
    except (KeyError, OSError, ValueError, zipfile.BadZipFile):
        return False
    return all(letters in head for letters in OLE_AS_TEXT)


def _convert(program: Path, source: Path, scratch: Path, seconds: float) -> None:
    profile = f"file://{scratch}/profile"
    _write_settings(scratch / "profile" / "user")
    ends = time.monotonic() + seconds
    for start in range(1, STARTS + 1):
        try:
            tool.run(
                _command(program, source, scratch, profile),
                scratch,
                Allowance(max(ends - time.monotonic(), 1), MEMORY_MIB, FILE_MIB, output_mib=1, processes=None),
                readable=[program.parent.parent, *(Path(folder) for folder in FOLDERS)],
                sockets=[SOCKETS],
                variables={"SAL_USE_VCLPLUGIN": "svp"},
            )
            return
        except tool.Failed as failed:
            if failed.code != RESTART or start == STARTS:
                raise
        finally:
            _socket(profile).unlink(missing_ok=True)


def _command(program: Path, source: Path, scratch: Path, profile: str) -> list[str]:
    options = ("--headless", "--norestore", "--nologo", "--nodefault", "--nolockcheck", "--nofirststartwizard")
    target = NEWER[source.suffix.removeprefix(".")]
    ways = ["--convert-to", target, "--outdir", str(scratch / "out"), str(source)]
    return [str(program), f"-env:UserInstallation={profile}", *options, *ways]


def _write_settings(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "registrymodifications.xcu").write_text(SETTINGS, encoding="utf-8")


def _socket(profile: str) -> Path:
    """The socket that belongs to a profile, which stays behind since nothing but our folder may be cleared."""
    digest = hashlib.md5(profile.encode("utf-16-le"), usedforsecurity=False).digest()
    return SOCKETS / f"OSL_PIPE_SingleOfficeIPC_{''.join(f'{byte:x}' for byte in digest)}"
