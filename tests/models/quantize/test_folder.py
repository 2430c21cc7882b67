"""A result is there whole or not at all, and what was there before stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.quantize.folder import MARKER, WorkFolder, work_folder
from models.quantize.types import QuantizeError


def fill(work: WorkFolder) -> None:
    work.result.mkdir()
    (work.result / "model.safetensors").write_text("weights")
    work.log.write_text("said")


def fail(out: Path, error: type[BaseException]) -> None:
    with work_folder(out) as work:
        fill(work)
        raise error


def test_a_result_appears_at_one_stroke_with_its_log_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "model-awq"
    with work_folder(out) as work:
        fill(work)
        assert not out.exists()
        work.put()
    assert sorted(path.name for path in out.iterdir()) == ["model.safetensors", "quantize.log"]
    assert list(out.parent.iterdir()) == [out]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_nothing_but_what_the_tool_said(tmp_path: Path, error: type[BaseException]) -> None:
    with pytest.raises(error):
        fail(tmp_path / "out", error)
    assert [path.name for path in tmp_path.iterdir()] == ["out.failed.log"]


def test_a_failed_try_leaves_no_trace_once_another_worked(tmp_path: Path) -> None:
    (tmp_path / "out.failed.log").write_text("then")
    with work_folder(tmp_path / "out") as work:
        fill(work)
        work.put()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_run_left_is_cleared_and_begun_anew(tmp_path: Path) -> None:
    left = tmp_path / "out.part"
    (left / "result").mkdir(parents=True)
    (left / MARKER).touch()
    (left / "result" / "half").write_text("half")
    with work_folder(tmp_path / "out") as work:
        assert not work.result.exists()


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out.part").mkdir()
    (tmp_path / "out.part" / "thesis.tex").write_text("mine")
    with pytest.raises(QuantizeError, match="not ours"), work_folder(tmp_path / "out"):
        pass
    assert (tmp_path / "out.part" / "thesis.tex").read_text() == "mine"


def test_an_earlier_result_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(QuantizeError, match="exists already"), work_folder(tmp_path / "out"):
        pass
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_two_runs_do_not_make_the_same_folder(tmp_path: Path) -> None:
    with work_folder(tmp_path / "out") as work:
        fill(work)
        with pytest.raises(QuantizeError, match="Another process"), work_folder(tmp_path / "out"):
            pass
        assert (work.result / "model.safetensors").exists()


def test_a_rejected_result_is_kept_aside_in_place_of_an_earlier_one(tmp_path: Path) -> None:
    for _ in range(2):
        with work_folder(tmp_path / "out") as work:
            fill(work)
            work.reject()
    assert [path.name for path in tmp_path.iterdir()] == ["out.rejected"]


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(QuantizeError) as refused, work_folder(tmp_path / "file" / "out"):
        pass
    assert "--out" in refused.value.hint
