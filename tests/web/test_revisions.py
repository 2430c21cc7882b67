"""Revisions and moving, as the pages show them: without a browser, with and without HTMX."""

from __future__ import annotations

import re
import time

from tests.web.conftest import Site

HTMX = {"hx-request": "true"}
OLD = b"# Hotels\n\nA hotel may cost 100 euros a night at most.\n"
NEW = b"# Hotels\n\nA hotel may cost 120 euros a night at most.\n"


def id_of(row: str) -> str:
    return re.search(r'href="/documents/(\w+)"', row)[1]


def test_the_list_shows_the_newest_and_the_old_source_says_what_it_is(site: Site):
    world = site.world
    collection = world.collection(world.ada, "Revised pages")
    first = world.upload(world.ada, collection, "hotels.md", OLD)
    with site.browser() as ada:
        answered = ada.post(f"/collections/{collection}/ask", data={"question": "What may a hotel cost?"})
        conversation = answered.headers["location"]
        wait_for(ada, conversation, "100 euros")
        path = f"/collections/{collection}/documents"
        sent = ada.post(path, files=[("files", ("hotels.md", NEW))], headers=HTMX)
        assert f'id="document-{first}" data-was="changed"' in sent.text  # it takes the place of the first one's row
        assert ">revision 2</a>" in sent.text
        second = id_of(sent.text)
        world.wait_until_read(world.ada, second)
        again = ada.post(path, files=[("files", ("hotels.md", NEW)), ("files", ("new.md", b"Words."))], headers=HTMX)
        assert re.findall(r'data-was="(\w+)"', again.text) == ["unchanged", "new"]
        rows = ada.get(path).text
        assert f'href="/documents/{first}"' not in rows
        assert f'href="/documents/{second}#revisions"' in rows

        source = ada.get(re.search(r'href="(/answers/\w+/sources/0/0)"', ada.get(conversation).text)[1]).text
        assert "This is revision 1, an earlier revision of the document. Answers use a newer one now." in source
        assert f'<a href="/documents/{second}">Open the newest</a>' in source
        assert "100 euros" in source
        old = ada.get(f"/documents/{first}").text
        assert "an earlier revision" in old
        assert "answers use this one" in old
        assert "100 euros" in old
        newest = ada.get(f"/documents/{second}").text
        assert "an earlier revision" not in newest
        assert f'<a href="/documents/{first}">revision 1</a>' in newest
        assert "With all its 2 revisions." in ada.get(f"/documents/{second}/delete").text
        german = ada.get(f"/documents/{first}", headers={"accept-language": "de"}).text
        assert "Das ist Fassung 1, eine frühere Fassung des Dokuments." in german


def test_a_refused_revision_says_that_the_old_one_is_used(site: Site):
    world = site.world
    collection = world.collection(world.ada, "Refused revision")
    world.upload(world.ada, collection, "hotels.md", OLD)
    world.upload(world.ada, collection, "hotels.md", b"%PDF-1.7\nnothing of the kind\n%%EOF\n")
    with site.browser() as ada:
        rows = ada.get(f"/collections/{collection}/documents").text
        assert "Could not be read" in rows
        assert "Answers go on using revision 1." in rows


def test_rename_and_move_in_a_dialog(site: Site):
    world = site.world
    here, there = world.collection(world.ada, "Move from"), world.collection(world.ada, "Move to")
    bobs = world.collection(world.bob, "Not for Ada")
    id = world.upload(world.ada, here, "draft.md", OLD)
    world.upload(world.ada, there, "taken.md", NEW)
    with site.browser() as ada:
        assert f'hx-get="/documents/{id}/move"' in ada.get(f"/collections/{here}/documents").text
        dialog = ada.get(f"/documents/{id}/move", headers=HTMX).text
        assert "<html" not in dialog
        assert 'value="draft.md"' in dialog
        assert f'<option value="{there}" >Move to</option>' in dialog
        assert bobs not in dialog
        assert "<html" in ada.get(f"/documents/{id}/move").text
        move = {"name": "taken.md", "folder": "", "collection": there}
        taken = ada.post(f"/documents/{id}/move", data=move, headers=HTMX)
        assert (taken.status_code, "taken.md" in taken.text) == (409, True)
        done = ada.post(f"/documents/{id}/move", data={**move, "name": "final.md", "folder": "2026"}, headers=HTMX)
        assert done.headers["hx-redirect"] == f"/collections/{there}/documents"
        rows = ada.get(f"/collections/{there}/documents").text
        assert "final.md" in rows
        assert "2026 · " in rows
        nameless = ada.post(f"/documents/{id}/move", data={"name": " ", "folder": "", "collection": there})
        assert nameless.status_code == 422
        german = ada.get(f"/documents/{id}/move", headers={"accept-language": "de"}).text
        assert "„final.md“ umbenennen oder verschieben" in german


def wait_for(client, path: str, words: str) -> None:
    for _ in range(200):
        if words in client.get(path).text:
            return
        time.sleep(0.1)
    raise AssertionError(f"{words} did not come")
