"""Case 23: kill -9 at any moment of a commit leaves the old or the new generation, whole."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from index_entries import DIM, entry, vector

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

STEPS = """
import os, shutil, sys
sys.path.insert(0, sys.argv[2])
from index_entries import DIM, entry
from ingestion.index.store import IndexWriter

def die_at(step):
    count = 0
    def hook(event, args):
        nonlocal count
        if event == "open" or event.startswith(("os.", "shutil.")):
            count += 1
            if count == step:
                os._exit(9)
    sys.addaudithook(hook)

for step in range(1, 2000, 6):
    root = f"{sys.argv[1]}-{step}"
    shutil.copytree(sys.argv[1], root)
    child = os.fork()
    if not child:
        writer = IndexWriter(root, "m", DIM)
        writer.remove([1])
        writer.add([entry(3, ["document three"])])
        die_at(step)
        writer.commit()
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        break
"""


def test_a_writer_that_dies_at_any_step_leaves_a_whole_index(tmp_path: Path) -> None:
    """The process ends at the 1st, 7th, 13th ... file operation of a commit that adds a content and removes another."""
    root = tmp_path / "index"
    with IndexWriter(root, "m", DIM) as writer:
        for content in (1, 2):
            writer.add([entry(content, [f"document {content}"])])
            writer.commit()
    subprocess.run([sys.executable, "-c", STEPS, str(root), str(Path(__file__).parent)], check=True, timeout=120)
    copies = sorted(tmp_path.glob("index-*"), key=lambda path: int(path.name.split("-")[1]))
    outcomes = [_outcome(copy) for copy in copies]
    assert outcomes == sorted(outcomes, key=lambda found: 3 in found)
    assert {frozenset({1, 2}), frozenset({2, 3})} == set(outcomes)
    assert len(outcomes) > 15


def _outcome(root: Path) -> frozenset[int]:
    index = Index(root, "m", DIM)
    hits = index.search(Query("document", vector("document"), range(10)))
    found = frozenset(hit.content_id for hit in hits)
    assert index.problems == ()
    with IndexWriter(root, "m", DIM) as writer:
        assert (writer.problems, writer.contents(), writer.verify()) == ((), found, [])
    assert not (root / "building").exists()
    if 1 not in found:  # removed: gone from the older generation, too
        assert len(list(root.glob("generation-*"))) == 1
    return found


def test_a_killed_writer_leaves_a_whole_index(tmp_path: Path) -> None:
    random.seed(7)
    for _ in range(8):
        acknowledged = _write_until_killed(tmp_path, random.uniform(0.0, 1.2))
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
    assert found


def _write_until_killed(root: Path, commits: float) -> int:
    """Highest number whose commit the child reported before it was killed, so many commits' time after the second."""
    command = [sys.executable, "-c", CHILD, str(root), str(Path(__file__).parent)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    reported = [child.stdout.readline(), child.stdout.readline()]
    started = time.monotonic()
    reported.append(child.stdout.readline())
    time.sleep(commits * (time.monotonic() - started))
    child.send_signal(signal.SIGKILL)
    reported.extend(child.stdout)
    child.wait(timeout=30)
    return int(reported[-1])


def _expected(number: int) -> set[int]:
    gone = {n - 2 for n in range(3, number + 1, 3)}
    return set(range(1, number + 1)) - gone
