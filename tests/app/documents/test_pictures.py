"""Pictures of pages: drawn once, kept within bounds, gone with the document."""

import threading
from io import BytesIO

import pypdfium2
import pytest
from sqlalchemy import update

from app.db import tables
from app.documents import pictures, read
from app.documents.blobs import pictures_of
from app.documents.delete import delete_document
from app.errors import Invalid, NotFound

PNG = b"\x89PNG\r\n\x1a\n"


def pdf(pages=2):
    document = pypdfium2.PdfDocument.new()
    for number in range(pages):
        document.new_page(200 + number, 300)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


@pytest.fixture
def view(database, upload):
    view = upload("two pages.pdf", pdf())
    with database.session() as db:
        db.execute(update(tables.Content).values(state="ready", pages_total=2))
    return view


def test_a_page_is_drawn_once_and_kept(settings, stores, anna, view, monkeypatch):
    picture = read.page_picture(stores, anna, view.id, 2)
    assert picture.startswith(PNG)
    assert int.from_bytes(picture[16:20], "big") == 402  # two pixels a point
    monkeypatch.setattr(pictures, "draw_page", None)
    assert read.page_picture(stores, anna, view.id, 2) == picture
    assert [path.name for path in pictures_of(settings, view.sha256).iterdir()] == ["2.png"]


@pytest.mark.parametrize("page", [0, -1, 3, 10**9])
def test_a_page_that_is_not_there(stores, anna, view, page):
    with pytest.raises(NotFound):
        read.page_picture(stores, anna, view.id, page)


def test_formats_without_pictures_say_so(stores, anna, upload):
    with pytest.raises(NotFound, match="no picture"):
        read.page_picture(stores, anna, upload("a.txt", b"text").id, 1)


def test_a_broken_file_is_an_error_to_read_not_a_crash(stores, anna, upload):
    view = upload("broken.pdf", b"%PDF-1.7\nnothing of the kind\n%%EOF\n")
    with pytest.raises(Invalid) as error:
        read.page_picture(stores, anna, view.id, 1)
    assert error.value.hint


def test_many_at_once_get_the_same(stores, anna, view):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(read.page_picture(stores, anna, view.id, 1))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len(set(found)) == 1


def test_they_go_with_the_document(settings, stores, anna, view):
    read.page_picture(stores, anna, view.id, 1)
    delete_document(stores, anna, view.id)
    assert list(settings.pictures_dir.glob("*/*")) == []


def test_one_drawn_while_it_was_deleted_is_not_kept(settings, stores, anna, view, monkeypatch):
    draw = pictures.draw_page

    def draw_slowly(path, page, limits):
        picture = draw(path, page, limits)
        delete_document(stores, anna, view.id)
        return picture

    monkeypatch.setattr(pictures, "draw_page", draw_slowly)
    read.page_picture(stores, anna, view.id, 1)
    assert list(settings.pictures_dir.glob("*/*")) == []


def test_the_cache_is_bounded_and_keeps_what_was_seen_last(tmp_path):
    import os

    for number in range(5):
        path = tmp_path / "hash" / f"{number}.png"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(100))
        os.utime(path, (number, number))
    pictures.trim(tmp_path, 250)
    assert sorted(path.name for path in tmp_path.glob("*/*")) == ["3.png", "4.png"]
