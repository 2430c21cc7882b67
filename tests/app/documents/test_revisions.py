"""New bytes under an old name: the next revision, searched once it is ready, while old answers keep what they cited."""

import threading

import pytest
from sqlalchemy import select, update

from app.db import tables
from app.documents import read
from app.documents.blobs import blob_path
from app.documents.delete import delete_document
from app.documents.move import move_document
from app.questions.sources import load_sources, unread_documents
from tests.app.documents.files import mail
from tests.ingestion.parsers.zip_files import packed

OLD = b"The hotel limit is 100 euros a night.\n"
NEW = b"The hotel limit is 120 euros a night.\n"
BROKEN = b"%PDF-1.7\nnothing of the kind\n%%EOF\n"


@pytest.fixture
def listed(database, anna, plans):
    """The documents of the collection as lists show them: {name: view}."""

    def look():
        with database.session() as db:
            return {view.name: view for view in read.list_documents(db, anna, plans.id)}

    return look


@pytest.fixture
def texts(database, anna, plans, search):
    """What a search for a word finds that contains it."""

    def find(word):
        with database.session() as db:
            passages = db.execute(select(tables.Passage.content_id, tables.Passage.ordinal, tables.Passage.text)).all()
        known = {(content, ordinal): text for content, ordinal, text in passages}
        found = [known[hit.content_id, hit.ordinal] for hit in search(anna, plans.id, word)]
        return sorted(text.strip() for text in found if word in text)

    return find


def get(database, viewer, id):
    with database.session() as db:
        return read.get_document(db, viewer, id)


def test_new_bytes_are_the_next_revision_and_searched_once_ready(
    database, stores, anna, upload, works, texts, listed, plans
):
    first = upload("travel.txt", OLD)
    works.everything()
    second = upload("travel.txt", NEW)
    assert (first.revision, second.revision, second.existed) == (1, 2, False)
    assert second.id != first.id
    assert texts("hotel") == [OLD.decode().strip()]  # until the new one has been read
    assert [view.id for view in listed().values()] == [second.id]
    assert (listed()["travel.txt"].state, listed()["travel.txt"].searched_revision) == ("received", 1)

    works.everything()
    assert texts("hotel") == [NEW.decode().strip()]
    assert listed()["travel.txt"].searched_revision == 2
    with database.session() as db:
        assert read.counts(db, anna, plans.id).ready == 1
        shown = read.revisions(db, anna, first.id)
    assert [(one.id, one.revision, one.searched) for one in shown] == [(second.id, 2, True), (first.id, 1, False)]
    old = get(database, anna, first.id)
    assert old.replaced_at is not None
    assert old.newest_id == second.id
    assert read.original(stores, anna, first.id)[0].read_bytes() == OLD
    passage = read.passage(stores, anna, first.id, 0)
    assert (passage.text.strip(), passage.replaced, passage.newest_id) == (OLD.decode().strip(), True, second.id)


def test_a_revision_that_is_refused_leaves_the_old_one_searched(database, anna, upload, works, texts, listed):
    first = upload("travel.txt", OLD)
    works.everything()
    upload("travel.txt", BROKEN)
    works.everything()
    view = listed()["travel.txt"]
    assert (view.state, view.revision, view.searched_revision) == ("refused", 2, 1)
    assert texts("hotel") == [OLD.decode().strip()]
    upload("travel.txt", NEW)
    works.everything()
    assert (listed()["travel.txt"].revision, texts("hotel")) == (3, [NEW.decode().strip()])
    assert get(database, anna, first.id).replaced_at is not None


def test_the_same_bytes_again_are_nothing_new_and_going_back_is_a_revision(upload, works, texts, listed, stores, anna):
    first = upload("travel.txt", OLD)
    upload("travel.txt", NEW)
    again = upload("travel.txt", NEW)
    assert (again.revision, again.existed) == (2, True)
    works.everything()
    back = upload("travel.txt", OLD)  # its content is known and ready: searched at once
    assert (back.revision, back.existed, back.state) == (3, False, "ready")
    assert texts("hotel") == [OLD.decode().strip()]
    assert listed()["travel.txt"].id == back.id
    assert len({first.id, again.id, back.id}) == 3


def test_a_hit_is_cited_under_what_is_searched_now(database, plans, upload, works):
    upload("travel.txt", OLD)
    upload("travel.txt", NEW)
    works.everything()
    back = upload("travel.txt", OLD)
    with database.session() as db:
        sources = load_sources(db, plans.id, [(1, 0), (2, 0)])
        assert sources[1, 0].document_id == back.id
        assert sources[2, 0].text.strip() == NEW.decode().strip()  # what an earlier answer rests on can be loaded
        assert unread_documents(db, plans.id) == 0


def test_a_content_that_is_an_earlier_revision_here_is_found_under_its_other_name(upload, works, texts):
    upload("travel.txt", OLD)
    upload("copy.txt", OLD)
    works.everything()
    upload("travel.txt", NEW)
    works.everything()
    assert texts("hotel") == sorted([OLD.decode().strip(), NEW.decode().strip()])


def test_the_same_bytes_under_two_names_share_one_entry(database, anna, plans, upload, works, search, listed):
    upload("a.txt", OLD)
    upload("b.txt", OLD)
    works.everything()
    assert set(listed()) == {"a.txt", "b.txt"}
    assert works.writer.contents() == {1}
    assert len(search(anna, plans.id, "hotel limit")) == 1


def test_a_late_reading_does_not_bring_an_older_revision_back(database, upload, works, texts, listed):
    upload("travel.txt", OLD)
    upload("travel.txt", NEW)
    with database.session() as db:  # read last, like a large file that smaller ones overtake
        late = update(tables.Content).where(tables.Content.id == 1)
        db.execute(late.values(queued_at=tables.Content.queued_at + 1000))
    works.reader.step()
    while works.indexer.step():
        pass
    assert listed()["travel.txt"].searched_revision == 2
    works.everything()
    assert texts("hotel") == [NEW.decode().strip()]
    with database.session() as db:
        rows = dict(db.execute(select(tables.Document.revision, tables.Document.replaced_at)).all())
    assert rows[2] is None
    assert rows[1] is not None


def test_deleting_a_document_deletes_all_its_revisions(
    settings, database, stores, anna, plans, upload, works, search, listed
):
    first, second = upload("travel.txt", OLD), None
    works.everything()
    second = upload("travel.txt", NEW)
    works.everything()
    delete_document(stores, anna, second.id)
    assert search(anna, plans.id, "hotel limit") == []
    assert listed() == {}
    works.everything()
    assert works.writer.contents() == set()
    with database.session() as db:
        for table in (tables.Document, tables.Content, tables.Passage, tables.Removal):
            assert db.scalars(select(table)).all() == []
    for view in (first, second):
        assert not blob_path(settings, view.sha256).exists()
    for path in settings.index_dir.rglob("*"):
        assert not path.is_file() or b"hotel" not in path.read_bytes()


def test_bytes_of_an_earlier_revision_that_are_used_elsewhere_stay(settings, stores, anna, upload, works, texts):
    first = upload("travel.txt", OLD)
    upload("travel.txt", NEW)
    upload("copy.txt", OLD)
    works.everything()
    delete_document(stores, anna, first.id)  # an earlier revision's id names the document, too
    works.everything()
    assert texts("hotel") == [OLD.decode().strip()]
    assert blob_path(settings, first.sha256).exists()


def test_many_at_once_are_revisions_not_documents(database, upload, listed):
    errors = []

    def put(number):
        try:
            upload("travel.txt", b"Version %d" % number)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with database.session() as db:
        rows = db.execute(select(tables.Document.series, tables.Document.revision)).all()
    assert len({series for series, _ in rows}) == 1
    assert sorted(revision for _, revision in rows) == list(range(1, 9))
    assert len(listed()) == 1


def test_what_is_attached_follows_the_revisions_of_its_mail(database, anna, upload, works, texts, listed):
    upload("plans.eml", mail(("kept.txt", b"Kept plan."), ("changed.txt", OLD), ("gone.txt", b"Gone plan.")))
    works.everything()
    before = listed()
    second = upload(
        "plans.eml", mail(("kept.txt", b"Kept plan."), ("changed.txt", NEW), ("new.txt", b"New plan."), text="Again.")
    )
    works.everything()
    after = listed()
    assert set(after) == {"plans.eml", "kept.txt", "changed.txt", "new.txt"}
    assert after["kept.txt"].id == before["kept.txt"].id
    assert (after["changed.txt"].revision, after["changed.txt"].newest_id) == (2, after["changed.txt"].id)
    assert {one.parent_id for one in after.values() if one.name != "plans.eml"} == {second.id}
    assert texts("hotel") == [NEW.decode().strip()]
    assert (texts("Kept"), texts("New"), texts("Gone")) == (["Kept plan."], ["New plan."], [])
    assert get(database, anna, before["gone.txt"].id).replaced_at is not None


def test_going_back_to_an_earlier_mail_brings_its_attachments_back(
    database, stores, anna, upload, works, texts, listed
):
    old = mail(("plan.txt", OLD), ("gone.txt", b"Gone plan."))
    upload("plans.eml", old)
    works.everything()
    gone = listed()["gone.txt"].id
    upload("plans.eml", mail(text="Nothing attached."))
    works.everything()
    assert set(listed()) == {"plans.eml"}
    assert (texts("hotel"), texts("Gone")) == ([], [])
    upload("plans.eml", old)
    works.everything()
    assert set(listed()) == {"plans.eml", "plan.txt", "gone.txt"}
    assert listed()["gone.txt"].id == gone
    assert (texts("hotel"), texts("Gone")) == ([OLD.decode().strip()], ["Gone plan."])
    delete_document(stores, anna, listed()["plans.eml"].id)
    works.everything()
    assert works.writer.contents() == set()
    with database.session() as db:
        assert db.scalars(select(tables.Document)).all() == []


def test_two_attachments_of_one_name_are_two_documents_in_every_revision(database, anna, plans, upload, works):
    for text in ("One.", "Two."):
        upload("two.eml", mail(("plan.txt", OLD), ("plan.txt", NEW), text=text))
        works.everything()
        with database.session() as db:
            views = read.list_documents(db, anna, plans.id)
        assert sorted((one.name, one.revision) for one in views) == [
            ("plan.txt", 1),
            ("plan.txt", 1),
            ("two.eml", 1 if text == "One." else 2),
        ]


def test_a_share_as_a_zip_again_changes_only_what_changed(database, stores, anna, upload, works, texts, listed):
    inner = mail(("note.txt", b"A note by mail."))
    files = {"hr/travel.txt": OLD, "hr/leave.txt": b"Thirty days.", "box/plans.eml": inner, "gone.txt": b"Gone plan."}
    upload("share.zip", packed(files), "Archive")
    works.everything()
    before = listed()
    assert set(before) == {"share.zip", "travel.txt", "leave.txt", "plans.eml", "note.txt", "gone.txt"}
    del files["gone.txt"]
    second = upload("share.zip", packed({**files, "hr/travel.txt": NEW, "new.txt": b"New plan."}), "Archive")
    works.everything()
    after = listed()
    assert set(after) == (set(before) - {"gone.txt"}) | {"new.txt"}
    for name in ("leave.txt", "plans.eml", "note.txt"):
        assert after[name].id == before[name].id
    assert (after["travel.txt"].revision, after["travel.txt"].folder) == (2, "Archive/hr")
    assert after["note.txt"].parent_id == after["plans.eml"].id
    assert after["plans.eml"].parent_id == second.id
    assert (texts("hotel"), texts("Gone"), texts("note")) == ([NEW.decode().strip()], [], ["A note by mail."])

    move_document(stores, anna, second.id, name="firm.zip", folder="")
    assert listed()["travel.txt"].folder == "hr"
    third = upload("firm.zip", packed({"hr/travel.txt": OLD}))
    works.everything()
    assert (third.revision, set(listed())) == (3, {"firm.zip", "travel.txt"})
    assert (texts("hotel"), texts("note")) == ([OLD.decode().strip()], [])
    delete_document(stores, anna, third.id)
    works.everything()
    assert works.writer.contents() == set()


def test_the_same_folder_again_gives_revisions_only_for_what_changed(upload, listed):
    share = {("travel.txt", "share"): OLD, ("travel.txt", "share/hr"): b"Another.", ("leave.txt", "share/hr"): b"Days."}
    for (name, folder), data in share.items():
        upload(name, data, folder)
    share["leave.txt", "share/hr"] = b"More days."
    again = [upload(name, data, folder) for (name, folder), data in share.items()]
    assert [(view.revision, view.existed) for view in again] == [(1, True), (1, True), (2, False)]
    assert [view.folder for view in again] == ["share", "share/hr", "share/hr"]
