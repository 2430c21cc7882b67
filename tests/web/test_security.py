"""Headers on every reply, forged requests, bounds on what is sent, and names that try to be scripts."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Sequence
from html.parser import HTMLParser

import httpx
import pytest
from starlette.datastructures import Headers

from app.config import Settings
from models.types import Message
from tests.web.conftest import Site
from web import limits
from web.downloads import attachment
from web.markup import inline
from web.security import HEADERS, SameOrigin

PAGES = ("/sign-in", "/", "/healthz", "/api/v1/collections", "/nowhere", "/api/v1/nowhere", "/openapi.json", "/docs")


@pytest.mark.parametrize("path", PAGES)
def test_every_reply_has_the_headers(site: Site, path: str):
    with site.browser() as ada:
        headers = ada.get(path).headers
    for name, value in HEADERS.items():
        if name != "content-security-policy" or path != "/docs":
            assert headers[name] == value, name
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"


def test_errors_before_the_application_have_them_too(site: Site, nobody: httpx.Client):
    for reply in (
        nobody.post("/sign-out", headers={"origin": "https://evil.example"}),
        nobody.get("/" + "a" * 5000),
        nobody.post("/sign-in", content=b"x" * (limits.SMALL_BODY + 1)),
    ):
        assert reply.status_code in (403, 413, 414)
        assert reply.headers["content-security-policy"] == HEADERS["content-security-policy"]


def test_static_files_may_be_kept_but_pages_may_not(site: Site, nobody: httpx.Client):
    page = nobody.get("/sign-in")
    assert page.headers["cache-control"] == "private, no-store"
    for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text):
        reply = nobody.get(address)
        assert reply.status_code == 200
        assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"origin": "https://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": "SELF"}, True),
        ({}, False),
        ({"sec-fetch-site": "cross-site", "origin": "SELF"}, False),
        # a key in the header is no cookie that a browser adds by itself, but it has to be a right one
        ({"sec-fetch-site": "cross-site", "authorization": "Bearer beleg_wrong"}, False),
    ],
)
def test_forged_requests_change_nothing(site: Site, headers: dict[str, str], allowed: bool):
    with site.browser() as ada:
        del ada.headers["sec-fetch-site"]
        headers = {name: site.url if value == "SELF" else value for name, value in headers.items()}
        name = f"forged {headers}"
        page = ada.post("/collections", data={"name": name}, headers=headers)
        api = ada.post("/api/v1/collections", json={"name": name + " api"}, headers=headers)
        names = [one["name"] for one in ada.get("/api/v1/collections").json()]
    assert (name in names) is allowed, page.text
    assert (name + " api" in names) is allowed, api.text
    if not allowed:
        assert api.status_code in (401, 403)


def test_signing_in_cannot_be_forged_either(site: Site):
    with httpx.Client(base_url=site.url) as client:
        reply = client.post(
            "/sign-in", data={"name": "Ada", "password": "x"}, headers={"origin": "https://evil.example"}
        )
    assert reply.status_code == 403


def test_a_body_is_bounded_before_it_is_read(site: Site, collection: str):
    with site.client(site.world.ada) as ada:
        over = ada.post("/api/v1/ask", content=b'"' + b"a" * limits.SMALL_BODY)
        assert over.status_code == 413
        # without a length: chunks are counted as they come

        def chunks():
            for _ in range(40):
                yield b"x" * 100_000

        chunked = ada.post("/api/v1/collections", content=chunks(), headers={"content-type": "application/json"})
        assert chunked.status_code == 413
        big = {"files": ("big.bin", b"x" * (3 * limits.MIB))}
        assert ada.post(f"/api/v1/collections/{collection}/documents", files=big).status_code == 413


def test_only_uploads_may_be_large(site: Site):
    with httpx.Client(base_url=site.url, headers={"sec-fetch-site": "same-origin"}) as nobody:
        for path in ("/sign-in", "/language", "/api/v1/ask"):
            reply = nobody.post(path, files={"name": ("a", b"x" * (limits.SMALL_BODY + 1))})
            assert reply.status_code == 413, path


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [("https://beleg.example", True), ("http://beleg.example", False), ("https://beleg.example.evil", False)],
)
def test_behind_a_proxy_the_public_address_counts(origin: str, allowed: bool):
    settings = Settings(_env_file=None, public_url="https://beleg.example/")
    check = SameOrigin(lambda *_: None, settings)
    headers = Headers({"host": "127.0.0.1:8321", "origin": origin, "cookie": "beleg_session=x"})
    assert check._allowed(headers) is allowed


def test_an_upload_without_a_right_to_it_is_not_read(site: Site, collection: str):
    with site.client(site.world.bob) as bob:

        def endless():
            yield b"--x\r\n"
            raise AssertionError("the body was asked for")

        headers = {"content-type": "multipart/form-data; boundary=x", "content-length": "1000"}
        request = bob.build_request("POST", f"/api/v1/collections/{collection}/documents", headers=headers)
        with socket.create_connection((request.url.host, request.url.port)) as raw:
            lines = [f"POST {request.url.path} HTTP/1.1", "host: test"]
            lines += [f"{name}: {value}" for name, value in {**headers, **site.world.bob.headers}.items()]
            raw.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
            assert raw.recv(100).startswith(b"HTTP/1.1 404")


def test_a_body_that_does_not_come_is_not_waited_for(site: Site, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "IDLE_SECONDS", 0.3)
    host, port = site.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(
            b"POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n"
            b"content-type: application/x-www-form-urlencoded\r\n\r\nname=A"
        )
        assert raw.recv(100).startswith(b"HTTP/1.1 408")


def test_a_body_that_drips_is_cut_off(site: Site, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "GRACE_SECONDS", 0.2)
    host, port = site.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(
            b"POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n"
            b"content-type: application/x-www-form-urlencoded\r\n\r\n"
        )
        reply = b""
        for _ in range(50):
            try:
                raw.sendall(b"a")
            except OSError:
                break
            time.sleep(0.05)
            raw.settimeout(0.001)
            try:
                reply = raw.recv(100)
            except TimeoutError:
                continue
            break
        assert reply.startswith(b"HTTP/1.1 408")


EVIL = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "{{ 7*7 }}${7*7}",
    "</pre></template></textarea><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "a\u202etxt.exe",
)


def cited(messages: Sequence[Message]) -> str:
    """The id of the passage that matters most."""
    return re.findall(r"\[D\d+\.\d+\]", messages[-1].content.split("first:")[-1])[0]


class Tags(HTMLParser):
    """Everything in a page that could run."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag == "script" and not (names.get("src") or "").startswith("/static/"):
            self.bad.append(self.get_starttag_text() or tag)
        for name, value in attrs:
            if name.startswith("on") or name == "style" or name.startswith("hx-on"):
                self.bad.append(f"{tag} {name}={value}")
            if name in ("href", "src", "action") and not re.match(r"/(?!/)|#|http://127|$", value or ""):
                self.bad.append(f"{tag} {name}={value}")


def assert_harmless(html: str) -> None:
    tags = Tags()
    tags.feed(html)
    assert not tags.bad
    assert "<style" not in html


@pytest.fixture(scope="module")
def evil(site: Site) -> dict[str, str]:
    """A collection where everything a person can name is an attack."""
    world = site.world
    collection = world.collection(world.ada, EVIL[0])
    for place, name in enumerate(EVIL):
        text = f"# {name}\n\nThe attack number {place + 700} says {name} and {EVIL[0]} and {EVIL[1]}.\n"
        world.upload(world.ada, collection, f"{name}.txt"[-390:], text.encode())
    question = "What does the attack number 701 say? " + " ".join(EVIL)
    world.engine.script = lambda messages: f"The attack number 703 says {EVIL[0]} {cited(messages)}. {EVIL[1]}"
    with site.client(world.ada) as ada:
        answer = ada.post("/api/v1/ask", json={"collection": collection, "question": question}).json()
        ada.post("/api/v1/keys", json={"name": EVIL[1]})
        ada.post("/api/v1/users", json={"name": EVIL[0]})
        ada.post(f"/api/v1/collections/{collection}/shares", json={"user": EVIL[0]})
    return {"collection": collection, "answer": answer["id"], "conversation": answer["conversation"]}


def test_names_questions_and_texts_never_run(site: Site, evil: dict[str, str]):
    collection, answer = evil["collection"], evil["answer"]
    with site.browser() as ada:
        documents = ada.get(f"/api/v1/collections/{collection}/documents").json()["documents"]
        assert len(documents) == len(EVIL)
        paths = [
            "/", "/account", "/administration", f"/collections/{collection}", f"/collections/{collection}/documents",
            f"/collections/{collection}/sharing", f"/collections/{collection}/delete",
            f"/collections/{collection}/documents/changes?since=0", f"/conversations/{evil['conversation']}",
            f"/conversations/{evil['conversation']}/delete", f"/answers/{answer}/sources/0/0",
            *(f"/documents/{one['id']}" for one in documents), *(f"/documents/{one['id']}/delete" for one in documents),
        ]  # fmt: skip
        for path in paths:
            for headers in ({}, {"hx-request": "true"}):
                reply = ada.get(path, headers=headers)
                assert reply.status_code == 200, path
                assert_harmless(reply.text)
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in ada.get("/").text


def test_events_never_run(site: Site, evil: dict[str, str]):
    site.world.engine.script = lambda messages: (
        f"{EVIL[0]} **bold** {EVIL[1]} [x](javascript:alert(1)) ![i](http://e/x)."
    )
    with site.browser() as ada:
        page = ada.post(f"/collections/{evil['collection']}/ask", data={"question": EVIL[1]})
        conversation = page.headers["location"]
        answer = re.search(r"id=\"answer-(\w{16})\"", ada.get(conversation).text)[1]
        with ada.stream("GET", f"/answers/{answer}/events") as reply:
            text = reply.read().decode()
        html = "\n".join(line[6:] for line in text.split("\n") if line.startswith("data: "))
        assert "&lt;script&gt;" in html
        assert_harmless(html)
        assert_harmless(ada.get(conversation).text)


def test_upload_replies_never_run(site: Site, evil: dict[str, str]):
    with site.browser() as ada:
        files = [("files", (name, b"")) for name in EVIL]
        for headers in ({}, {"hx-request": "true"}):
            reply = ada.post(f"/collections/{evil['collection']}/documents", files=files, headers=headers)
            assert_harmless(reply.text)
            assert "Not accepted" in reply.text


def test_markdown_is_emphasis_only():
    shown = inline("**a** *b* `c` <b>d</b> [e](https://f) ![g](h) <https://i>")
    assert shown == (
        "<strong>a</strong> <em>b</em> <code>c</code> &lt;b&gt;d&lt;/b&gt; [e](https://f) ![g](h) &lt;https://i&gt;"
    )


@pytest.mark.parametrize("name", ["a\r\nset-cookie: x.txt", 'x"; filename="y', "Ü" * 200, "", "../../etc/passwd"])
def test_a_name_cannot_leave_its_header(name: str):
    header = attachment(name)
    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2


@pytest.mark.parametrize(
    "path", ["//evil.example", "https://evil.example", "/\\evil.example", "evil", "/%0d%0aset-cookie:x"]
)
def test_signing_in_leads_nowhere_else(site: Site, path: str):
    with httpx.Client(base_url=site.url, headers={"sec-fetch-site": "same-origin"}) as client:
        reply = client.post("/sign-in", data={"name": "Eve", "password": "correct horse battery", "next": path})
    assert reply.status_code == 303
    assert reply.headers["location"] in ("/", "/%0d%0aset-cookie:x")


def test_the_session_cookie_is_out_of_reach(site: Site):
    with httpx.Client(base_url=site.url, headers={"sec-fetch-site": "same-origin"}) as client:
        cookie = client.post("/sign-in", data={"name": "Eve", "password": "correct horse battery"}).headers[
            "set-cookie"
        ]
    assert cookie.startswith("beleg_session=")
    assert "HttpOnly" in cookie
    assert "samesite=lax" in cookie.lower()
    assert "Path=/" in cookie
