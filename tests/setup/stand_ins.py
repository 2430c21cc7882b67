"""Stand-ins of the set-up's tests: programs that answer from a script, a screen whose text can be read."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

from installer.steps import Ran, Screen

ROOT = Path(__file__).resolve().parents[2]


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

    def run(self, arguments: Sequence[str], on_line: Callable[[str], None] | None = None, silence: float = 0) -> Ran:
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
