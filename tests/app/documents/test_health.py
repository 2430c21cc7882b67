"""The health report from reading a file to its list, and which documents need attention."""

from sqlalchemy import update

from app.db import tables
from app.documents import read
from app.documents.health import health_of, values_of
from ingestion.health import examine
from ingestion.types import Block, Line, Page, Parsed, Warning
from tests.app.documents.test_reading import LOREM


def test_a_report_comes_back_from_the_database_as_it_was():
    note = Warning("no_text_layer", "The page is a picture; text in it was not read.", 2)
    pages = (Page(1, (Block("paragraph", (Line("Some text"),)),), confidence=61.5), Page(2, ()))
    health = examine(Parsed("pdf", "partial", pages, warnings=(note,)), (note,), "en", [])
    assert health_of(values_of(health)) == health
    assert health_of({}) is None


def test_what_was_read_has_a_report_and_what_needs_attention_is_found(database, anna, plans, upload, works):
    good, bad, old = upload("good.txt", LOREM), upload("bad.pdf", b"%PDF-1.4\nnothing"), upload("old.md", b"# Old\n\nx")
    works.everything()
    with database.session() as db:
        # one whose report tells of gaps, and one read before there were reports
        of_good = read.get_document(db, anna, good.id).health
        gaps = {**values_of(of_good), "attention": True, "reasons": ["partial"]}
        contents = update(tables.Content)
        db.execute(contents.where(tables.Content.sha256 == good.sha256).values(health=gaps))
        db.execute(contents.where(tables.Content.sha256 == old.sha256).values(health={}))
    with database.session() as db:
        assert of_good.passages == 1
        assert read.get_document(db, anna, old.id).health is None
        assert not read.get_document(db, anna, old.id).attention
        listed = read.list_documents(db, anna, plans.id, attention=True)
        assert {view.id for view in listed} == {good.id, bad.id}
        assert all(view.attention for view in listed)
        counted = read.counts(db, anna, plans.id)
        assert (counted.ready, counted.refused, counted.attention) == (2, 1, 2)
