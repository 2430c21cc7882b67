"""Renews `constraints.txt`: resolves both profiles anew and pins what they agree on.

torch, vLLM and what comes with them (CUDA, Triton) are pinned by vLLM itself and differ between the
profiles, so they stay out. Nothing is installed: pip only resolves, in an environment of its own.
"""

from __future__ import annotations

import json
import platform
import re
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from installer.environment import TORCH_INDEX, explain, missing_torch
from installer.steps import Commands, Screen

LEFT_OUT = (
    "beleg",
    "pip",
    "setuptools",
    "torch",
    "vllm",
    "nvidia",
    "cuda",
    "nccl",
    "nvtx",
    "triton",
    "intel",
    "tokenspeed",
)
"""First parts of names that the extras pin themselves, or that fit one kind of machine only."""

OLDEST_PYTHON = "3.11.0"
"""Debian 12 has 3.11.2; some packages' newest versions want a later 3.11 than that."""

Pins = dict[str, str]


def renew(root: Path, commands: Commands, screen: Screen) -> None:
    screen.begin("resolving both profiles")
    with tempfile.TemporaryDirectory(prefix="beleg-constraints-") as folder:
        python = _fresh_python(Path(folder), commands)
        cpu, gpu = (_resolve(root, extra, python, Path(folder), commands) for extra in ("cpu", "gpu"))
    pins = agreed(cpu, gpu)
    (root / "constraints.txt").write_text(rendered(pins, date.today()), "utf-8")
    screen.say(f"constraints.txt: {len(pins)} packages pinned. Run `make check test` before you commit it.")


def agreed(cpu: Mapping[str, str], gpu: Mapping[str, str]) -> Pins:
    """Pins that hold for both profiles: what only one has is kept, what they differ in is left to pip."""
    return {
        name: version
        for name, version in sorted({**gpu, **cpu}.items())
        if gpu.get(name, version) == version and not name.startswith(LEFT_OUT)
    }


def rendered(pins: Mapping[str, str], day: date) -> str:
    head = (
        f"# Versions that Beleg is tested with, for both profiles. `make constraints` renews this file.\n"
        f"# Resolved on {day.isoformat()} for Python {OLDEST_PYTHON} and newer on {platform.machine()}.\n"
        f"# torch and vLLM are pinned by the extras `cpu` and `gpu` in pyproject.toml.\n"
    )
    return head + "".join(f"{name}=={version}\n" for name, version in pins.items())


def _fresh_python(folder: Path, commands: Commands) -> str:
    python = str(folder / "venv" / "bin" / "python")
    for arguments in (
        [sys.executable, "-m", "venv", str(folder / "venv")],
        [python, "-m", "pip", "install", "--upgrade", "pip"],
    ):
        ran = commands.run(arguments)
        if ran.code:
            raise explain(ran.output, ran.code, "No environment to resolve in could be made.")
    return python


def _resolve(root: Path, extra: str, python: str, folder: Path, commands: Commands) -> Pins:
    """What pip would install for the oldest Python, as names and versions; nothing is built or installed."""
    report = folder / f"{extra}.json"
    resolve = [python, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--report", str(report)]
    resolve += ["--python-version", OLDEST_PYTHON, "--only-binary", ":all:", "--target", str(folder / "target")]
    resolve += _requirements(root, extra)
    ran = commands.run(resolve)
    if ran.code and missing_torch(ran.output):
        ran = commands.run([*resolve, "--extra-index-url", TORCH_INDEX])
    if ran.code:
        raise explain(ran.output, ran.code, f"The versions of profile `{extra}` could not be resolved.")
    installs = json.loads(report.read_text("utf-8"))["install"]
    return {_normal(one["metadata"]["name"]): one["metadata"]["version"] for one in installs}


def _requirements(root: Path, extra: str) -> list[str]:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    optional = project["optional-dependencies"]
    return [*project["dependencies"], *optional[extra], *optional["dev"]]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
