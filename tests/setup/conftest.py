"""A project folder to set up, and stand-ins for other programs and for the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from installer.environment import Environment
from tests.setup.stand_ins import Paper, Script


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def screen() -> Paper:
    return Paper()


@pytest.fixture
def project(tmp_path: Path) -> Environment:
    """A folder with the files that decide what is installed, and no environment yet."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "beleg"\ndependencies = ["rich"]\n[tool.ruff]\nx = 1\n')
    (tmp_path / "constraints.txt").write_text("rich==15.0.0\n")
    (tmp_path / "install.py").touch()
    return Environment(tmp_path, "cpu", ("cpu",))


@pytest.fixture
def made(project: Environment) -> Environment:
    """The same with an environment that looks whole."""
    (project.folder / "bin").mkdir(parents=True)
    (project.folder / "pyvenv.cfg").touch()
    Path(project.python).touch()
    return project
