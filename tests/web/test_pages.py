"""Pages without a browser: coming in, forms with and without HTMX, languages."""

from __future__ import annotations

import re

import httpx
import pytest

from tests.web.conftest import Site
from tests.web.world import PASSWORD

SAME = {"sec-fetch-site": "same-origin"}


@pytest.fixture
def visitor(site: Site):
    with httpx.Client(base_url=site.url, headers=SAME) as client:
        yield client


def test_sign_in_and_out(visitor: httpx.Client):
    assert visitor.get("/").headers["location"] == "/sign-in"
    assert visitor.get("/account").headers["location"] == "/sign-in?next=/account"
    wrong = visitor.post("/sign-in", data={"name": "Ada", "password": "wrong", "next": "/account"})
    assert wrong.status_code == 401
    assert "Name or password is wrong." in wrong.text
    assert 'value="Ada"' in wrong.text
    right = visitor.post("/sign-in", data={"name": "ada", "password": PASSWORD, "next": "/account"})
    assert (right.status_code, right.headers["location"]) == (303, "/account")
    assert visitor.get("/").status_code == 200
    assert visitor.get("/sign-in").headers["location"] == "/"
    assert visitor.post("/sign-out").headers["location"] == "/sign-in"
    assert visitor.get("/").status_code == 303


def test_a_welcome_link_survives_previews_and_works_once(site: Site, visitor: httpx.Client):
    secret = site.world.newcomer("Newcomer")
    for _ in range(3):
        assert "Sign me in" in visitor.get(f"/welcome/{secret}").text
    assert visitor.get("/").status_code == 303
    assert visitor.post(f"/welcome/{secret}").headers["location"] == "/welcome"
    for path in ("/", "/account"):
        assert visitor.get(path).headers["location"] == "/welcome"  # a password first
    short = visitor.post("/welcome", data={"name": "Nora", "password": "short", "again": "short"})
    assert short.status_code == 422
    assert "at least 10 characters" in short.text
    differs = visitor.post("/welcome", data={"name": "Nora", "password": PASSWORD, "again": PASSWORD + "x"})
    assert "not the same" in differs.text
    assert visitor.post("/welcome", data={"name": "Nora", "password": PASSWORD, "again": PASSWORD}).status_code == 303
    assert "Nora" in visitor.get("/").text
    with httpx.Client(base_url=site.url, headers=SAME) as thief:
        used = thief.post(f"/welcome/{secret}")
        assert used.status_code == 401
        assert "used already" in used.text


def test_a_new_link_is_the_way_back_for_who_lost_the_password(site: Site, visitor: httpx.Client):
    with site.browser("Ada") as ada:
        user = next(one for one in ada.get("/api/v1/users").json() if one["name"] == "Bob")
        page = ada.post(f"/administration/users/{user['id']}/link", data={"name": "Bob"}).text
    link = re.search(r"/welcome/([\w-]{40,})", page)[0]
    assert visitor.post(link).headers["location"] == "/welcome"
    new = {"name": "Bob", "password": "another " + PASSWORD, "again": "another " + PASSWORD}
    assert visitor.post("/welcome", data=new).headers["location"] == "/"
    assert visitor.get("/").status_code == 200
    back = {"current": "another " + PASSWORD, "password": PASSWORD, "again": PASSWORD}
    assert visitor.post("/account/password", data=back).status_code == 303


def test_everything_works_without_scripts(site: Site):
    with site.browser() as ada:
        made = ada.post("/collections", data={"name": "Plain"})
        assert made.status_code == 303
        documents = made.headers["location"]
        collection = documents.split("/")[2]
        sent = ada.post(documents, files=[("files", ("a.md", b"# Rules\n\nParking costs 7 euros a day.\n"))])
        assert sent.headers["location"] == documents
        refused = ada.post(documents, files=[("files", ("empty.md", b""))])
        assert "Not accepted" in refused.text
        assert "empty.md" in refused.text
        document = re.search(r"/documents/(\w{16})\"", ada.get(documents).text)[1]
        site.world.wait_until_read(site.world.ada, document)
        asked = ada.post(f"/collections/{collection}/ask", data={"question": "What does parking cost?"})
        conversation = asked.headers["location"]
        answer = re.search(r"id=\"answer-(\w{16})\"", ada.get(conversation).text)[1]
        with ada.stream("GET", f"/answers/{answer}/events") as reply:  # it may have ended before
            reply.read()
        page = ada.get(conversation).text
        assert "7 euros a day" in page
        source = ada.get(f"/answers/{answer}/sources/0/0")
        assert "<mark>" in source.text
        assert "<html" in source.text
        follow = ada.post(conversation + "/ask", data={"question": "And for a week?"})
        assert follow.headers["location"].startswith(conversation + "#answer-")
        assert ada.post(f"/documents/{document}/delete").headers["location"] == documents
        assert "This source was deleted" in ada.get(f"/answers/{answer}/sources/0/0").text
        assert ada.post(conversation + "/delete").headers["location"] == f"/collections/{collection}"
        assert ada.post(f"/collections/{collection}/delete").headers["location"] == "/"


def test_an_error_at_a_form_is_a_notice_for_htmx_and_a_page_without(site: Site):
    with site.browser() as ada:
        ada.post("/collections", data={"name": "Taken"})
        page = ada.post("/collections", data={"name": "Taken"})
        assert page.status_code == 409
        assert "<html" in page.text
        part = ada.post("/collections", data={"name": "Taken"}, headers={"hx-request": "true"})
        assert part.status_code == 409
        assert "<html" not in part.text
        assert "You have a collection called Taken already." in part.text
        made = ada.post("/collections", data={"name": "Free"}, headers={"hx-request": "true"})
        assert made.headers["hx-redirect"].startswith("/collections/")


def test_keys_and_invitations_are_shown_once(site: Site):
    with site.browser() as ada:
        made = ada.post("/account/keys", data={"name": "script"}).text
        key = re.search(r"beleg_[\w-]{40,}", made)[0]
        assert key not in ada.get("/account").text
        invited = ada.post("/administration/users", data={"name": "Hugo"}).text
        link = re.search(r"/welcome/([\w-]{40,})", invited)[0]
        assert link not in ada.get("/administration").text


def test_password_change_keeps_only_this_browser(site: Site):
    with site.browser("Eve") as here, site.browser("Eve") as there:
        wrong = here.post(
            "/account/password", data={"current": "x", "password": "new " + PASSWORD, "again": "new " + PASSWORD}
        )
        assert wrong.status_code == 422
        new = {"current": PASSWORD, "password": "new " + PASSWORD, "again": "new " + PASSWORD}
        assert here.post("/account/password", data=new).status_code == 303
        assert here.get("/account").status_code == 200
        assert there.get("/account").status_code == 303
        back = {"current": "new " + PASSWORD, "password": PASSWORD, "again": PASSWORD}
        assert here.post("/account/password", data=back).status_code == 303


def test_sign_out_everywhere_else(site: Site):
    with site.browser("Eve") as here, site.browser("Eve") as there:
        assert here.post("/account/sign-out-everywhere").status_code == 303
        assert here.get("/account").status_code == 200
        assert there.get("/account").status_code == 303


def test_administration_is_for_administrators(site: Site):
    with site.browser("Bob") as bob:
        assert bob.get("/administration").status_code == 403
        assert "Administration" not in bob.get("/").text
        assert bob.post("/administration/users", data={"name": "x"}).status_code == 403


def test_the_engine_notice_says_what_is_going_on(site: Site):
    with site.browser() as ada:
        assert "every" not in ada.get("/engine").text
        for state, words in (
            ("starting", "The language model is starting"),
            ("restarting", "is being started again"),
            ("failed", "could not be started"),
            ("off", "No language model is running"),
        ):
            site.world.services.state = state
            text = ada.get("/engine?was=ready").text
            assert words in text
        site.world.services.state = "ready"
        assert "The language model is ready." in ada.get("/engine?was=starting").text


def test_language_by_browser_and_by_choice(visitor: httpx.Client):
    english, german = visitor.get("/sign-in"), visitor.get("/sign-in", headers={"accept-language": "de-CH, de;q=0.9"})
    assert "Password" in english.text
    assert '<html lang="de">' in german.text
    assert "Passwort" in german.text
    assert visitor.post("/language", data={"language": "de", "next": "/sign-in"}).headers["location"] == "/sign-in"
    assert "Passwort" in visitor.get("/sign-in", headers={"accept-language": "en"}).text
    visitor.post("/language", data={"language": "xx"})
    assert "Passwort" in visitor.get("/sign-in").text


def test_reload_in_mid_answer_replays_and_goes_on(site: Site, collection: str):
    world = site.world
    world.engine.script = lambda messages: "First words here " + "and more " * 20
    world.engine.hold(after=3)
    with site.browser() as ada:
        conversation = ada.post(f"/collections/{collection}/ask", data={"question": "Claims?"}).headers["location"]
        answer = re.search(r"/answers/(\w+)/events", ada.get(conversation).text)[1]
        with ada.stream("GET", f"/answers/{answer}/events") as first:
            seen = ""
            for line in first.iter_lines():
                seen += line + "\n"
                if "here" in line:
                    break
        with ada.stream("GET", f"/answers/{answer}/events") as second:
            lines = second.iter_lines()
            seen = ""
            while "here" not in seen:
                seen += next(lines) + "\n"
            world.engine.go_on()
            rest = "\n".join(lines)
        assert "event: final" in rest
        assert rest.count("event: end") == 1
        assert "First words" in ada.get(conversation).text
