"""A scan whose reading is interrupted: recognised pages are used by the next try and gone when the document is ready.

A real reading process, killed as the kernel would; only the learned models are stand-ins.
"""

import os

import pytest
from reportlab.lib.pagesizes import A4
from sqlalchemy import select, update

from app.db import tables
from app.documents.blobs import forget_recognised, recognised_of, sweep
from app.documents.delete import delete_document
from app.documents.read import get_document
from ingestion.ocr import tesseract
from ingestion.ocr.kept import KeptPages
from ingestion.ocr.results import Read
from tests.app.documents.test_worker import running, wait_until
from tests.ingestion.ocr.pictures import picture, scanned
from tests.ingestion.pdf_samples import make

PAGE = Read("", 0, 600, 400)
MONTHS = ("Januar", "Februar", "April", "August", "Oktober", "Dezember")


@pytest.mark.skipif(
    not tesseract.installed() and not os.environ.get("CI"),
    reason="Tesseract is not installed: sudo python3 install.py --system",
)
def test_a_scan_killed_in_the_middle_goes_on_where_it_was(database, settings, anna, upload, tmp_path):
    texts = [f"Kassenbuch vom {month}" for month in MONTHS]
    pages = [scanned(picture(tmp_path, text, size=A4)) for text in texts]
    view = upload("scan.pdf", make(tmp_path / "a.pdf", *pages).read_bytes())
    folder = recognised_of(settings, view.sha256)
    alone = {"BELEG_OCR_LANGUAGES": "deu", "BELEG_OCR_AT_ONCE": "1", "BELEG_OCR_PAGE_SECONDS": "300"}
    with running(settings, **alone):
        wait_until(lambda: len(list(folder.glob("*.page"))) >= 2)
    kept = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.page")}
    assert len(kept) < len(texts)
    assert content(database, view).attempts == 1
    with running(settings, **alone):
        wait_until(lambda: len(list(folder.glob("*.page"))) > len(kept))
        now = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.page")}
        assert kept.items() <= now.items()
        wait_until(lambda: content(database, view).state == "ready")
    assert not folder.exists()
    with database.session() as db:
        found = "\n".join(db.scalars(select(tables.Passage.text).order_by(tables.Passage.ordinal)))
        assert get_document(db, anna, view.id).health.pages_recognised == ((1, len(MONTHS)),)
    assert all(found.count(text) == 1 for text in texts)


def test_kept_pages_go_with_their_document(stores, settings, anna, upload):
    view = upload("scan.pdf", b"%PDF-1.4\nnothing")
    KeptPages(recognised_of(settings, view.sha256)).keep("one", 1, PAGE)
    delete_document(stores, anna, view.id)
    assert list(settings.recognised_dir.iterdir()) == []


def test_a_start_sweeps_kept_pages_of_what_is_read_or_unknown(database, settings, upload):
    waiting, read = upload("a.txt", b"waiting"), upload("b.txt", b"read")
    for name in (waiting.sha256, read.sha256, "ab" * 32):
        KeptPages(recognised_of(settings, name)).keep("one", 1, PAGE)
    with database.session() as db:
        db.execute(update(tables.Content).where(tables.Content.sha256 == read.sha256).values(state="ready"))
    assert sweep(database, settings) == 2
    assert [path.name for path in settings.recognised_dir.iterdir()] == [waiting.sha256]
    forget_recognised(settings, waiting.sha256)
    assert list(settings.recognised_dir.iterdir()) == []


def test_a_refused_file_keeps_no_pages(settings, upload, works):
    view = upload("broken.pdf", b"%PDF-1.7\nnothing of the kind\n%%EOF\n")
    KeptPages(recognised_of(settings, view.sha256)).keep("one", 1, PAGE)
    works.everything()
    assert list(settings.recognised_dir.iterdir()) == []


def content(database, view):
    with database.session() as db:
        return db.scalars(select(tables.Content).where(tables.Content.sha256 == view.sha256)).one()
