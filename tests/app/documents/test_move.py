"""Another name, folder or collection: with all revisions and attachments, without reading anything again."""

import pytest
from sqlalchemy import select

from app.collections.edit import create, share
from app.db import tables
from app.documents import read
from app.documents.move import move_document
from app.errors import Conflict, Invalid, NotFound
from tests.app.documents.files import mail


@pytest.fixture
def other(database, anna):
    with database.session() as db:
        return create(db, anna, "Other")


def listed(database, viewer, collection):
    with database.session() as db:
        return {(one.folder, one.name): one for one in read.list_documents(db, viewer, collection.id)}


def test_a_new_name_is_that_of_all_revisions(database, stores, anna, plans, upload, works):
    first = upload("travel.txt", b"Old limit.")
    upload("travel.txt", b"New limit.")
    works.everything()
    view = move_document(stores, anna, first.id, name="Reise.txt", folder="2026")
    assert (view.id, view.name, view.folder) == (first.id, "Reise.txt", "2026")
    assert set(listed(database, anna, plans)) == {("2026", "Reise.txt")}
    assert not works.reader.step()
    assert not works.indexer.step()
    assert upload("Reise.txt", b"Newest limit.", "2026").revision == 3
    assert upload("travel.txt", b"Another document.").revision == 1


def test_citations_show_the_new_name(database, stores, anna, plans, upload, works):
    view = upload("travel.txt", b"Old limit.")
    works.everything()
    with database.session() as db:
        conversation = tables.Conversation(collection_id=plans.id, user_id=anna.user_id)
        db.add(conversation)
        db.flush()
        answer = tables.Answer(conversation_id=conversation.id, position=0, question="?")
        db.add(answer)
        db.flush()
        place = {"answer_id": answer.id, "statement": 0, "position": 0, "content_id": 1, "ordinal": 0}
        span = {"start": 0, "end": 3, "quote": "Old"}
        db.add(tables.Citation(document_id=view.id, document_name="travel.txt", **place, **span))
    move_document(stores, anna, view.id, name="Reise.txt")
    with database.session() as db:
        assert db.scalars(select(tables.Citation.document_name)).all() == ["Reise.txt"]


def test_attachments_go_with_their_mail_into_another_collection(database, stores, anna, plans, other, upload, works):
    message = upload("plans.eml", mail(("plan.txt", b"The plan.")), "in/box")
    works.everything()
    attached = listed(database, anna, plans)["in/box", "plan.txt"]
    for change in ({"name": "x.txt"}, {"folder": ""}, {"collection_id": other.id}):
        with pytest.raises(Conflict, match="stays with it"):
            move_document(stores, anna, attached.id, **change)
    move_document(stores, anna, message.id, folder="archive", collection_id=other.id)
    assert listed(database, anna, plans) == {}
    assert set(listed(database, anna, other)) == {("archive", "plans.eml"), ("archive", "plan.txt")}
    assert listed(database, anna, other)["archive", "plan.txt"].id == attached.id


def test_a_taken_name_is_a_conflict_that_says_so(stores, anna, plans, other, upload):
    view = upload("a.txt", b"One.")
    upload("b.txt", b"Two.")
    upload("a.txt", b"Three.", collection=other)
    for change in ({"name": "b.txt"}, {"collection_id": other.id}):
        with pytest.raises(Conflict, match="already") as error:
            move_document(stores, anna, view.id, **change)
        assert error.value.field == "name"
    assert move_document(stores, anna, view.id, name="a.txt").name == "a.txt"  # as it is called
    for name in ("", "  ", "../", "/"):
        with pytest.raises(Invalid):
            move_document(stores, anna, view.id, name=name)


def test_both_collections_must_be_ones_own_to_edit(stores, database, anna, ben, plans, upload):
    view = upload("a.txt", b"One.")
    with database.session() as db:
        bens = create(db, ben, "Ben's")
    with pytest.raises(NotFound):
        move_document(stores, anna, view.id, collection_id=bens.id)
    with pytest.raises(NotFound):
        move_document(stores, ben, view.id, collection_id=bens.id)
    with database.session() as db:
        share(db, anna, plans.id, "Ben")
    with pytest.raises(NotFound):
        move_document(stores, ben, view.id, name="b.txt")
    with database.session() as db:
        share(db, anna, plans.id, "Ben", may_edit=True)
    assert move_document(stores, ben, view.id, collection_id=bens.id).collection_id == bens.id
