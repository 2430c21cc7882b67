"""Programs of the system that Beleg or its tests use: Chromium (with fonts to draw) for the browser tests, Tesseract
for text in pictures."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from installer.steps import Commands, Screen, SetupError

INSTALL = ("apt-get", "install", "--yes", "--no-install-recommends")
LANGUAGES = ("deu", "eng", "fra", "ita", "spa")


@dataclass(frozen=True)
class Need:
    """A program under any of its names, the Debian packages that bring it, and what is not to be had without."""

    name: str
    programs: tuple[str, ...]
    packages: tuple[str, ...]
    lack: str

    @property
    def missing(self) -> bool:
        return not any(map(shutil.which, self.programs))


NEEDS = (
    Need(
        "Chromium",
        ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
        ("chromium", "fonts-liberation"),
        "The browser tests need Chromium, which is not installed. Without it they are skipped.",
    ),
    Need(
        "Tesseract",
        ("tesseract",),
        ("tesseract-ocr", "tesseract-ocr-osd", *(f"tesseract-ocr-{language}" for language in LANGUAGES)),
        "Text in pictures and scans is recognised by Tesseract, which is not installed. Without it they are not read.",
    ),
)


def install_packages(commands: Commands, screen: Screen, variables: Mapping[str, str]) -> None:
    """What is missing. Without the right to install it, says how; under CI that is an error."""
    missing = [need for need in NEEDS if need.missing]
    if not missing:
        return
    if shutil.which("apt-get") is not None and os.geteuid() == 0:
        _install(missing, commands, screen)
        return
    what, todo = " ".join(need.lack for need in missing), _advice(missing)
    if variables.get("CI"):
        raise SetupError(what, todo)
    screen.say(f"{what}\n  {todo}")


def _install(missing: Sequence[Need], commands: Commands, screen: Screen) -> None:
    names = " and ".join(need.name for need in missing)
    screen.begin(f"{names} from the system's packages")
    for _ in range(3):
        if commands.run(["apt-get", "-o", "Acquire::Retries=3", "update"]).code == 0:
            break
    install = [*INSTALL, *_packages(missing)]
    ran = commands.run(["env", "DEBIAN_FRONTEND=noninteractive", *install])
    if ran.code:
        raise SetupError(f"{names} could not be installed.", f"Look at what apt says: {' '.join(install)}")
    screen.say(f"  Installed: {names}.")


def _packages(missing: Sequence[Need]) -> list[str]:
    return [package for need in missing for package in need.packages]


def _advice(missing: Sequence[Need]) -> str:
    if Path("/etc/debian_version").exists():
        return f"sudo apt-get update && sudo {' '.join((*INSTALL, *_packages(missing)))}"
    names = " and ".join("Chromium or Google Chrome" if n.name == "Chromium" else n.name for n in missing)
    return f"Install {names} with your system's package manager."
