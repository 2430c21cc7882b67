"""Archives are sets of documents: their files are read one by one, in their folders, within limits and to an end."""

from __future__ import annotations

import zipfile

import pytest
from sqlalchemy import select

from app.db import tables
from app.documents import attachments, read
from app.documents.blobs import incoming_dir
from app.documents.reading import Unwanted
from tests.app.documents.files import mail
from tests.ingestion.parsers.office_files import docx, paragraph
from tests.ingestion.parsers.zip_files import packed

PLAN = b"The travel budget of 2026 is 4,711 euros.\n"
PRICES = b"part;price\nPPR-9087;12,50\nPPR-9088;13,50\n"


@pytest.fixture
def listed(database, anna, plans):
    def listed():
        with database.session() as db:
            return {f"{one.folder}/{one.name}": one for one in read.list_documents(db, anna, plans.id)}

    return listed


def test_each_file_becomes_a_document_in_its_folder(anna, plans, upload, works, search, listed, settings) -> None:
    upload("share.zip", packed({"Reisen/Köln/plan.txt": PLAN, "preise.csv": PRICES}), "Archiv")
    works.everything()
    documents = listed()
    assert set(documents) == {"Archiv/share.zip", "Archiv/Reisen/Köln/plan.txt", "Archiv/preise.csv"}
    assert {one.state for one in documents.values()} == {"ready"}
    archive = documents["Archiv/share.zip"]
    assert (archive.outcome, archive.warnings) == ("text", ())
    assert archive.passages == 0  # the list of names is no text to answer from
    assert {one.parent_id for one in documents.values()} == {None, archive.id}
    assert search(anna, plans.id, "PPR-9087")[0].lexical_rank == 1
    assert list(incoming_dir(settings).iterdir()) == []


def test_what_cannot_be_read_is_named_at_the_archive(upload, works, listed) -> None:
    upload("share.zip", packed({"plan.txt": PLAN, "tools/setup.exe": b"MZ\x90\x00" + bytes(500), "leer.txt": b""}))
    works.everything()
    archive = listed()["/share.zip"]
    assert (archive.state, archive.outcome) == ("ready", "partial")
    assert [one.text.partition(" was not")[0] for one in archive.warnings] == [
        "The attached file tools/setup.exe",
        "The attached file leer.txt",
    ]


def test_an_archive_of_nothing_that_can_be_read_is_refused(upload, works, listed) -> None:
    upload("share.zip", packed({"setup.exe": b"MZ\x90\x00" + bytes(500)}))
    works.everything()
    archive = listed()["/share.zip"]
    assert (archive.state, archive.refusal_code) == ("refused", "no_text")
    assert "setup.exe" in archive.refusal


def test_archives_in_archives_end_somewhere_and_say_so(database, upload, works, listed) -> None:
    inner = packed({"plan.txt": PLAN})
    for depth in range(6):
        inner = packed({f"{depth}.zip": inner, f"{depth}.txt": PLAN + b"%d" % depth})
    upload("share.zip", inner)
    works.everything()
    documents = listed()
    assert set(documents) == {"/share.zip", "/5.zip", "/5.txt", "/4.zip", "/4.txt", "/3.zip", "/3.txt"}
    assert [one.code for one in documents["/3.zip"].warnings] == ["attachments_left_out"]
    with database.session() as db:
        assert attachments.next_to_unpack(db) is None


@pytest.mark.parametrize("settings_more", [{"unpack_files": 5}])
def test_too_many_files_are_refused_or_left_out(settings, upload, works, listed, settings_more) -> None:
    works.reader._settings = settings.model_copy(update=settings_more)
    upload("many.zip", packed({f"{n}.txt": PLAN + b"%d" % n for n in range(6)}))
    halves = [packed({f"{half}{n}.txt": PLAN + half + b"%d" % n for n in range(4)}) for half in (b"a", b"b")]
    upload("halves.zip", packed({"a.zip": halves[0], "b.zip": halves[1]}))
    works.everything()
    documents = listed()
    assert (documents["/many.zip"].state, documents["/many.zip"].refusal_code) == ("refused", "too_large")
    assert sum(name.endswith(".txt") for name in documents) == 3  # with the two archives: five
    assert [one.code for one in documents["/b.zip"].warnings] == ["attachments_left_out"]


def test_a_file_above_the_limit_is_left_out_the_others_are_read(settings, upload, works, listed) -> None:
    works.reader._settings = settings.model_copy(update={"upload_mib": 1})
    upload("share.zip", packed({"large.txt": PLAN * 30_000, "plan.txt": PLAN}))
    works.everything()
    documents = listed()
    assert set(documents) == {"/share.zip", "/plan.txt"}
    assert "large.txt" in documents["/share.zip"].warnings[0].text


def test_mails_in_archives_bring_their_attachments(upload, works, listed) -> None:
    upload("share.zip", packed({"post/mail.eml": mail(("plan.txt", PLAN))}))
    works.everything()
    assert {name: one.state for name, one in listed().items()} == {
        "/share.zip": "ready",
        "post/mail.eml": "ready",
        "post/plan.txt": "ready",
    }


def test_interrupted_unpacking_goes_on_where_it_was(database, upload, works, listed, monkeypatch) -> None:
    monkeypatch.setattr(attachments, "AT_ONCE", 1)
    upload("share.zip", packed({f"{n}.txt": PLAN + b"%d" % n for n in range(4)}))

    def interrupt(done: int, total: int) -> None:
        if done == 2:
            raise Unwanted

    with monkeypatch.context() as once:
        once.setattr(works.reader, "_on_page", lambda content_id: interrupt)
        works.reader.step()
    assert len(listed()) == 3
    works.everything()
    assert len(listed()) == 5
    with database.session() as db:
        assert set(db.scalars(select(tables.Document.unpacked))) == {True}


def test_a_file_embedded_in_a_document_is_found_by_itself(anna, plans, upload, works, search, listed, tmp_path) -> None:
    path = docx(tmp_path / "report.docx", paragraph("The prices are in the list."))
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("word/embeddings/preise.csv", PRICES)
    upload("report.docx", path.read_bytes())
    works.everything()
    documents = listed()
    assert set(documents) == {"/report.docx", "/preise.csv"}
    assert documents["/preise.csv"].parent_id == documents["/report.docx"].id
    assert "preise.csv" in documents["/report.docx"].warnings[0].text
    assert search(anna, plans.id, "PPR-9087")[0].lexical_rank == 1
