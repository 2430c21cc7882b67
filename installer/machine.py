"""What this machine has and whether that is enough: system, Python, disk, memory, graphics card."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from installer.steps import Commands, Screen, SetupError, readable

Profile = Literal["cpu", "gpu"]

GB = 1_000_000_000
ENVIRONMENT_BYTES: Mapping[Profile, int] = {"cpu": 5 * GB, "gpu": 15 * GB}
"""Free space that `.venv` wants (measured: 4.3 GB for `cpu`)."""
DOWNLOAD_BYTES: Mapping[Profile, int] = {"cpu": 3 * GB // 2, "gpu": 4 * GB}
"""Free space that pip wants in its working folder while it downloads (measured: 1.05 GB and 2.8 GB)."""
MODEL_BYTES = 6 * GB
"""Free space that the default models want: the download, its converted form and room while converting."""
OLDEST_GLIBC = (2, 31)
COMFORTABLE_MEMORY = 10 * GB
CARD_DEVICES = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg")
"""A driver's devices: the first card, the control device (containers), Windows' graphics in WSL 2."""
NVIDIA_SECONDS = 30
"""A broken driver can let nvidia-smi hang."""


@dataclass(frozen=True)
class Machine:
    """The facts that decide, read once; tests make their own."""

    system: str
    processor: str
    libc: tuple[str, str]
    flags: frozenset[str]
    memory: int
    has_venv: bool
    has_card: bool
    has_compiler: bool


def look() -> Machine:
    return Machine(
        system=platform.system(),
        processor=platform.machine().lower(),
        libc=platform.libc_ver(),
        flags=_processor_flags(),
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        has_venv=all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")),
        has_card=any(Path(device).exists() for device in CARD_DEVICES),
        has_compiler=any(map(shutil.which, ("cc", "gcc", "clang"))) and _has_headers(),
    )


def choose_profile(machine: Machine, environment: Mapping[str, str], commands: Commands) -> Profile:
    """`gpu` where an NVIDIA card answers, else `cpu`; `BELEG_PROFILE` has the last word."""
    named = environment.get("BELEG_PROFILE", "").strip().lower()
    if named in ("cpu", "gpu"):
        return cast(Profile, named)
    if named:
        raise SetupError(f"BELEG_PROFILE is `{named}`.", "Set it to `cpu` or `gpu`, or leave it away.")
    return "gpu" if machine.has_card and _nvidia_answers(commands) else "cpu"


def check(machine: Machine, profile: Profile, screen: Screen) -> None:
    """Raises SetupError where the set-up would fail later, in an hour and less plainly."""
    _check_system(machine)
    _check_processor(machine, profile)
    if not machine.has_venv:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise SetupError(
            f"This Python ({sys.executable}) cannot make environments: `venv` or `ensurepip` is missing.",
            f"On Debian and Ubuntu: sudo apt-get install python{version}-venv   (then run this again)",
        )
    for note in _notes(machine, profile):
        screen.say(f"  Note: {note}")


def check_disk(root: Path, models: Path, profile: Profile, present: int) -> None:
    """SetupError where a file system has too little room. `present` bytes of `.venv` are there already."""
    wishes = (
        (root, max(ENVIRONMENT_BYTES[profile] - present, GB)),
        (Path(tempfile.gettempdir()), DOWNLOAD_BYTES[profile]),
        (models, 0 if models.is_dir() and any(models.iterdir()) else MODEL_BYTES),
    )
    disks: dict[int, tuple[Path, int]] = {}
    for folder, amount in wishes:
        existing = _nearest(folder)
        place, before = disks.get(existing.stat().st_dev, (existing, 0))
        disks[existing.stat().st_dev] = (place, before + amount)
    for place, amount in disks.values():
        free = shutil.disk_usage(place).free
        if free < amount:
            raise SetupError(
                f"Too little room on the disk: {place} has {readable(free)} free, {readable(amount)} are wanted.",
                f"Free some space there, or put things elsewhere: this folder ({root}), the models "
                f"(BELEG_MODELS_DIR, now {models}), pip's working folder (TMPDIR, now {tempfile.gettempdir()}).",
            )


def _notes(machine: Machine, profile: Profile) -> Iterator[str]:
    """What works, but perhaps not as hoped."""
    if machine.memory < COMFORTABLE_MEMORY:
        has = readable(machine.memory)
        yield f"{has} of memory is little for the default model; BELEG_MODEL=qwen2.5-coder-0.5b needs less."
    if profile == "cpu" and machine.has_card:
        yield (
            "there seems to be a graphics card, but `nvidia-smi -L` names none, so this is set up for the CPU. "
            "With the driver mended, `make clean run` uses the card."
        )
    if profile == "gpu" and not machine.has_compiler:
        python = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        yield (
            "vLLM compiles for NVIDIA cards at its start and wants a C compiler and Python's headers: "
            f"sudo apt-get install gcc {python}-dev"
        )


def _check_system(machine: Machine) -> None:
    if machine.system != "Linux" or machine.processor not in ("x86_64", "amd64", "aarch64", "arm64"):
        raise SetupError(
            f"Beleg starts vLLM, which is packaged for Linux on x86_64 and aarch64; "
            f"this is {machine.system} on {machine.processor}.",
            "Use a Linux machine (on Windows: WSL 2), or a Linux container or virtual machine.",
        )
    name, version = machine.libc
    if name != "glibc" or _numbers(version) < OLDEST_GLIBC:
        raise SetupError(
            f"vLLM's packages want glibc 2.31 or newer; here is {name or 'another C library'} {version}.",
            "Use Debian 11, Ubuntu 20.04, RHEL 9 or anything newer (Alpine will not do).",
        )


def _check_processor(machine: Machine, profile: Profile) -> None:
    if profile == "cpu" and machine.processor in ("x86_64", "amd64") and "avx2" not in machine.flags:
        raise SetupError(
            "This processor has no AVX2, and vLLM computes with nothing older.",
            "Use a machine from 2015 or later; in a virtual machine, set the CPU type to `host`.",
        )


def _processor_flags() -> frozenset[str]:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return frozenset()
    lines = (line.split(":", 1)[1] for line in text.splitlines() if line.startswith("flags"))
    return frozenset(next(lines, "").split())


def _has_headers() -> bool:
    return (Path(sysconfig.get_paths()["include"]) / "Python.h").exists()


def _nvidia_answers(commands: Commands) -> bool:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return False
    try:
        ran = commands.run([tool, "-L"], silence=NVIDIA_SECONDS)
    except SetupError:
        return False
    return ran.code == 0 and "GPU " in ran.output


def _nearest(folder: Path) -> Path:
    """The folder, or the closest one above it that exists."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
