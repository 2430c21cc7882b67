"""Every package that Beleg asks for by name stands in the third-party notices, and every vendored folder too."""

from __future__ import annotations

import re
import tomllib

from models.catalogue import BUNDLES
from tests.setup.stand_ins import ROOT

NOTICES = (ROOT / "THIRD_PARTY_NOTICES.md").read_text("utf-8")
FORBIDDEN = re.compile(r"\|\s*(A?GPL)", re.IGNORECASE)


def test_every_direct_dependency_is_listed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    wanted = {name_of(one) for one in [*project["dependencies"], *(one for extra in extras for one in extra)]}
    assert wanted - listed() == set()


def test_nothing_is_listed_that_is_not_used() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert {name for name in listed() if name.lower() not in text.lower()} == set()


def test_none_of_them_is_under_the_gpl() -> None:
    assert FORBIDDEN.search(NOTICES) is None


def test_every_vendored_folder_is_listed_and_brings_its_licence() -> None:
    vendor = ROOT / "web" / "static" / "vendor"
    for folder in sorted(place for place in vendor.iterdir() if place.is_dir()):
        assert f"`web/static/vendor/{folder.name}`" in NOTICES, folder.name
        assert any(file.name.upper().startswith("LICENSE") for file in folder.iterdir()), folder.name


def test_every_model_bundle_is_listed_with_its_licence() -> None:
    for name, bundle in BUNDLES.items():
        row = next((line for line in NOTICES.splitlines() if line.startswith(f"| `{name}` |")), "")
        assert row.endswith(f"| {bundle.licence} |"), name
        assert bundle.title in row, name


def listed() -> set[str]:
    return {
        name_of(line.strip("| ")) for line in NOTICES.splitlines() if re.match(r"\| [\w.-]+ (\(profile|\|)", line)
    } - {
        "package",
        "bundle",
        "folder",
    }


def name_of(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None, requirement
    return found[0]
