"""Scripts in a tool's environment: heard while they run, explained when they fail, never waited for without end.

A shell script stands for the environment's Python; processes, pipes and logs are real.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from models.quantize import process
from models.quantize.inside.task import Task, read
from models.quantize.process import Script, last_line, run
from models.quantize.types import QuantizeError, Silent

TASK = Task("source", "out", "rtn", "llmcompressor", 64, 2, ((1, 2), (3, 4)))


def script(folder: Path, body: str) -> Script:
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{body}\n")
    python.chmod(0o755)
    return Script(python, "anything", folder / "log", folder / "task.json")


class Heard:
    def __init__(self) -> None:
        self.steps: list[tuple[str, int, int, str]] = []

    def step(self, name: str, done: int, total: int, unit: str) -> None:
        self.steps.append((name, done, total, unit))


def test_progress_is_heard_and_figures_come_back(tmp_path: Path) -> None:
    heard = Heard()
    told = run(
        script(
            tmp_path,
            """
            echo 'a package that prints to stdout'
            echo '{"step": "Quantizing", "done": 1, "total": 30, "unit": "layer"}'
            echo '{"result": {"perplexity": 12.5}}'
            """,
        ),
        TASK,
        heard,
    )
    assert told == {"perplexity": 12.5}
    assert heard.steps == [("Quantizing", 1, 30, "layer")]
    assert read(str(tmp_path / "task.json")) == TASK


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("kill -9 $$", "Memory ran out"),
        ("echo 'torch.OutOfMemoryError: CUDA out of memory.' >&2; exit 1", "Memory ran out"),
        ("echo 'OSError: [Errno 28] No space left on device' >&2; exit 1", "The disk filled up"),
        ("kill -4 $$", "lacks instructions"),
        ("printf 'Traceback\\n  line 3\\nValueError: no such layer\\n\\n' >&2; exit 1", "ValueError: no such layer"),
        ("exit 0", "it printed nothing"),
    ],
)
def test_a_failure_is_a_sentence(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(QuantizeError) as failed:
        run(script(tmp_path, body), TASK, Silent())
    assert said in failed.value.message


def test_one_that_gives_no_sign_of_life_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SILENT_SECONDS", 0.0)
    with pytest.raises(QuantizeError, match="no sign of life"):
        run(script(tmp_path, "exec sleep 600"), TASK, Silent())


def test_the_useful_line_of_a_log_is_the_error_not_what_stands_below_it() -> None:
    assert (
        last_line("KeyError: 'x'\n\n  2%|  | 1/50 [00:01<00:50, 1.0it/s]\r warning: leaked semaphore")
        == "KeyError: 'x'"
    )
    assert last_line("one\ntwo\n 10%| | 3/30 [00:01, 9.0it/s]") == "two"
    assert last_line("") == "it printed nothing"
