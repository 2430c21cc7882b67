"""What is taken in, and that nothing is left behind of what is not."""

import hashlib
import threading
from io import BytesIO

import pytest
from sqlalchemy import func, select, update

from app.collections.edit import create, share
from app.db import tables
from app.documents import blobs
from app.documents.accept import accept
from app.documents.read import get_document, list_documents
from app.errors import Invalid, NotFound, OutOfSpace, TooLarge, UnsupportedType


def files(settings):
    return sorted(path for path in settings.data_dir.rglob("*") if path.is_file() and "beleg.db" not in path.name)


def count(database, table):
    with database.session() as db:
        return db.scalar(select(func.count()).select_from(table))


def test_bytes_are_stored_under_their_hash(settings, upload):
    view = upload("../../Köln Übersicht.txt", b"some text")
    assert (view.name, view.state, view.size, view.format) == ("Köln Übersicht.txt", "received", 9, "text")
    sha256 = hashlib.sha256(b"some text").hexdigest()
    assert files(settings) == [settings.blobs_dir / sha256[:2] / sha256]
    assert blobs.blob_path(settings, sha256).read_bytes() == b"some text"


@pytest.mark.parametrize(
    ("name", "data", "error", "code"),
    [
        ("empty.txt", b"", Invalid, "empty"),
        ("x.bin", b"\x00\x01\x02\x03" * 100, UnsupportedType, "unknown_type"),
        ("broken.docx", b"PK\x03\x04 but no more", Invalid, "damaged"),
        ("large.txt", b"x" * (1024 * 1024 + 1), TooLarge, "too_large"),
    ],
)
def test_what_is_refused_leaves_nothing_behind(settings, database, upload, name, data, error, code):
    with pytest.raises(error) as raised:
        upload(name, data)
    assert raised.value.code == code
    assert files(settings) == []
    assert count(database, tables.Document) == count(database, tables.Content) == 0


def test_a_file_at_the_limit_is_taken(upload):
    assert upload("large.txt", b"x" * 1024 * 1024).size == 1024 * 1024


def test_a_size_that_is_known_is_refused_before_anything_is_read(stores, anna, plans):
    class Never:
        def read(self, _size):
            raise AssertionError("was read")

    with pytest.raises(TooLarge, match=r"5 MiB.*1 MiB"):
        accept(stores, anna, plans.id, "x.txt", Never(), size=5 * 1024 * 1024)


def test_a_full_disk_is_said(settings, upload, monkeypatch):
    monkeypatch.setattr(blobs, "KEEP_FREE", 1 << 62)
    with pytest.raises(OutOfSpace):
        upload("x.txt", b"text")
    assert files(settings) == []


def test_an_upload_that_breaks_off_leaves_nothing(settings, stores, database, anna, plans):
    class Broken(BytesIO):
        def read(self, size=-1):
            if self.tell():
                raise ConnectionResetError
            return super().read(4)

    with pytest.raises(ConnectionResetError):
        accept(stores, anna, plans.id, "x.txt", Broken(b"some text"))
    assert files(settings) == []
    assert count(database, tables.Document) == 0


def test_the_same_file_again_is_the_same_document(upload, settings):
    first = upload("a.txt", b"text")
    again = upload("a.txt", b"text")
    assert (again.id, again.existed) == (first.id, True)
    assert not first.existed
    assert len(files(settings)) == 1


def test_the_same_bytes_elsewhere_are_read_once(database, upload, settings):
    first = upload("a.txt", b"text")
    with database.session() as db:
        db.execute(update(tables.Content).values(state="ready"))
    for name, folder in (("b.txt", ""), ("a.txt", "folder")):
        other = upload(name, b"text", folder)
        assert other.id != first.id
        assert other.state == "ready"
    assert count(database, tables.Content) == 1
    assert len(files(settings)) == 1


def test_the_same_bytes_of_another_kind_are_read_for_themselves(database, upload, settings):
    upload("a.txt", b"# text")
    assert upload("a.md", b"# text").format == "markdown"
    assert count(database, tables.Content) == 2
    assert len(files(settings)) == 1


def test_new_bytes_under_an_old_name_are_its_next_revision(database, anna, plans, upload):
    assert upload("a.txt", b"one").revision == 1
    assert upload("a.txt", b"two").revision == 2
    upload("b.txt", b"three")
    with database.session() as db:
        found = [(view.name, view.revision, view.same_name) for view in list_documents(db, anna, plans.id)]
    assert found == [("b.txt", 1, False), ("a.txt", 2, False)]


def test_only_who_may_edit_uploads(stores, database, anna, ben, plans, upload):
    for id in (plans.id, "nothing"):
        with pytest.raises(NotFound, match="no such collection"):
            accept(stores, ben, id, "x.txt", BytesIO(b"text"))
    with database.session() as db:
        share(db, anna, plans.id, "Ben")
    with pytest.raises(NotFound):
        upload("x.txt", b"text", viewer=ben)
    with database.session() as db:
        share(db, anna, plans.id, "Ben", may_edit=True)
    assert upload("x.txt", b"text", viewer=ben).uploaded_by == "Ben"


def test_a_right_taken_away_during_the_upload_counts(stores, database, anna, ben, plans):
    with database.session() as db:
        share(db, anna, plans.id, "Ben", may_edit=True)

    class Slow(BytesIO):
        def read(self, size=-1):
            with database.session() as db:
                share(db, anna, plans.id, "Ben", may_edit=False)
            return super().read(size)

    with pytest.raises(NotFound):
        accept(stores, ben, plans.id, "x.txt", Slow(b"text"))
    assert count(database, tables.Document) == 0


@pytest.mark.parametrize(("code", "state"), [("crashed", "received"), ("password_protected", "refused")])
def test_a_refusal_that_was_not_the_files_fault_is_tried_again(database, upload, code, state):
    upload("a.txt", b"text")
    with database.session() as db:
        db.execute(update(tables.Content).values(state="refused", refusal_code=code, refusal="No.", attempts=3))
    assert upload("b.txt", b"text").state == state


def test_a_blob_that_was_lost_comes_back_with_the_next_upload(database, upload, settings):
    view = upload("a.txt", b"text")
    with database.session() as db:
        db.execute(update(tables.Content).values(state="refused", refusal_code="missing"))
    blobs.blob_path(settings, view.sha256).unlink()
    assert upload("a.txt", b"text").state == "received"
    assert blobs.blob_path(settings, view.sha256).exists()


def test_many_at_once_are_one_content(database, settings, upload):
    errors = []

    def put(number):
        try:
            upload(f"{number % 4}.txt", b"the same text")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert count(database, tables.Content) == 1
    assert count(database, tables.Document) == 4
    assert len(files(settings)) == 1


def test_a_document_of_a_foreign_collection_looks_like_none(database, anna, ben, upload):
    view = upload("a.txt", b"text")
    seen = set()
    with database.session() as db:
        assert get_document(db, anna, view.id).id == view.id
        for id in (view.id, "nothing"):
            with pytest.raises(NotFound) as error:
                get_document(db, ben, id)
            seen.add((str(error.value), error.value.hint, error.value.code))
    assert len(seen) == 1


def test_what_a_crash_left_is_swept(database, settings, upload):
    kept = upload("a.txt", b"text")
    orphan = settings.blobs_dir / "ab" / ("ab" * 32)
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(b"left by a crash")
    (settings.pictures_dir / ("cd" * 32)).mkdir(parents=True)
    assert blobs.sweep(database, settings) == 2
    assert files(settings) == [blobs.blob_path(settings, kept.sha256)]


def test_other_owners_collections_share_bytes_not_sight(database, stores, ben, upload):
    upload("a.txt", b"text")
    with database.session() as db:
        own = create(db, ben, "Own")
    view = accept(stores, ben, own.id, "mine.txt", BytesIO(b"text"))
    with database.session() as db:
        assert [one.name for one in list_documents(db, ben, own.id)] == [view.name] == ["mine.txt"]
    assert count(database, tables.Content) == 1
