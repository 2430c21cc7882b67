"""Deleting, step by step in this process: nothing is left of it anywhere, whatever was being done with it."""

import pytest
from sqlalchemy import func, select

from app.collections import edit
from app.db import tables
from app.documents import jobs, read
from app.documents.blobs import blob_path
from app.documents.delete import delete_document, delete_user
from app.documents.reading import Unwanted
from app.errors import Conflict, Forbidden

LOREM = b"The travel budget of 2026 is 4,711 euros.\n\nPart number PPR-9087 is kept in cellar three.\n"


def get(database, viewer, view):
    with database.session() as db:
        return read.get_document(db, viewer, view.id)


def count(database, table):
    with database.session() as db:
        return db.scalar(select(func.count()).select_from(table))


def test_deleting_leaves_nothing_and_is_at_once_out_of_the_search(
    settings, stores, database, anna, plans, upload, works, search
):
    view = upload("a.txt", LOREM)
    kept = upload("b.txt", b"The travel budget of another year.")
    works.everything()
    assert len(search(anna, plans.id, "travel budget")) == 2
    delete_document(stores, anna, view.id)
    assert len(search(anna, plans.id, "travel budget")) == 1  # before the worker did anything
    assert not blob_path(settings, view.sha256).exists()
    works.everything()
    assert works.writer.contents() == {2}
    with database.session() as db:
        assert set(db.scalars(select(tables.Passage.content_id))) == {2}
    assert count(database, tables.Removal) == 0
    for path in settings.index_dir.rglob("*"):
        assert not path.is_file() or b"PPR-9087" not in path.read_bytes()
    assert get(database, anna, kept).state == "ready"


def test_a_refused_document_goes_before_the_index_has_forgotten_it(stores, database, anna, upload, works):
    view = upload("a.txt", LOREM)
    with database.session() as db:
        jobs.give_up(db, db.scalars(select(tables.Content.id)).one())
    assert count(database, tables.Removal) == 1
    delete_document(stores, anna, view.id)
    assert (count(database, tables.Content), count(database, tables.Removal)) == (0, 1)
    works.everything()
    assert count(database, tables.Removal) == 0


def test_bytes_that_are_used_elsewhere_stay(settings, stores, database, anna, plans, upload, works, search):
    first, second = upload("a.txt", LOREM), upload("b.txt", LOREM)
    works.everything()
    delete_document(stores, anna, first.id)
    works.everything()
    assert len(search(anna, plans.id, "travel budget")) == 1
    assert blob_path(settings, second.sha256).exists()
    delete_document(stores, anna, second.id)
    assert search(anna, plans.id, "travel budget") == []


def test_a_citation_of_a_deleted_document_loses_its_quote(stores, database, anna, plans, upload):
    view = upload("a.txt", LOREM)
    with database.session() as db:
        db.add(tables.Conversation(id="c", collection_id=plans.id, user_id=anna.user_id))
        db.flush()
        db.add(tables.Answer(id="a", conversation_id="c", position=0, question="?"))
        db.flush()
        db.add(
            tables.Citation(
                answer_id="a",
                statement=0,
                position=0,
                document_id=view.id,
                document_name="a.txt",
                content_id=1,
                ordinal=0,
                start=0,
                end=10,
                page=None,
                quote="The travel",
            )
        )
    delete_document(stores, anna, view.id)
    with database.session() as db:
        citation = db.scalars(select(tables.Citation)).one()
        assert (citation.document_id, citation.quote, citation.document_name) == (None, "", "a.txt")


def test_deleting_while_it_is_read_or_indexed(settings, stores, database, anna, plans, upload, works, search):
    view = upload("a.txt", LOREM)
    with database.session() as db:
        job = jobs.claim(db)
    parsed = works.reader._parse(job, settings.data_dir)
    delete_document(stores, anna, view.id)
    works.reader._store(job, parsed)  # nobody wants it any more
    assert count(database, tables.Passage) == 0

    view = upload("b.txt", LOREM)
    works.reader.step()
    batch = works.indexer._collect()
    delete_document(stores, anna, view.id)
    works.indexer._commit(batch)
    assert search(anna, plans.id, "travel budget") == []
    works.everything()
    assert works.writer.contents() == set()


def test_a_delete_between_two_pages_ends_the_reading(stores, database, anna, upload, works):
    view = upload("a.txt", LOREM)
    with database.session() as db:
        job = jobs.claim(db)
    on_page = works.reader._on_page(job.content_id)
    delete_document(stores, anna, view.id)
    with pytest.raises(Unwanted):
        on_page(1, 10)


def test_uploading_again_right_after_deleting(settings, stores, database, anna, plans, upload, works, search):
    for _ in range(3):
        view = upload("a.txt", LOREM)
        works.reader.step()
        delete_document(stores, anna, view.id)
    view = upload("a.txt", LOREM)
    works.everything()
    assert get(database, anna, view).state == "ready"
    assert len(search(anna, plans.id, "travel budget")) == 1
    assert len(works.writer.contents()) == 1


def test_deleting_a_collection_and_a_person(settings, stores, database, anna, ben, person, plans, upload, works):
    root = person("Root", is_admin=True)
    with database.session() as db:
        edit.share(db, anna, plans.id, "Ben", may_edit=True)
        other = edit.create(db, anna, "Other")
    upload("a.txt", LOREM, viewer=ben)
    upload("b.txt", b"other text", collection=other)
    works.everything()
    with database.session() as db:
        edit.delete(db, anna, other.id)
    works.everything()
    assert works.writer.contents() == {1}
    assert len(list(settings.blobs_dir.glob("*/*"))) == 1
    with pytest.raises(Forbidden):
        delete_user(stores, ben, anna.user_id)
    with pytest.raises(Conflict):
        delete_user(stores, root, root.user_id)
    delete_user(stores, root, ben.user_id)
    with database.session() as db:
        assert [one.uploaded_by for one in read.list_documents(db, anna, plans.id)] == [""]
    delete_user(stores, root, anna.user_id)
    works.everything()
    assert works.writer.contents() == set()
    assert list(settings.blobs_dir.glob("*/*")) == []
    assert count(database, tables.Collection) == count(database, tables.Document) == 0
