"""A watched folder: what is in it is in the collection, whatever is done to the files."""

import os

import pytest
from sqlalchemy import update

from app.collections.edit import share
from app.db import tables
from app.documents import read
from app.documents.watch import Watcher
from app.errors import Invalid, NotFound


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "share"
    (folder / "hr").mkdir(parents=True)
    (folder / "hr" / "leave.txt").write_text("Thirty days of leave.")
    (folder / "travel.txt").write_text("Hotels cost 100 euros.")
    return folder


@pytest.fixture
def watcher(stores, anna, plans, folder):
    def make(**options):
        return Watcher(stores, anna, plans.id, folder, **options)

    return make


@pytest.fixture
def listed(database, anna, plans):
    def look():
        with database.session() as db:
            return {f"{one.folder}/{one.name}": one for one in read.list_documents(db, anna, plans.id)}

    return look


def said(steps):
    return sorted((step.kind, step.path) for step in steps)


def looks(watcher, number=2):
    return [step for _ in range(number) for step in watcher.look()]


def test_new_files_are_taken_once_they_rest(watcher, listed, folder):
    watching = watcher()
    assert watching.look() == []
    assert watching.unsettled == 2
    assert said(watching.look()) == [("new", "share/hr/leave.txt"), ("new", "share/travel.txt")]
    assert set(listed()) == {"share/hr/leave.txt", "share/travel.txt"}
    with (folder / "large.txt").open("w") as file:
        for _ in range(3):  # it grows from look to look
            file.write("more " * 100)
            file.flush()
            assert watching.look() == []
    assert said(looks(watching)) == [("new", "share/large.txt")]
    assert looks(watching) == []
    assert watching.unchanged == 3


def test_a_changed_file_is_a_revision(watcher, listed, folder):
    watching = watcher()
    looks(watching)
    (folder / "travel.txt").write_text("Hotels cost 120 euros.")
    assert said(looks(watching)) == [("changed", "share/travel.txt")]
    assert listed()["share/travel.txt"].revision == 2
    os.utime(folder / "travel.txt")  # touched, not changed
    assert looks(watching) == []


def test_a_file_that_stands_elsewhere_is_renamed(watcher, listed, folder):
    watching = watcher(delete=True)
    looks(watching)
    before = listed()["share/travel.txt"].id
    (folder / "travel.txt").rename(folder / "hr" / "Reisen.txt")
    (step,) = looks(watching)
    assert (step.kind, step.before, step.path) == ("renamed", "share/travel.txt", "share/hr/Reisen.txt")
    assert listed()["share/hr/Reisen.txt"].id == before
    (folder / "hr").rename(folder / "people")
    assert {step.kind for step in looks(watching)} == {"renamed"}
    assert set(listed()) == {"share/people/Reisen.txt", "share/people/leave.txt"}


def test_a_copy_is_a_document_of_its_own(watcher, listed, folder):
    watching = watcher()
    looks(watching)
    (folder / "copy.txt").write_bytes((folder / "travel.txt").read_bytes())
    assert said(looks(watching)) == [("new", "share/copy.txt")]
    assert len(listed()) == 3


def test_what_is_gone_is_kept_and_said_once(watcher, listed, folder):
    watching = watcher()
    looks(watching)
    (folder / "travel.txt").unlink()
    assert said(looks(watching, 4)) == [("kept", "share/travel.txt")]
    assert "share/travel.txt" in listed()


def test_what_is_gone_is_deleted_when_asked_for(watcher, listed, folder):
    watching = watcher(delete=True)
    looks(watching)
    (folder / "travel.txt").unlink()
    assert watching.look() == []  # programs delete and write anew when they save
    assert said(watching.look()) == [("deleted", "share/travel.txt")]
    assert set(listed()) == {"share/hr/leave.txt"}


def test_a_share_that_is_away_deletes_nothing(watcher, listed, folder):
    watching = watcher(delete=True)
    looks(watching)
    folder.rename(folder.parent / "away")
    steps = looks(watching, 3)
    assert {step.kind for step in steps} == {"trouble"}
    folder.mkdir()  # where it was mounted
    assert {step.kind for step in looks(watching, 3)} <= {"trouble"}
    assert len(listed()) == 2
    folder.rmdir()
    (folder.parent / "away").rename(folder)
    assert looks(watching) == []


def test_a_folder_that_cannot_be_read_deletes_nothing(watcher, listed, folder, monkeypatch):
    watching = watcher(delete=True)
    looks(watching)
    scan = os.scandir

    def forbid(path):
        if str(path).endswith("/hr"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", forbid)
    assert said(looks(watching, 3)) == [("trouble", "share/hr")]
    assert len(listed()) == 2


def test_a_restart_goes_on_where_it_was(watcher, listed, folder):
    looks(watcher())
    (folder / "hr" / "leave.txt").write_text("Thirty-one days of leave.")
    (folder / "travel.txt").rename(folder / "trips.txt")
    again = watcher()
    assert said(looks(again)) == [("changed", "share/hr/leave.txt"), ("renamed", "share/trips.txt")]
    assert looks(watcher()) == []


def test_what_cannot_be_taken_is_said_once_until_it_changes(watcher, listed, folder):
    watching = watcher()
    (folder / "empty.txt").touch()
    (folder / "program.exe").write_bytes(b"MZ\x90\x00" + bytes(range(256)) * 20)
    steps = [step for step in looks(watching) if step.kind == "refused"]
    assert [step.path for step in steps] == ["share/empty.txt", "share/program.exe"]
    assert all(step.reason for step in steps)
    assert looks(watching, 3) == []
    (folder / "empty.txt").write_text("Not empty any more.")
    assert said(looks(watching)) == [("new", "share/empty.txt")]


def test_what_others_put_into_the_collection_is_not_touched(watcher, listed, upload, folder):
    upload("own.txt", b"Uploaded by hand.")
    upload("also.txt", b"In another folder.", "shared")
    watching = watcher(delete=True)
    looks(watching, 3)
    assert {"/own.txt", "shared/also.txt"} < set(listed())


def test_a_right_taken_away_ends_it(stores, database, anna, ben, plans, folder):
    with database.session() as db:
        share(db, anna, plans.id, "Ben", may_edit=True)
    watching = Watcher(stores, ben, plans.id, folder)
    looks(watching)
    with database.session() as db:
        db.execute(update(tables.Share).values(may_edit=False))
    (folder / "new.txt").write_text("New words.")
    with pytest.raises(NotFound):
        looks(watching)


def test_the_root_of_the_file_system_is_not_watched(stores, anna, plans, tmp_path):
    with pytest.raises(Invalid):
        Watcher(stores, anna, plans.id, tmp_path.parents[len(tmp_path.parents) - 1])
