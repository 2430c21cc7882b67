"""Case 23: what the disk does to the index is noticed, and never yields a wrong passage."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from index_entries import DIM, entry, vector

from ingestion.index.store import Index, IndexLost, IndexWriter, Query, inspect_index

TEXTS = ["alpha beta gamma", "delta epsilon zeta", "eta theta iota"]


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    file.write_bytes(data)


def empty(file: Path) -> None:
    file.write_bytes(b"")


HARMS: list[Callable[[Path], None]] = [truncate, flip, empty, Path.unlink]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two generations: content 1 in both, content 2 in the second."""
    with IndexWriter(tmp_path / "index", "m", DIM) as writer:
        for content in (1, 2):
            writer.add([entry(content, TEXTS)])
            writer.commit()
    return tmp_path / "index"


def contents(root: Path) -> tuple[set[int], set[str]]:
    index = Index(root, "m", DIM)
    hits = index.search(Query(TEXTS[0], vector(TEXTS[0]), [1, 2]))
    assert {hit.ordinal for hit in hits[: len({h.content_id for h in hits})]} == {0}
    return {hit.content_id for hit in hits}, {problem.code for problem in index.problems}


def own_files(root: Path) -> list[str]:
    """Files of the newest generation that the one before does not share, and `CURRENT`."""
    old, new = sorted(root.glob("generation-*"))
    shared = {file.stat().st_ino for file in old.rglob("*")}
    own = [f for f in new.rglob("*") if f.is_file() and f.stat().st_ino not in shared and f.suffix != ".lock"]
    return ["CURRENT", *(str(file.relative_to(root)) for file in own)]


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_generation_is_passed_over(root: Path, harm: Callable[[Path], None], tmp_path: Path) -> None:
    for number, name in enumerate(own_files(root)):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(root, copy)
        harm(copy / name)
        found, problems = contents(copy)
        assert problems == {"damaged"}, name
        assert found == ({1, 2} if name == "CURRENT" else {1}), name
        if number % 4:
            continue
        with IndexWriter(copy, "m", DIM) as writer:  # and the writer mends it
            assert writer.problems
            assert writer.contents() == found
            writer.add([entry(2, TEXTS)])
            writer.commit()
            assert writer.verify() == []
        assert contents(copy) == ({1, 2}, set())


def test_with_no_good_generation_a_search_says_so(root: Path) -> None:
    for manifest in root.glob("generation-*/manifest.json"):
        truncate(manifest)
    index = Index(root, "m", DIM)
    assert not index.ready
    with pytest.raises(IndexLost, match="reindex"):
        index.search(Query("alpha", None, [1]))
    with IndexWriter(root, "m", DIM) as writer:
        assert {problem.code for problem in writer.problems} == {"damaged", "lost"}
        assert writer.contents() == set()
        writer.add([entry(1, TEXTS)])
        assert writer.commit() == 3
    assert index.ready
    assert index.search(Query("alpha", None, [1]))[0].ordinal == 0
    assert len(list(root.glob("generation-*"))) == 1


def test_an_open_index_keeps_its_good_generation(root: Path) -> None:
    index = Index(root, "m", DIM)
    assert index.refresh() == 2
    with IndexWriter(root, "m", DIM) as writer:
        writer.remove([2])
        writer.commit()
    flip(next(root.glob("generation-*/vectors-*")))
    assert index.search(Query("alpha", None, [1]))[0].content_id == 1
    assert {problem.code for problem in index.problems} == {"damaged", "lost"}
    assert index.ready


def test_an_inspection_says_what_is_there_and_what_is_wrong(root: Path, tmp_path: Path) -> None:
    report = inspect_index(root)
    assert report.problems == ()
    assert "generation 2: 6 passages of 2 documents" in report.summary
    truncate(next(root.glob("generation-00000002/contents.json")))
    report = inspect_index(root)
    assert "contents.json has" in report.problems[0]
    assert "generation 1: 3 passages" in report.summary
    assert inspect_index(tmp_path / "nothing").summary == "nothing was indexed yet"


def test_verify_reads_everything_again(root: Path) -> None:
    with IndexWriter(root, "m", DIM) as writer:
        assert writer.verify() == []
        flip(next(root.glob("generation-00000002/vectors-*")))
        (problem,) = writer.verify()
        assert problem.code == "damaged"
        assert "checksum" in problem.text


def test_leftovers_of_a_crash_are_swept_away(root: Path) -> None:
    shutil.copytree(root / "generation-00000002", root / "generation-00000003")
    shutil.copytree(root / "generation-00000002", root / "building")
    (root / "CURRENT.new").write_text("half")
    with IndexWriter(root, "m", DIM) as writer:
        assert writer.problems == ()
        assert not (root / "building").exists()
        assert not (root / "generation-00000003").exists()
        assert writer.contents() == {1, 2}


def test_a_full_disk_loses_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with IndexWriter(root, "m", DIM) as writer:
        writer.add([entry(3, TEXTS)])
        writer.remove([1])
        with monkeypatch.context() as patch:
            patch.setattr("ingestion.index.generation.sync", _full)
            with pytest.raises(OSError, match="No space"):
                writer.commit()
        assert contents(root) == ({1, 2}, set())
        assert not (root / "building").exists()
        writer.commit()
        assert writer.contents() == {2, 3}
        assert writer.verify() == []


def _full(path: Path) -> None:
    raise OSError(28, "No space left on device")
