"""A project folder to set up, and programs that answer from a script."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from installer.environment import Environment  # noqa: E402
from installer.steps import Ran, Screen  # noqa: E402


class Script:
    """Stands for other programs: the first answer whose words all occur in the command is given, else success."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: list[tuple[tuple[str, ...], Callable[[], Ran]]] = []

    def when(self, *words: str, code: int = 0, says: str = "", times: int = 1000) -> None:
        left = [times]

        def answer() -> Ran:
            left[0] -= 1
            return Ran(code, says) if left[0] >= 0 else Ran(0, "")

        self.answers.append((words, answer))

    def run(self, arguments: Sequence[str], on_line: Callable[[str], None] | None = None) -> Ran:
        command = " ".join(arguments)
        self.asked.append(command)
        for words, answer in self.answers:
            if all(word in command for word in words):
                ran = answer()
                for line in ran.output.splitlines() if on_line else ():
                    on_line(line)
                return ran
        return Ran(0, "")


class Paper(Screen):
    """A screen whose text can be read."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())

    @property
    def text(self) -> str:
        return self.stream.getvalue()


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
