"""Another's things do not exist, whatever the route: the routes are read from the application, so that a new one
cannot be forgotten here."""

from __future__ import annotations

import re

import httpx
import pytest
from starlette.routing import Route

from tests.web.conftest import Site
from tests.web.world import World
from web.main import create_app

# routes that name nothing of anybody's: a one-time link is its own proof
NO_ONES = {"/welcome/{secret}"}
BODIES = {
    "PATCH /api/v1/collections/{collection_id}": {"json": {"name": "mine now", "everyone": True}},
    "PATCH /api/v1/documents/{document_id}": {"json": {"name": "mine now.txt"}},
    "POST /api/v1/collections/{collection_id}/shares": {"json": {"user": "Bob"}},
    "POST /api/v1/collections/{collection_id}/documents": {"files": {"files": ("a.txt", b"words")}},
    "POST /collections/{collection_id}/documents": {"files": {"files": ("a.txt", b"words")}},
    "POST /documents/{document_id}/move": {"data": {"name": "mine now.txt"}},
    "POST /collections/{collection_id}/ask": {"data": {"question": "What is in there?"}},
    "POST /conversations/{conversation_id}/ask": {"data": {"question": "What is in there?"}},
    "POST /collections/{collection_id}/shares": {"data": {"user_name": "Bob", "may_edit": "true"}},
    "POST /collections/{collection_id}/shares/remove": {"data": {"user_name": "Bob"}},
    "POST /collections/{collection_id}/everyone": {"data": {"everyone": "true"}},
    "POST /collections/{collection_id}/name": {"data": {"name": "mine now"}},
    "PATCH /api/v1/users/{user_id}": {"json": {"is_admin": True}},
    "POST /administration/users/{user_id}/admin": {"data": {"is_admin": "true"}},
}


def routes_with_ids(world: World) -> list[tuple[str, str]]:
    app = create_app(world.services)  # type: ignore[arg-type]
    found = [
        (method, route.path)
        for route in _flat(app.routes)
        for method in sorted(route.methods or ())
        if "{" in route.path and method != "HEAD" and route.path not in NO_ONES
    ]
    assert len(found) > 40
    return found


def _flat(routes):
    for route in routes:
        if isinstance(route, Route):
            yield route
        elif getattr(route, "routes", None):
            yield from _flat(route.routes)


@pytest.fixture(scope="module")
def adas(site: Site, collection: str) -> dict[str, str]:
    """What is Ada's, by the names that routes give to ids."""
    with site.client(site.world.ada) as ada:
        question = {"collection": collection, "question": "When must claims reach the office?"}
        answer = ada.post("/api/v1/ask", json=question).json()
        return {
            "collection_id": collection,
            "document_id": answer["statements"][0]["citations"][0]["document_id"],
            "conversation_id": answer["conversation"],
            "answer_id": answer["id"],
            "key_id": ada.get("/api/v1/keys").json()[0]["id"],
            "user_id": ada.get("/api/v1/me").json()["id"],
            "user": "Eve",
            "page": "1",
            "ordinal": "0",
            "statement": "0",
            "position": "0",
        }


IDS = {"collection_id", "document_id", "conversation_id", "answer_id", "key_id", "user_id"}


def test_every_route_answers_as_if_it_did_not_exist(site: Site, adas: dict[str, str]):
    with site.browser("Bob") as bob:
        for method, path in routes_with_ids(site.world):
            theirs = outcome(bob, method, path, adas)
            invented = outcome(bob, method, path, {**adas, **dict.fromkeys(IDS, "0123456789abcdef")})
            assert theirs == invented, f"{method} {path}"
            assert theirs[0] == (403 if "user_id" in path else 404), f"{method} {path}: {theirs[0]}"


def test_every_route_works_for_its_owner(site: Site, adas: dict[str, str]):
    """The other half of the proof: with the same ids, Ada is not told 404."""
    with site.browser("Ada") as ada:
        for method, path in routes_with_ids(site.world):
            if method != "GET" or path.endswith((".png", "/nearest/{position}", "/events")):
                continue
            assert outcome(ada, method, path, adas)[0] == 200, path


def outcome(client: httpx.Client, method: str, path: str, ids: dict[str, str]) -> tuple[int, str, str]:
    """Status, kind and body, with the ids that were asked for taken out."""
    address = re.sub(r"{(\w+)}", lambda match: ids[match[1]], path)
    reply = client.request(method, address, **BODIES.get(f"{method} {path}", {}))
    body = reply.text
    for id in ids.values():
        if len(id) == 16:
            body = body.replace(id, "ID")
    return reply.status_code, reply.headers.get("content-type", ""), body


def test_asking_in_anothers_collection_or_conversation(site: Site, adas: dict[str, str]):
    with site.client(site.world.bob) as bob:
        mine = bob.post("/api/v1/collections", json={"name": "Bob's"}).json()["id"]
        for collection, conversation in (
            (adas["collection_id"], None),
            (mine, adas["conversation_id"]),
            ("0123456789abcdef", None),
        ):
            question = {"collection": collection, "question": "What is in there?", "conversation": conversation}
            assert bob.post("/api/v1/ask", json=question).status_code == 404


def test_conversations_are_private_even_in_a_shared_collection(site: Site, adas: dict[str, str]):
    collection = adas["collection_id"]
    with site.client(site.world.ada) as ada, site.client(site.world.bob) as bob:
        ada.post(f"/api/v1/collections/{collection}/shares", json={"user": "Bob"})
        try:
            assert bob.get(f"/api/v1/documents/{adas['document_id']}").status_code == 200
            assert bob.get(f"/api/v1/collections/{collection}/conversations").json() == []
            assert bob.get(f"/api/v1/conversations/{adas['conversation_id']}").status_code == 404
            assert bob.get(f"/api/v1/answers/{adas['answer_id']}").status_code == 404
            answer = bob.post("/api/v1/ask", json={"collection": collection, "question": "When are claims due?"}).json()
            assert answer["statements"]
        finally:
            ada.delete(f"/api/v1/collections/{collection}/shares/Bob")
        assert bob.get(f"/api/v1/answers/{answer['id']}").status_code == 404
        assert bob.get(f"/api/v1/conversations/{answer['conversation']}").status_code == 404


def test_nothing_is_shown_to_nobody(site: Site, adas: dict[str, str]):
    """Without sign-in every route asks for it, before it says whether anything exists."""
    with httpx.Client(base_url=site.url, headers={"sec-fetch-site": "same-origin"}) as nobody:
        for method, path in routes_with_ids(site.world):
            status, _, body = outcome(nobody, method, path, adas)
            if path.startswith("/api/"):
                assert (status, "sign_in_required" in body) == (401, True), path
            else:
                assert status == 303, path


def test_what_needs_no_sign_in(site: Site):
    public = {
        "/sign-in",
        "/welcome/{secret}",
        "/language",
        "/sign-out",
        "/healthz",
        "/readyz",
        "/docs",
        "/openapi.json",
        "/metrics",  # has a key of its own; without it there is no such address
    }
    app = create_app(site.world.services)  # type: ignore[arg-type]
    with httpx.Client(base_url=site.url, headers={"sec-fetch-site": "same-origin"}) as nobody:
        for route in _flat(app.routes):
            if "{" in route.path or route.path in public:
                continue
            for method in set(route.methods or ()) - {"HEAD"}:
                status = nobody.request(method, route.path).status_code
                assert status in (401, 303), f"{method} {route.path}"
