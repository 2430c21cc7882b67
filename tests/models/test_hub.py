"""Models from a hub of our own on this machine: taken when it is right, passed over when it is not."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from models import bundles, hub
from models.bundles import BUNDLES, BundleError, prepare, prepared
from models.catalogue import Bundle
from tests.models.fake_bundles import FILES, folder_bundle

COMMIT = "a" * 40


class FakeHub(http.server.BaseHTTPRequestHandler):
    """One repository, `fake/folder`, in the way huggingface_hub asks for it."""

    protocol_version = "HTTP/1.1"
    files: dict[str, bytes] = {}  # noqa: RUF012
    asked: list[str] = []  # noqa: RUF012

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        self.asked.append(self.path)
        name = self.path.split(f"/fake/folder/resolve/{COMMIT}/")[-1]
        if self.path == "/":
            self._send(b"hub", {}, body)
        elif self.path.startswith("/api/models/fake/folder/tree"):
            tree = [
                {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                for name, data in self.files.items()
            ]
            self._send(json.dumps(tree).encode(), {}, body)
        elif self.path.startswith("/api/models/fake/folder"):
            siblings = [{"rfilename": name} for name in self.files]
            info = {"id": "fake/folder", "sha": COMMIT, "siblings": siblings, "private": False, "tags": []}
            self._send(json.dumps(info).encode(), {"content-type": "application/json"}, body)
        elif name in self.files:
            data = self.files[name]
            headers = {"x-repo-commit": COMMIT, "etag": f'"{hashlib.sha256(data).hexdigest()}"'}
            self._send(data, headers, body)
        else:
            self.send_response(404)
            self.send_header("x-error-code", "RepoNotFound")
            self.send_header("content-length", "0")
            self.end_headers()

    def _send(self, data: bytes, headers: dict[str, str], body: bool) -> None:
        self.send_response(200)
        for name, value in {**headers, "content-length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """The files of `fake/folder` on the hub."""
    FakeHub.files, FakeHub.asked = dict(FILES), []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FakeHub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("HF_ENDPOINT", address)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
    for name in ("HF_HUB_OFFLINE", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    yield FakeHub.files
    server.shutdown()
    server.server_close()


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bundle:
    """A bundle of the catalogue whose own repository is `fake/folder`."""
    index = tmp_path / "index"
    index.mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    bundle = folder_bundle(index)
    monkeypatch.setattr(bundles, "BUNDLES", {**BUNDLES, bundle.name: bundle})
    return bundle


def test_a_bundle_comes_from_its_own_repository(
    tmp_path: Path, repository: dict[str, bytes], known: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    folder = prepare("fake-folder", tmp_path / "models")
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
    assert prepared("fake-folder", tmp_path / "models") == folder


def test_other_bytes_on_the_hub_are_passed_over(tmp_path: Path, repository: dict[str, bytes], known: Bundle) -> None:
    repository["model.safetensors"] = b"something else"
    folder = prepare("fake-folder", tmp_path / "models")
    assert (folder / "model.safetensors").read_bytes() == FILES["model.safetensors"], "the package index had it"


def test_a_repository_that_is_gone_is_passed_over(tmp_path: Path, repository: dict[str, bytes], known: Bundle) -> None:
    repository.clear()
    assert prepare("fake-folder", tmp_path / "models").is_dir()


def test_any_repository_can_be_named(tmp_path: Path, repository: dict[str, bytes]) -> None:
    repository |= {"tokenizer.json": b"{}", "pytorch_model.bin": b"pickle", "modeling.py": b"code", "onnx/x.onnx": b"x"}
    assert prepared("fake/folder", tmp_path / "models") is None
    folder = prepare("fake/folder", tmp_path / "models")
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names == {"config.json", "model.safetensors", "tokenizer.json", "beleg-bundle.json"}, "data only"
    asked = len(FakeHub.asked)
    assert prepare("fake/folder", tmp_path / "models") == folder
    assert len(FakeHub.asked) == asked, "what is here is not asked for again"


def test_a_repository_nobody_has(tmp_path: Path, repository: dict[str, bytes]) -> None:
    with pytest.raises(BundleError, match="no fake/other"):
        prepare("fake/other", tmp_path / "models")


def test_a_repository_without_weights_we_take(tmp_path: Path, repository: dict[str, bytes]) -> None:
    del repository["model.safetensors"]
    with pytest.raises(BundleError, match="no safetensors"):
        prepare("fake/folder", tmp_path / "models")
    assert prepared("fake/folder", tmp_path / "models") is None


def test_a_hub_that_does_not_answer_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    begun = time.monotonic()
    with pytest.raises(BundleError, match="cannot be reached"):
        prepare("fake/folder", tmp_path / "models")
    monkeypatch.setattr(hub, "_answers", lambda: bool(time.sleep(60)))
    monkeypatch.setattr(hub, "ASK_SECONDS", 0.2)
    assert not hub.reachable()
    assert time.monotonic() - begun < 30


def test_offline_means_offline(repository: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    assert hub.reachable()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert not hub.reachable()
