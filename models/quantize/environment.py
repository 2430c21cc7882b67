"""A tool's environment: made on first use, whole or not at all, from pinned packages; see `linking.py` for what is
linked instead of fetched.

    <tools folder>/<tool>-<digest of pins, links, Python and place>/
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

from models import child
from models.package_index import NO_NETWORK
from models.quantize.linking import Pin, Plan, link, plan, read_pins
from models.quantize.room import check_disk
from models.quantize.tools import ToolKit
from models.quantize.types import Progress, QuantizeError

LOCK_SECONDS = 3600.0
PIP_SILENCE = 300.0  # seconds without a byte; it says nothing while it unpacks
PROBE_SILENCE = 600.0  # seconds; the first import compiles to bytecode
PIP = ("--no-deps", "--no-compile", "--no-build-isolation", "--progress-bar=off", "--timeout=15", "--retries=2")


def environment(kit: ToolKit, tools_dir: Path, progress: Progress) -> Path:
    """The Python of the tool's environment. Raises QuantizeError."""
    packages = plan(read_pins(kit.requirements))
    folder = tools_dir / f"{kit.name}-{_digest(kit, packages)}"
    if _is_sound(folder):
        return _python(folder)
    tools_dir.mkdir(parents=True, exist_ok=True)
    with _lock(folder, progress):
        if not _is_sound(folder):
            check_disk(tools_dir, kit.disk, f"An environment for {kit.name}")
            _make(kit, packages, folder, progress)
    return _python(folder)


def _make(kit: ToolKit, packages: Plan, folder: Path, progress: Progress) -> None:
    part, name = folder.with_name(f".{folder.name}.part"), f"Making an environment for {kit.name}"
    for left in (part, folder):  # half made; or whole, and what it links to is gone
        shutil.rmtree(left, ignore_errors=True)
    progress.step(name, 0, 0, "")
    try:
        _run([sys.executable, "-P", "-m", "venv", "--without-pip", str(part)], kit, part.parent, PIP_SILENCE)
        for one in packages.linked:
            link(one, _site(part))
        if packages.fetched:
            _run(_pip(part, packages.fetched), kit, part, PIP_SILENCE)
        _run([str(_python(part)), "-P", "-c", f"import {', '.join(kit.probe)}"], kit, part, PROBE_SILENCE)
        os.replace(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    progress.step(name, 1, 1, "")


def _pip(part: Path, fetched: tuple[Pin, ...]) -> list[str]:
    wanted = [f"{pin.name}=={pin.version}" for pin in fetched]
    return [sys.executable, "-P", "-m", "pip", "--python", str(_python(part)), "install", *PIP, *wanted]


def _run(command: list[str], kit: ToolKit, folder: Path, silence: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}
    ended = child.run(command, env=quiet, folder=folder, on_bytes=lambda _: None, silence=silence)
    if ended.code != 0:
        raise _explain(kit, ended)


def _explain(kit: ToolKit, ended: child.Finished) -> QuantizeError:
    what = f"The environment for {kit.name} could not be made"
    if "No space left" in ended.tail:
        return QuantizeError(f"{what}: the disk is full.", "Free some space and run it again.")
    if ended.stalled or any(sign in ended.tail for sign in NO_NETWORK):
        return QuantizeError(
            f"{what}: the package index cannot be reached.",
            "Check the network (behind a proxy set HTTPS_PROXY) and run it again; it is needed only this once.",
        )
    last = (ended.tail.strip().splitlines() or ["nothing was said"])[-1][-300:]
    return QuantizeError(
        f"{what}: {last}", "Run it again; if it stays so, the pinned packages do not fit this machine."
    )


def _digest(kit: ToolKit, packages: Plan) -> str:
    """Changes with everything that the environment is made of."""
    site = sysconfig.get_path("purelib")
    parts = [kit.requirements.read_text("utf-8"), *sorted(packages.versions), sys.version, str(Path(site).resolve())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _is_sound(folder: Path) -> bool:
    """It is there, and nothing it links to has gone (`make clean` takes Beleg's own environment away)."""
    return _python(folder).exists() and all(entry.exists() for entry in _site(folder).iterdir())


def _python(folder: Path) -> Path:
    return folder / "bin" / "python"


def _site(folder: Path) -> Path:
    return folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


@contextlib.contextmanager
def _lock(folder: Path, progress: Progress) -> Iterator[None]:
    """One process at a time makes it; the lock goes with its process."""
    begun = time.monotonic()
    with folder.with_name(f".{folder.name}.lock").open("w") as file:
        while not _try_lock(file.fileno()):
            progress.step("Another process makes the environment; waiting", 0, 0, "")
            if time.monotonic() - begun > LOCK_SECONDS:
                raise QuantizeError("Another process has been making this environment for an hour.", "Stop it first.")
            time.sleep(0.5)
        yield


def _try_lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
