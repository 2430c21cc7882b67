"""Case 23: kill -9 at any moment of a commit leaves the old or the new generation, whole."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from index_entries import DIM, vector

from ingestion.index.store import Index, IndexWriter, Query

CHILD = """
import sys
sys.path.insert(0, sys.argv[2])
from index_entries import DIM, entry
from ingestion.index.store import IndexWriter
with IndexWriter(sys.argv[1], "m", DIM) as writer:
    number = max(writer.contents(), default=0)
    print("open", flush=True)
    while True:
        number += 1
        writer.add([entry(number, [f"document {number} part {part}" for part in range(5)])])
        if number % 3 == 0:
            writer.remove([number - 2])
        writer.commit()
        print(number, flush=True)
"""


def test_a_killed_writer_leaves_a_whole_index(tmp_path: Path) -> None:
    random.seed(7)
    last = 0
    for _ in range(8):
        acknowledged = _write_until_killed(tmp_path, last, random.uniform(0.0, 0.25))
        index = Index(tmp_path, "m", DIM)
        hits = index.search(Query("document", vector("document"), range(10_000), limit=10_000))
        found = {hit.content_id for hit in hits}
        assert index.problems == ()
        assert found in (_expected(acknowledged), _expected(acknowledged + 1))
        assert len(hits) == 5 * len(found)
        with IndexWriter(tmp_path, "m", DIM) as writer:
            assert writer.problems == ()
            assert writer.contents() == found
            assert writer.verify() == []
        names = {path.name for path in tmp_path.iterdir()}
        assert "building" not in names
        assert len([name for name in names if name.startswith("generation-")]) <= 2
        last = max(found, default=0)
    assert last > 0


def _write_until_killed(root: Path, last: int, seconds: float) -> int:
    """Highest number whose commit the child reported before it was killed, `seconds` after its first commit."""
    command = [sys.executable, "-c", CHILD, str(root), str(Path(__file__).parent)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "open\n"
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    reported = [line for line in child.stdout.read().split("\n") if line]
    child.wait(timeout=30)
    return int(reported[-1]) if reported else last


def _expected(number: int) -> set[int]:
    gone = {n - 2 for n in range(3, number + 1, 3)}
    return set(range(1, number + 1)) - gone
