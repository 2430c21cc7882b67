"""Packages of Beleg's own environment, put into another one as links: torch alone is a gigabyte and ten minutes of pip.

A requirements file pins every package (`name==version`). One that is here in that very version is linked. One without
a version is linked as it is here, with what it requires: torch, so that CPU or CUDA is settled by Beleg's set-up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from models.quantize.types import QuantizeError


@dataclass(frozen=True)
class Pin:
    """A package; `version` empty: the one that is here."""

    name: str
    version: str


@dataclass(frozen=True)
class Plan:
    """Which distributions are linked, and which pins are left for pip."""

    linked: tuple[Distribution, ...]
    fetched: tuple[Pin, ...]

    @property
    def versions(self) -> list[str]:
        return [f"{one.name}=={one.version}" for one in self.linked]


def read_pins(requirements: Path) -> list[Pin]:
    """The lines of a requirements file; raises ValueError for a line that pins nothing exactly."""
    pins = []
    for line in requirements.read_text("utf-8").splitlines():
        words = line.split("#")[0].strip()
        if not words:
            continue
        found = re.fullmatch(r"([A-Za-z0-9][\w.-]*)(?:==([\w.+!]+))?", words)
        if found is None:
            raise ValueError(f"{requirements.name}: {line!r} is no exact pin")
        pins.append(Pin(found[1], found[2] or ""))
    return pins


def plan(pins: Iterable[Pin]) -> Plan:
    """Raises QuantizeError where a package without a version is not here."""
    linked: dict[str, Distribution] = {}
    pinned, open_ = [pin for pin in pins if pin.version], [pin for pin in pins if not pin.version]
    for pin in open_:
        if _here(pin.name) is None:
            raise QuantizeError(f"Beleg's own environment lacks {pin.name}.", "Set it up again: make run")
        linked.update(_with_requirements(pin.name))
    names = {_normal(pin.name) for pin in pinned}
    linked = {name: one for name, one in linked.items() if name not in names}
    fetched = []
    for pin in pinned:
        here = _here(pin.name)
        if here is not None and here.version == pin.version and here.files:
            linked[_normal(pin.name)] = here
        else:
            fetched.append(pin)
    return Plan(tuple(linked.values()), tuple(fetched))


def link(one: Distribution, site: Path) -> None:
    """Makes everything of a distribution appear in `site`: one link for each folder or file at its top."""
    tops = {file.parts[0] for file in one.files or () if len(file.parts) > 1 or file.suffix in (".py", ".so")}
    for top in sorted(tops - {"..", "__pycache__"}):
        target = Path(str(one.locate_file(top))).resolve()
        if target.exists() and not (site / top).exists():
            (site / top).symlink_to(target)


def _with_requirements(name: str) -> Iterator[tuple[str, Distribution]]:
    """A distribution that is here and all it requires, extras left out. What a marker rules out is not here either."""
    seen, waiting = set(), [_normal(name)]
    while waiting:
        next_one = waiting.pop()
        here = _here(next_one)
        if next_one in seen or here is None:
            continue
        seen.add(next_one)
        yield next_one, here
        wanted = (line for line in here.requires or () if "extra ==" not in line)
        waiting += [_normal(found[0]) for line in wanted if (found := re.match(r"[\w.-]+", line))]


def _here(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
