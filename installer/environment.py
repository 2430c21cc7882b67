"""The environment `.venv`: made, filled, mended, tried out, and stamped so that the next run is idle."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from installer.machine import Profile
from installer.steps import Commands, Screen, SetupError, Step, bytes_in, readable

TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
"""PyTorch's own index of CPU wheels, used for torch alone and only where pip does not find that version
by itself. `BELEG_TORCH_INDEX` names another, for example a mirror in the house."""

TRY_OUT = "import vllm, transformers, sentence_transformers, faiss, tantivy, pypdfium2, fastapi, sqlalchemy"
UNNEEDED = ("torchvision", "torchaudio", "torchcodec")


@dataclass(frozen=True)
class Environment:
    """Paths of one set-up. `extras` are the names in brackets: `cpu` or `gpu`, and `dev`."""

    root: Path
    profile: Profile
    extras: tuple[str, ...]
    torch_index: str = TORCH_INDEX

    @property
    def folder(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")

    @property
    def stamp(self) -> Path:
        return self.folder / "beleg-installed.json"

    @property
    def unfinished(self) -> Path:
        """Lies there while packages are being changed; found later, it says that this was cut short."""
        return self.folder / "beleg-unfinished"

    @property
    def record(self) -> Path:
        return self.folder / "beleg-install.json"

    @property
    def constraints(self) -> Path:
        return self.root / "constraints.txt"


def is_done(environment: Environment) -> bool:
    """True when a finished set-up of these very versions, in this folder, has at least what is asked for."""
    try:
        stamp = json.loads(environment.stamp.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return (
        isinstance(stamp, dict)
        and stamp.get("key") == key(environment)
        and set(environment.extras) <= set(stamp.get("extras", ()))
        and Path(environment.python).exists()
        and not environment.unfinished.exists()
    )


def key(environment: Environment) -> str:
    """Changes with what is installed (dependencies, pins, profile) and where; not with linter settings."""
    project = tomllib.loads((environment.root / "pyproject.toml").read_text("utf-8"))
    parts = [project.get("build-system"), project.get("project"), project.get("tool", {}).get("setuptools")]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
    digest.update(environment.constraints.read_bytes())
    digest.update(f"{environment.profile} {environment.root}".encode())
    return digest.hexdigest()


def write_stamp(environment: Environment) -> None:
    stamp = {"key": key(environment), "profile": environment.profile, "extras": environment.extras}
    environment.stamp.write_text(json.dumps(stamp) + "\n", "utf-8")
    environment.unfinished.unlink(missing_ok=True)


def make(environment: Environment, commands: Commands, screen: Screen) -> bool:
    """A new `.venv`, unless a sound one is there; True if it is new. A half-made one is taken away."""
    folder = environment.folder
    if environment.unfinished.exists():
        screen.say("  The last set-up was interrupted: its environment is taken away and made anew.")
    elif _is_sound(environment, commands):
        environment.unfinished.touch()
        return False
    elif folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise SetupError(
            f"{folder} exists and is no virtual environment.", "Move it out of the way and run this again."
        )
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    environment.unfinished.touch()
    ran = commands.run([sys.executable, "-m", "venv", str(folder)])
    if ran.code:
        raise explain(ran.output, ran.code, "The virtual environment could not be made.")
    return True


def update_pip(environment: Environment, commands: Commands) -> None:
    ran = commands.run([environment.python, "-m", "pip", "install", "--upgrade", "pip"])
    if ran.code or index_is_unreachable(ran.output):
        raise explain(ran.output, ran.code, "pip could not be updated.")


def install(environment: Environment, commands: Commands, screen: Screen, step: Step) -> None:
    """Beleg and what it needs. torch's CPU build comes from PyTorch's index if pip finds it nowhere else."""
    watch = _watch(environment.folder, screen, step)
    pip = [environment.python, "-m", "pip", "install", "--progress-bar", "raw"]
    everything = [
        *pip,
        "--editable",
        f"{environment.root}[{','.join(environment.extras)}]",
        "--constraint",
        str(environment.constraints),
    ]
    ran = commands.run(everything, watch)
    torch = missing_torch(ran.output) if ran.code else ""
    if torch:
        screen.say(f"  {torch} is not on the package index; it comes from {environment.torch_index}")
        ran = commands.run([*pip, "--no-deps", "--index-url", environment.torch_index, torch], watch)
        ran = ran if ran.code else commands.run(everything, watch)
    if ran.code:
        raise explain(ran.output, ran.code, "The packages could not be installed.")


def missing_torch(output: str) -> str:
    """The torch that pip looked for in vain (`torch==2.13.0+cpu`), or an empty string."""
    found = re.search(r"No matching distribution found for (torch==[\w.+]+)", output)
    return found[1] if found else ""


def mend_torchvision(environment: Environment, commands: Commands) -> None:
    """A torchvision that does not load beside this torch keeps language models from loading: away with it."""
    if commands.run([environment.python, "-c", "import torchvision"]).code:
        commands.run([environment.python, "-m", "pip", "uninstall", "--yes", *UNNEEDED])


def try_out(environment: Environment, commands: Commands) -> None:
    ran = commands.run([environment.python, "-c", TRY_OUT])
    if ran.code in (-4, 132):
        raise SetupError(
            "This processor lacks instructions that the packages were built for (illegal instruction).",
            "In a virtual machine, set the CPU type to `host`; otherwise use another machine.",
        )
    if ran.code:
        raise explain(ran.output, ran.code, "The packages are installed but do not load.")


def explain(output: str, code: int, what: str) -> SetupError:
    """Turns what pip said into what happened and what to do."""
    if "No space left on device" in output:
        return SetupError(
            f"{what} The disk is full.",
            "Free some space (TMPDIR names pip's working folder), then run this again.",
        )
    if "CERTIFICATE_VERIFY_FAILED" in output:
        return SetupError(
            f"{what} The package index's certificate is not trusted here.",
            "Behind a proxy that opens TLS, set PIP_CERT to your company's certificate file.",
        )
    if index_is_unreachable(output):
        return SetupError(
            f"{what} The package index cannot be reached.",
            "Check the network. Behind a proxy set HTTPS_PROXY; with your own index set PIP_INDEX_URL. "
            "Then run this again: it goes on from what is there.",
        )
    if code in (-9, 137):
        return SetupError(
            f"{what} It was killed, most likely for want of memory.",
            "Close other programs and run this again.",
            cut_short=True,
        )
    if "ResolutionImpossible" in output:
        return SetupError(f"{what} The pinned versions contradict each other.", "Renew them with `make constraints`.")
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "")
    return SetupError(
        f"{what} The last thing said was: {last}", "Run this again; if it happens again, the log says more."
    )


def index_is_unreachable(output: str) -> bool:
    signs = (
        "NewConnectionError",
        "NameResolutionError",
        "ConnectTimeoutError",
        "ReadTimeoutError",
        "ProxyError",
        "Connection refused",
        "Temporary failure in name resolution",
        "Network is unreachable",
        "Max retries exceeded",
    )
    return any(sign in output for sign in signs) and "Successfully installed" not in output


def _is_sound(environment: Environment, commands: Commands) -> bool:
    """The environment starts, has a Python that fits and a pip."""
    if not Path(environment.python).exists():
        return False
    ask = "import sys, pip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))"
    return commands.run([environment.python, "-c", ask]).code == 0


def _watch(folder: Path, screen: Screen, step: Step) -> Callable[[str], None]:
    """Reads along with pip: shows which package it is at and adds up what it downloads."""
    doing = "packages"

    def on_line(line: str) -> None:
        nonlocal doing
        words = line.split()
        if line.startswith("Progress ") and len(words) == 4:
            screen.detail(f"{doing}: {readable(int(words[1]))} of {readable(int(words[3]))}")
        elif words[:1] == ["Collecting"]:
            doing = f"looking for {_name(words[1:])}"
            screen.detail(doing)
        elif words[:1] == ["Downloading"]:
            step.fetched_bytes += bytes_in(line)
            doing = f"downloading {_name(words[1:])}"
            screen.detail(doing)
        elif line.startswith("Installing collected packages:"):
            screen.detail(_unpacking(folder, line.count(",") + 1))

    return on_line


def _unpacking(folder: Path, wanted: int) -> Callable[[], str]:
    """pip says nothing while it unpacks; each package's folder of metadata is the last thing it writes."""

    def count() -> int:
        return sum(1 for _ in folder.glob("lib/python*/site-packages/*.dist-info"))

    before = count()
    return lambda: f"unpacking packages: {min(max(count() - before, 0), wanted)} of {wanted}"


def _name(words: Sequence[str]) -> str:
    return re.split(r"[-=<>!~;\[ ]\d|[=<>!~;\[ ]", words[0].rsplit("/", 1)[-1])[0] if words else ""
