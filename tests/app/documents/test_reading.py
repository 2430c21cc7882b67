"""Reading, indexing, looking and deleting, step by step in this process: real parsers, SQLite and index."""

from io import BytesIO

import pytest
from sqlalchemy import func, select, update

from app.collections import edit
from app.db import tables
from app.documents import attachments, jobs, read
from app.documents.accept import accept
from app.documents.blobs import blob_path
from app.documents.delete import delete_document
from app.documents.indexing import Indexer
from app.documents.reindex import reindex, waiting
from app.documents.signals import Signals
from app.errors import NotFound
from ingestion.index.store import Index, IndexWriter, Query
from tests.app.documents.files import mail
from tests.app.documents.stand_ins import DIM, WordEmbedder

LOREM = b"The travel budget of 2026 is 4,711 euros.\n\nPart number PPR-9087 is kept in cellar three.\n"


def get(database, viewer, view):
    with database.session() as db:
        return read.get_document(db, viewer, view.id)


def count(database, table):
    with database.session() as db:
        return db.scalar(select(func.count()).select_from(table))


def test_a_document_becomes_ready_and_is_found(database, anna, plans, upload, works, search):
    view = upload("budget.txt", LOREM)
    assert search(anna, plans.id, "travel budget") == []
    works.everything()
    view = get(database, anna, view)
    assert (view.state, view.outcome, view.has_pages, view.language) == ("ready", "text", False, "en")
    assert view.passages > 0
    assert search(anna, plans.id, "PPR-9087")[0].ordinal == 0


def test_one_generation_for_many_documents(database, anna, upload, works):
    for number in range(8):
        upload(f"{number}.txt", LOREM + b"%d" % number)
    works.everything()
    with database.session() as db:
        generations = set(db.scalars(select(tables.Content.generation)))
    assert len(generations) == 1
    assert generations != {0}


def test_a_file_that_cannot_be_read_is_refused_with_its_reason(database, anna, upload, works):
    view = upload("broken.pdf", b"%PDF-1.7\nnothing of the kind\n%%EOF\n")
    works.everything()
    view = get(database, anna, view)
    assert (view.state, view.outcome) == ("refused", "refused")
    assert view.refusal
    assert view.refusal_code
    assert count(database, tables.Passage) == 0


def test_a_file_that_vanished_is_refused(database, anna, upload, works, settings):
    view = upload("a.txt", LOREM)
    blob_path(settings, view.sha256).unlink()
    works.everything()
    assert get(database, anna, view).refusal_code == "missing"
    assert upload("a.txt", LOREM).state == "received"
    works.everything()
    assert get(database, anna, view).state == "ready"


def test_small_files_may_overtake(database, upload):
    upload("large.txt", b"word " * 100_000)
    upload("small.txt", b"word")
    with database.session() as db:
        assert jobs.claim(db).name == "small.txt"
        assert jobs.claim(db).name == "large.txt"
        assert jobs.claim(db) is None


def test_the_passage_view_has_lines_and_neighbours(stores, anna, upload, works):
    text = "\n\n".join(f"Paragraph {number}. " + "Some more words about it. " * 20 for number in range(6))
    view = upload("long.txt", text.encode())
    works.everything()
    whole = read.document_text(stores, anna, view.id)
    assert whole.total == len(whole.passages) > 2
    middle = read.passage(stores, anna, view.id, 1)
    assert [one.ordinal for one in middle.neighbours] == [0, 2]
    assert middle.page is None
    assert middle.marks[0].start == 0
    assert all(0 <= mark.start < mark.end <= len(middle.text) for mark in middle.marks)
    assert [one.ordinal for one in read.passage(stores, anna, view.id, 0).neighbours] == [1]
    assert [one.ordinal for one in read.document_text(stores, anna, view.id, first=1, limit=1).passages] == [1]
    for ordinal in (-1, 999):
        with pytest.raises(NotFound):
            read.passage(stores, anna, view.id, ordinal)


def test_nothing_of_a_foreign_document_can_be_reached(stores, database, anna, ben, upload, works):
    view = upload("a.txt", LOREM)
    works.everything()
    for act in (
        lambda id: get(database, ben, view),
        lambda id: read.original(stores, ben, id),
        lambda id: read.page_picture(stores, ben, id, 1),
        lambda id: read.passage(stores, ben, id, 0),
        lambda id: read.document_text(stores, ben, id),
        lambda id: delete_document(stores, ben, id),
    ):
        seen = set()
        for id in (view.id, "nothing"):
            with pytest.raises(NotFound) as error:
                act(id)
            seen.add((str(error.value), error.value.hint))
        assert len(seen) == 1
    assert read.original(stores, anna, view.id)[0].read_bytes() == LOREM


def test_attachments_become_documents_beside_the_mail(stores, database, anna, plans, upload, works):
    view = upload("mail.eml", mail(("plan.txt", LOREM), ("tool.exe", b"MZ\x90\x00" + bytes(500))), "inbox")
    works.everything()
    view = get(database, anna, view)
    assert view.state == "ready"
    with database.session() as db:
        documents = {one.name: one for one in read.list_documents(db, anna, plans.id)}
    assert set(documents) == {"mail.eml", "plan.txt"}
    plan = documents["plan.txt"]
    assert (plan.parent_id, plan.folder, plan.state, plan.uploaded_by) == (view.id, "inbox", "ready", "Anna")
    refused = [warning.text for warning in view.warnings if warning.code == "attachment_refused"]
    assert len(refused) == 1
    assert "tool.exe" in refused[0]

    with database.session() as db:
        other = edit.create(db, anna, "Other")
    accept(stores, anna, other.id, "same.eml", BytesIO(read.original(stores, anna, view.id)[0].read_bytes()))
    works.everything()
    with database.session() as db:
        assert {one.name for one in read.list_documents(db, anna, other.id)} == {"same.eml", "plan.txt"}
    assert count(database, tables.Content) == 2

    delete_document(stores, anna, view.id)
    with database.session() as db:
        assert read.list_documents(db, anna, plans.id) == []
        assert len(read.list_documents(db, anna, other.id)) == 2


def test_a_mail_with_nothing_but_an_attachment(database, anna, plans, upload, works):
    upload("mail.eml", mail(("plan.txt", LOREM), text="", subject=""))
    with database.session() as db:
        db.execute(update(tables.Content).values(format="eml"))
    works.reader.step()
    with database.session() as db:  # whatever the parser makes of the headers
        db.execute(tables.Passage.__table__.delete().where(tables.Passage.content_id == 1))
        db.execute(update(tables.Content).where(tables.Content.id == 1).values(passage_count=0))
    works.everything()
    with database.session() as db:
        assert {one.state for one in read.list_documents(db, anna, plans.id)} == {"ready"}
    assert works.writer.contents() == {2}


def test_mails_in_mails_end_somewhere(database, anna, plans, upload, works):
    inner = mail(("plan.txt", LOREM), subject="0")
    for depth in range(1, 6):
        inner = mail(("inner.eml", inner), subject=str(depth))
    upload("outer.eml", inner)
    works.everything()
    with database.session() as db:
        documents = read.list_documents(db, anna, plans.id)
        assert attachments.next_to_unpack(db) is None
    assert len(documents) == attachments.DEEPEST + 1
    assert {one.state for one in documents} == {"ready"}


def test_after_a_crash_everything_ends_and_after_three_it_is_refused(database, anna, upload, works):
    view = upload("a.txt", LOREM)
    for _ in range(jobs.MOST_ATTEMPTS - 1):
        with database.session() as db:
            assert jobs.claim(db) is not None
        with database.session() as db:
            assert jobs.recover(db) == 1
    with database.session() as db:
        assert jobs.claim(db) is not None
    with database.session() as db:
        jobs.recover(db)
    view = get(database, anna, view)
    assert (view.state, view.refusal_code) == ("refused", "crashed")
    assert "3 times" in view.refusal
    assert upload("a.txt", LOREM).state == "received"


def test_being_stopped_is_not_counted(database, upload):
    upload("a.txt", LOREM)
    for _ in range(5):
        with database.session() as db:
            job = jobs.claim(db)
            jobs.release(db, job.content_id, counted=False)
    with database.session() as db:
        assert db.scalar(select(tables.Content.attempts)) == 0


def test_what_the_index_lost_is_indexed_again_without_reading(database, anna, plans, upload, works, search):
    view = upload("a.txt", LOREM)
    works.everything()
    works.writer.remove([1])
    works.writer.commit()
    works.indexer.reconcile()
    assert get(database, anna, view).state == "ready"
    assert works.indexer.step()
    assert len(search(anna, plans.id, "travel budget")) == 1


def test_what_the_database_does_not_know_leaves_the_index(database, stores, anna, upload, works):
    view = upload("a.txt", LOREM)
    works.everything()
    delete_document(stores, anna, view.id)
    with database.session() as db:
        db.execute(tables.Removal.__table__.delete())
    works.indexer.reconcile()
    assert works.writer.contents() == set()


def test_another_embedder_builds_beside_and_switches(settings, database, anna, plans, upload, works, search):
    upload("a.txt", LOREM)
    works.everything()
    assert len(search(anna, plans.id, "travel budget")) == 1
    works.writer.close()
    other = WordEmbedder("another")
    with IndexWriter(settings.index_dir, other.id, DIM, fresh=True) as writer:
        indexer = Indexer(settings, database, writer, other, Signals(), rebuild=True)
        indexer.reconcile()
        assert len(search(anna, plans.id, "travel budget")) == 1  # while it is built
        view = upload("b.txt", b"The travel budget of another year.")
        works.reader.step()
        while indexer.step():
            pass
        assert get(database, anna, view).state == "ready"
    index = Index(settings.index_dir, other.id, DIM)
    assert len(index.search(Query("travel budget", other.question("travel budget"), {1, 2}))) == 2
    works.writer = IndexWriter(settings.index_dir, other.id, DIM)


@pytest.mark.parametrize("from_files", [False, True])
def test_reindex_does_everything_again(settings, database, anna, plans, upload, works, search, from_files):
    views = [upload("a.txt", LOREM), upload("b.txt", b"The travel budget of another year.")]
    works.everything()
    with database.session() as db:
        db.execute(update(tables.Content).values(generation=7))
    assert reindex(settings, from_files=from_files) == 2
    if not from_files:
        assert len(search(anna, plans.id, "travel budget")) == 2
    works.everything()
    assert waiting(database) == 0
    assert {get(database, anna, view).state for view in views} == {"ready"}
    assert len(search(anna, plans.id, "travel budget")) == 2


def test_changes_since(database, anna, plans, upload, works):
    upload("a.txt", LOREM)
    with database.session() as db:
        first = read.changes(db, anna, plans.id, 0)
        assert (len(first.documents), first.total) == (1, 1)
        later = first.until + 60
        assert read.changes(db, anna, plans.id, later).documents == ()
        assert read.counts(db, anna, plans.id).received == 1
    works.everything()
    with database.session() as db:
        assert [one.state for one in read.changes(db, anna, plans.id, first.until).documents] == ["ready"]
        assert read.counts(db, anna, plans.id).ready == 1
