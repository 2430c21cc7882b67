"""The API as a program uses it, against a real server."""

from __future__ import annotations

import json
import time
from urllib.parse import quote

import httpx

from tests.web.conftest import NOTICE, Site

API = "/api/v1"


def wait_until_read(client: httpx.Client, document_id: str) -> dict:
    for _ in range(300):
        document = client.get(f"{API}/documents/{document_id}").json()
        if document["state"] in ("ready", "refused"):
            return document
        time.sleep(0.1)
    raise AssertionError(document)


def upload(client: httpx.Client, collection: str, *files: tuple[str, bytes], folder: str = "") -> httpx.Response:
    parts = [("folder", (None, folder))] + [("files", file) for file in files]
    return client.post(f"{API}/collections/{collection}/documents", files=parts)


def is_problem(reply: httpx.Response, status: int, code: str = "") -> dict:
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    problem = reply.json()
    assert problem["status"] == status
    assert problem["type"] == f"urn:beleg:error:{problem['code']}"
    assert problem["detail"]
    assert "hint" in problem
    assert problem["instance"] == httpx.URL(reply.url).path
    if code:
        assert problem["code"] == code
    return problem


def test_collection_from_birth_to_death(ada):
    made = ada.post(f"{API}/collections", json={"name": "Contracts"})
    assert made.status_code == 201
    collection = made.json()
    assert collection | {"id": "", "created_at": ""} == {
        "id": "", "name": "Contracts", "owner": "Ada", "mine": True, "may_edit": True, "everyone": False,
        "documents": 0, "created_at": "",
    }  # fmt: skip
    address = f"{API}/collections/{collection['id']}"
    is_problem(ada.post(f"{API}/collections", json={"name": "contracts"}), 409)
    assert ada.patch(address, json={"name": "Deals", "everyone": True}).json()["name"] == "Deals"
    assert ada.get(address).json()["everyone"] is True
    assert "Deals" in [one["name"] for one in ada.get(f"{API}/collections").json()]
    assert ada.delete(address).status_code == 204
    is_problem(ada.get(address), 404)


def test_shares_decide_who_sees_and_who_edits(ada, bob):
    collection = ada.post(f"{API}/collections", json={"name": "Shared"}).json()["id"]
    address = f"{API}/collections/{collection}"
    is_problem(bob.get(address), 404)
    assert ada.post(f"{address}/shares", json={"user": "bob"}).json() == {"user": "Bob", "may_edit": False}
    assert bob.get(address).json() | {"created_at": ""} == {
        "id": collection, "name": "Shared", "owner": "Ada", "mine": False, "may_edit": False, "everyone": False,
        "documents": 0, "created_at": "",
    }  # fmt: skip
    is_problem(upload(bob, collection, ("a.txt", b"some words")), 404)
    ada.post(f"{address}/shares", json={"user": "Bob", "may_edit": True})
    assert upload(bob, collection, ("a.txt", b"some words")).status_code == 201
    assert ada.get(f"{address}/shares").json() == [{"user": "Bob", "may_edit": True}]
    assert ada.delete(f"{address}/shares/Bob").status_code == 204
    is_problem(bob.get(address), 404)
    is_problem(ada.post(f"{address}/shares", json={"user": "nobody of that name"}), 422)


def test_document_from_upload_to_deletion(ada, world):
    collection = world.collection(world.ada, "Papers")
    reply = upload(ada, collection, ("Köln Übersicht.md", NOTICE), folder="2026/Reisen")
    assert reply.status_code == 201
    (document,) = reply.json()["documents"]
    assert (document["name"], document["folder"], document["format"]) == (
        "Köln Übersicht.md",
        "2026/Reisen",
        "markdown",
    )
    assert document["state"] in ("received", "reading", "ready")
    ready = wait_until_read(ada, document["id"])
    assert ready["state"] == "ready"
    assert ready["passages"] >= 1
    listed = ada.get(f"{API}/collections/{collection}/documents").json()
    assert listed["total"] == 1
    assert {**listed["documents"][0], "revisions": ready["revisions"]} == ready
    passage = ada.get(f"{API}/documents/{document['id']}/passages/0").json()
    assert "30 days" in passage["text"]
    assert passage["page"] is None
    assert ada.delete(f"{API}/documents/{document['id']}").status_code == 204
    is_problem(ada.get(f"{API}/documents/{document['id']}"), 404)
    is_problem(ada.get(f"{API}/documents/{document['id']}/original"), 404)


def test_original_is_a_download_that_no_browser_opens(ada, world):
    collection = world.collection(world.ada, "Downloads")
    name = 'Übersicht "1"; x.html'
    document = world.upload(world.ada, collection, name, b"<!doctype html><p>Read me <script>alert(1)</script></p>")
    reply = ada.get(f"{API}/documents/{document}/original")
    assert reply.content == b"<!doctype html><p>Read me <script>alert(1)</script></p>"
    disposition = reply.headers["content-disposition"]
    assert disposition.startswith("attachment; ")
    assert f"filename*=UTF-8''{quote(name, safe='')}" in disposition
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-security-policy"] == "default-src 'none'; sandbox"
    part = ada.get(f"{API}/documents/{document}/original", headers={"range": "bytes=0-8"})
    assert (part.status_code, part.content) == (206, b"<!doctype")


def test_page_picture(ada, world, pdf):
    collection = world.collection(world.ada, "Pictures")
    document = world.upload(world.ada, collection, "invoice.pdf", pdf)
    reply = ada.get(f"{API}/documents/{document}/pages/1.png")
    assert reply.headers["content-type"] == "image/png"
    assert reply.content.startswith(b"\x89PNG")
    is_problem(ada.get(f"{API}/documents/{document}/pages/2.png"), 404)


def test_many_files_each_with_its_own_outcome(ada, world):
    collection = world.collection(world.ada, "Many")
    reply = upload(ada, collection, ("good.txt", b"Good words."), ("empty.txt", b""), ("big.txt", b"x" * 1_060_000))
    assert reply.status_code == 201
    outcome = reply.json()
    assert [one["name"] for one in outcome["documents"]] == ["good.txt"]
    refused = {one["name"]: one["problem"]["status"] for one in outcome["not_accepted"]}
    assert refused == {"empty.txt": 422, "big.txt": 413}


def test_upload_of_nothing_good_is_the_files_own_problem(ada, world):
    collection = world.collection(world.ada, "Nothing")
    is_problem(upload(ada, collection, ("empty.txt", b"")), 422)
    is_problem(upload(ada, collection), 422)
    is_problem(upload(ada, collection, ("program.exe", b"MZ\x90\x00" + bytes(range(256)) * 20)), 415)
    is_problem(ada.post(f"{API}/collections/{collection}/documents", content=b"plain"), 415)
    broken = {"content-type": "multipart/form-data; boundary=x"}
    body = b'--x\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\n\r\ncut off'
    is_problem(ada.post(f"{API}/collections/{collection}/documents", content=body, headers=broken), 422)
    assert ada.get(f"{API}/collections/{collection}/documents").json()["total"] == 0


def test_same_bytes_twice_is_one_document(ada, world):
    collection = world.collection(world.ada, "Twice")
    first = upload(ada, collection, ("a.txt", b"Same bytes.")).json()["documents"][0]
    again = upload(ada, collection, ("a.txt", b"Same bytes.")).json()["documents"][0]
    assert (again["id"], again["existed"], first["existed"]) == (first["id"], True, False)


def test_new_bytes_are_a_revision_and_an_old_answer_keeps_its_source(ada, world):
    collection = world.collection(world.ada, "Revised")
    first = upload(ada, collection, ("hotels.txt", b"A hotel may cost 100 euros a night.")).json()["documents"][0]
    wait_until_read(ada, first["id"])
    answer = ada.post(f"{API}/ask", json={"collection": collection, "question": "What may a hotel cost?"}).json()
    outcome = upload(
        ada, collection, ("hotels.txt", b"A hotel may cost 120 euros a night."), ("new.txt", b"Another text.")
    ).json()
    assert (outcome["new"], outcome["changed"], outcome["unchanged"]) == (1, 1, 0)
    second = wait_until_read(ada, outcome["documents"][0]["id"])
    other = wait_until_read(ada, outcome["documents"][1]["id"])
    assert (second["revision"], second["searched_revision"], second["replaced_at"]) == (2, 2, None)
    assert [(one["id"], one["revision"]) for one in second["revisions"]] == [(second["id"], 2), (first["id"], 1)]
    listed = ada.get(f"{API}/collections/{collection}/documents").json()
    assert (listed["total"], {one["id"] for one in listed["documents"]}) == (2, {second["id"], other["id"]})

    again = upload(ada, collection, ("hotels.txt", b"A hotel may cost 120 euros a night.")).json()
    assert (again["new"], again["changed"], again["unchanged"]) == (0, 0, 1)
    kept = ada.get(f"{API}/answers/{answer['id']}").json()["statements"][0]["citations"][0]
    assert (kept["document_id"], kept["deleted"]) == (first["id"], False)
    assert "100 euros" in kept["quote"]
    old = ada.get(f"{API}/documents/{first['id']}").json()
    assert old["newest"] == second["id"]
    assert old["replaced_at"] is not None
    passage = ada.get(f"{API}/documents/{first['id']}/passages/0").json()
    assert (passage["replaced"], passage["newest"], "100 euros" in passage["text"]) == (True, second["id"], True)
    anew = ada.post(f"{API}/ask", json={"collection": collection, "question": "What may a hotel cost?"}).json()
    assert "120 euros" in anew["answer"]
    assert "100 euros" not in anew["answer"]
    assert ada.delete(f"{API}/documents/{second['id']}").status_code == 204
    is_problem(ada.get(f"{API}/documents/{first['id']}"), 404)
    assert ada.get(f"{API}/answers/{answer['id']}").json()["statements"][0]["citations"][0]["deleted"]


def test_a_document_is_renamed_and_moved_without_being_read_again(ada, bob, world):
    here, there = world.collection(world.ada, "Here"), world.collection(world.ada, "There")
    bobs = world.collection(world.bob, "Bob's own")
    id = world.upload(world.ada, here, "draft.txt", b"A hotel may cost 100 euros a night.")
    world.upload(world.ada, there, "taken.txt", b"Another text.")
    place = {"name": "Köln.txt", "folder": "2026/Reisen"}
    renamed = ada.patch(f"{API}/documents/{id}", json=place).json()
    assert {key: renamed[key] for key in place} == place
    assert (renamed["id"], renamed["state"]) == (id, "ready")
    taken = {"name": "taken.txt", "folder": "", "collection": there}
    assert "taken.txt" in is_problem(ada.patch(f"{API}/documents/{id}", json=taken), 409)["detail"]
    assert ada.patch(f"{API}/documents/{id}", json={"collection": there}).json()["collection"] == there
    assert ada.get(f"{API}/collections/{here}/documents").json()["total"] == 0
    is_problem(ada.patch(f"{API}/documents/{id}", json={"collection": bobs}), 404)
    is_problem(bob.patch(f"{API}/documents/{id}", json={"collection": bobs}), 404)
    is_problem(ada.patch(f"{API}/documents/{id}", json={"name": " "}), 422)
    is_problem(ada.patch(f"{API}/documents/{id}", json={"name": "a.txt", "size": 1}), 422)


def test_answer_with_its_proof(ada, collection):
    reply = ada.post(f"{API}/ask", json={"collection": collection, "question": "When must claims reach the office?"})
    assert reply.status_code == 200
    answer = reply.json()
    assert answer["state"] == "done"
    assert answer["verdict"] == "proved"
    assert "30 days" in answer["answer"]
    (first, *_) = answer["statements"]
    assert first["verdict"] == "proved"
    citation = first["citations"][0]
    assert (citation["document"], citation["page"], citation["deleted"]) == ("travel.md", None, False)
    passage = ada.get(f"{API}/documents/{citation['document_id']}/passages/{citation['ordinal']}").json()
    assert passage["text"][citation["start"] : citation["end"]] == citation["quote"]
    assert answer["trace"]["prompt_tokens"] == 2140
    assert answer["trace"]["cached_tokens"] == 1828
    assert ada.get(f"{API}/answers/{answer['id']}").json() == answer
    conversation = ada.get(f"{API}/conversations/{answer['conversation']}").json()
    assert conversation["answers"] == [answer]
    assert answer["conversation"] in [
        one["id"] for one in ada.get(f"{API}/collections/{collection}/conversations").json()
    ]
    assert ada.delete(f"{API}/conversations/{answer['conversation']}").status_code == 204
    is_problem(ada.get(f"{API}/answers/{answer['id']}"), 404)


def test_a_wrong_figure_is_marked_with_its_reason(ada, collection, world):
    world.engine.script = lambda messages: f"Claims must reach the office within 45 days {id_in(messages)}."
    reply = ada.post(
        f"{API}/ask",
        json={"collection": collection, "question": "When must claims reach the office?"},
        headers={"accept-language": "de"},
    ).json()
    assert reply["verdict"] == "unproved"
    (statement,) = reply["statements"]
    assert statement["verdict"] == "unproved"
    assert statement["reasons"][0]["code"] == "figure_missing"
    assert statement["reasons"][0]["text"] == "„45 days“ steht nicht in der Quelle."


def id_in(messages) -> str:
    import re

    return re.search(r"\[D\d+\.\d+\]", messages[-1].content)[0]


def test_declined_answer_shows_what_is_nearest(ada, collection, world):
    world.engine.script = lambda messages: "NOT IN THE DOCUMENTS"
    reply = ada.post(f"{API}/ask", json={"collection": collection, "question": "How much may a hotel cost?"}).json()
    assert (reply["verdict"], reply["statements"]) == ("declined", [])
    assert reply["nearest"][0]["document"] == "travel.md"


def test_stream_of_events(ada, collection):
    events = read_events(ada, {"collection": collection, "question": "What may a hotel cost?", "stream": True})
    names = [event["event"] for event in events]
    assert names[-1] == "done"
    assert "token" in names
    assert "statement" in names
    assert [event["seq"] for event in events] == sorted({event["seq"] for event in events})
    done = events[-1]["answer"]
    assert [event["statement"] for event in events if event["event"] == "statement"] == done["statements"]
    address = f"{API}/answers/{done['id']}/events"
    with ada.stream("GET", address, headers={"last-event-id": str(events[-2]["seq"])}) as reply:
        assert [event["event"] for event in parse(reply)] == ["done"]
    years = 3 * 365 * 86400 * 1_000_000  # an answer taken up again after that long numbers its events from here
    with ada.stream("GET", address, params={"after": years}) as reply:
        assert [(event["event"], event["seq"]) for event in parse(reply)] == [("done", years + 1)]


def read_events(client: httpx.Client, question: dict) -> list[dict]:
    with client.stream("POST", f"{API}/ask", json=question) as reply:
        assert reply.headers["content-type"].startswith("text/event-stream")
        return parse(reply)


def parse(reply: httpx.Response) -> list[dict]:
    found = []
    for block in reply.read().decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if fields:
            found.append(json.loads(fields["data"]))
            assert fields["event"] == found[-1]["event"]
            assert fields["id"] == str(found[-1]["seq"])
    return found


def test_stop_and_retry(ada, collection, world):
    world.engine.hold(after=4)
    with ada.stream(
        "POST", f"{API}/ask", json={"collection": collection, "question": "Hotel?", "stream": True}
    ) as reply:
        lines = reply.iter_lines()
        first = next(json.loads(line[6:]) for line in lines if line.startswith('data: {"event": "token"'))
        assert first["event"] == "token"
        with Site(world, str(ada.base_url)).client(world.ada) as other:
            (conversation, *_) = other.get(f"{API}/collections/{collection}/conversations").json()
            running = other.get(f"{API}/conversations/{conversation['id']}").json()["answers"][-1]
            busy = {"collection": collection, "question": "And now?", "conversation": conversation["id"]}
            is_problem(other.post(f"{API}/ask", json=busy), 409)
            stopped = other.post(f"{API}/answers/{running['id']}/stop")
            assert stopped.json()["state"] == "stopped"
        assert any('"event": "stopped"' in line for line in lines)
    assert world.engine.running == 0
    world.engine.go_on()
    assert ada.post(f"{API}/answers/{running['id']}/retry").status_code == 202
    with ada.stream("GET", f"{API}/answers/{running['id']}/events") as reply:
        assert parse(reply)[-1]["event"] == "done"


def test_listener_who_goes_away_stops_the_engine(ada, collection, world):
    for stream in (True, False):
        world.engine.hold(after=3)
        with Site(world, str(ada.base_url)).client(world.ada) as impatient:
            question = {"collection": collection, "question": "Hotel?", "stream": stream}
            try:
                with impatient.stream("POST", f"{API}/ask", json=question, timeout=httpx.Timeout(20, read=2)) as reply:
                    for line in reply.iter_lines():
                        if '"event": "token"' in line:
                            break
            except httpx.ReadTimeout:
                assert not stream
        until(lambda: world.engine.running == 0)


def until(true, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_engine_that_breaks_keeps_what_arrived(ada, collection, world):
    world.engine.breaks_after = 8
    answer = ada.post(f"{API}/ask", json={"collection": collection, "question": "Hotel?"}).json()
    assert answer["state"] == "failed"
    assert answer["error"]
    assert answer["answer"]


def test_keys(ada, site):
    made = ada.post(f"{API}/keys", json={"name": "script"}).json()
    assert made["key"].startswith("beleg_")
    listed = {key["id"]: key for key in ada.get(f"{API}/keys").json()}
    assert "key" not in listed[made["id"]]
    with httpx.Client(base_url=site.url, headers={"authorization": f"Bearer {made['key']}"}) as script:
        assert script.get(f"{API}/me").json()["name"] == "Ada"
        assert ada.delete(f"{API}/keys/{made['id']}").status_code == 204
        problem = is_problem(script.get(f"{API}/me"), 401)
    assert problem["code"] == "sign_in_required"


def test_users_are_for_administrators(ada, bob, site):
    for reply in (bob.get(f"{API}/users"), bob.post(f"{API}/users", json={"name": "x"})):
        is_problem(reply, 403)
    made = ada.post(f"{API}/users", json={"name": "Zoe"}).json()
    assert made["link"].startswith("http")
    assert made["has_password"] is False
    assert ada.patch(f"{API}/users/{made['id']}", json={"active": False}).json()["active"] is False
    assert ada.patch(f"{API}/users/{made['id']}", json={"active": True, "is_admin": True}).json()["is_admin"] is True
    is_problem(ada.patch(f"{API}/users/nobody", json={"active": False}), 404)
    me = ada.get(f"{API}/me").json()["id"]
    ada.patch(f"{API}/users/{made['id']}", json={"is_admin": False})
    is_problem(ada.patch(f"{API}/users/{me}", json={"is_admin": False}), 409)


def test_every_kind_of_error_is_a_problem(ada, nobody, collection):
    assert is_problem(nobody.get(f"{API}/collections"), 401)["code"] == "sign_in_required"
    assert nobody.get(f"{API}/collections").headers["www-authenticate"] == "Bearer"
    is_problem(ada.get(f"{API}/nowhere"), 404)
    reply = ada.put(f"{API}/collections")
    is_problem(reply, 405)
    assert set(reply.headers["allow"].split(", ")) >= {"GET"}
    problem = is_problem(ada.post(f"{API}/collections", json={"name": "", "colour": "red"}), 422)
    assert {error["field"] for error in problem["errors"]} == {"body.name", "body.colour"}
    is_problem(ada.post(f"{API}/collections", content=b"{broken", headers={"content-type": "application/json"}), 422)
    is_problem(ada.post(f"{API}/ask", json={"collection": collection, "question": " "}), 422)
    is_problem(ada.post(f"{API}/ask", json={"collection": collection, "question": "\x00"}), 422)
    is_problem(ada.post(f"{API}/collections", content=b'{"name": "\\ud800"}'), 422)
    is_problem(ada.get(f"{API}/collections/{collection}/documents?offset=99999999999999999999"), 422)


def test_errors_speak_the_readers_language(ada):
    problem = ada.get(f"{API}/collections/none", headers={"accept-language": "de-AT, en;q=0.5"}).json()
    assert problem["detail"] == "Diese Sammlung gibt es nicht."
    assert problem["code"] == "not_found"


def test_an_error_nobody_foresaw_tells_nothing(ada, world, monkeypatch):
    monkeypatch.setattr("web.api.collections.readable", lambda *_: 1 / 0)
    problem = is_problem(ada.get(f"{API}/collections"), 500, "internal")
    assert "ZeroDivision" not in json.dumps(problem)


def test_health(nobody, world):
    assert nobody.get("/healthz").json() == {"status": "alive"}
    ready = nobody.get("/readyz")
    assert ready.status_code == 200
    assert ready.json() == {
        "ready": True,
        "database": {"state": "ready", "detail": ""},
        "index": {"state": "ready", "detail": ""},
        "engine": {"state": "ready", "detail": ""},
    }
    world.services.state = "starting"
    reply = nobody.get("/readyz")
    assert (reply.status_code, reply.json()["engine"]["state"]) == (503, "starting")


def test_docs_need_nothing_from_elsewhere(nobody):
    page = nobody.get("/docs")
    assert page.status_code == 200
    assert "http" not in page.text.replace("http-equiv", "")
    schema = nobody.get("/openapi.json").json()
    assert "/api/v1/ask" in schema["paths"]
    assert not [path for path in schema["paths"] if not path.startswith(("/api/v1/", "/healthz", "/readyz"))]
    problem = schema["paths"]["/api/v1/ask"]["post"]["responses"]["404"]["content"]
    assert list(problem) == ["application/problem+json"]
