"""Memory of a process group that a guard's note names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from models.engine.group_memory import group_memory
from models.engine.guard import write_note

HOLDS_40_MIB = "import sys; held = b'x' * (40 << 20); print('ready', flush=True); sys.stdin.read()"


def test_a_group_holds_what_its_processes_hold(tmp_path: Path) -> None:
    note = tmp_path / "engine-process.json"
    both = f"import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', {HOLDS_40_MIB!r}]); {HOLDS_40_MIB}"
    with subprocess.Popen(
        [sys.executable, "-c", both], process_group=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as leader:
        write_note(note, leader.pid)
        assert leader.stdout is not None
        assert [leader.stdout.readline() for _ in range(2)] == [b"ready\n"] * 2
        held = group_memory(note)
        leader.communicate()
    assert held is not None
    assert 80 << 20 < held < 160 << 20
    assert group_memory(note) is None, "it is gone"


def test_no_note_or_a_strange_one_is_unknown(tmp_path: Path) -> None:
    assert group_memory(tmp_path / "none.json") is None
    (tmp_path / "strange.json").write_text('{"group": "what"}')
    assert group_memory(tmp_path / "strange.json") is None
