"""System packages that the tests need: Chromium, and fonts so that it has letters to draw."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from installer.steps import Commands, Screen, SetupError

PACKAGES = ("chromium", "fonts-liberation")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = ("apt-get", "install", "--yes", "--no-install-recommends", *PACKAGES)


def install_packages(commands: Commands, screen: Screen, variables: Mapping[str, str]) -> None:
    """Chromium where it is missing. Without the right to install it, says how; under CI that is an error."""
    if any(map(shutil.which, BROWSERS)):
        return
    if shutil.which("apt-get") is not None and os.geteuid() == 0:
        _install(commands, screen)
        return
    what = "The browser tests need Chromium, which is not installed."
    todo = _advice()
    if variables.get("CI"):
        raise SetupError(what, todo)
    screen.say(f"{what} Without it they are skipped.\n  {todo}")


def _install(commands: Commands, screen: Screen) -> None:
    screen.begin("Chromium from the system's packages")
    for _ in range(3):
        if commands.run(["apt-get", "-o", "Acquire::Retries=3", "update"]).code == 0:
            break
    ran = commands.run(["env", "DEBIAN_FRONTEND=noninteractive", *INSTALL])
    if ran.code:
        raise SetupError("Chromium could not be installed.", f"Look at what apt says: {' '.join(INSTALL)}")
    screen.say("  Chromium is installed.")


def _advice() -> str:
    if Path("/etc/debian_version").exists():
        return f"sudo apt-get update && sudo {' '.join(INSTALL)}"
    return "Install Chromium or Google Chrome with your system's package manager."
