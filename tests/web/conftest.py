"""One world a module (reading threads and the first read are slow to start), signed-in clients, a browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import pytest

from tests.web.world import PASSWORD, Person, World, open_world, serve

# asked and found again in many tests
NOTICE = b"""# Travel

Claims must reach the accounts office within 30 days after the trip.

# Hotels

A hotel may cost 120 euros a night at most.
"""


@dataclass(frozen=True)
class Site:
    """A world behind a real server."""

    world: World
    url: str

    def client(self, person: Person | None = None) -> httpx.Client:
        """A program: with an API key, or nobody."""
        return httpx.Client(base_url=self.url, headers=person.headers if person else {}, timeout=60)

    @contextmanager
    def browser(self, name: str = "Ada") -> Iterator[httpx.Client]:
        """Somebody signed in with a password, as a browser sends it."""
        with httpx.Client(base_url=self.url, headers={"sec-fetch-site": "same-origin"}, timeout=60) as client:
            reply = client.post("/sign-in", data={"name": name, "password": PASSWORD})
            assert reply.status_code == 303, reply.text
            yield client


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(tmp_path_factory.mktemp("web"), upload_mib=1) as world:
        yield world


@pytest.fixture(scope="module")
def site(world: World) -> Iterator[Site]:
    with serve(world.services) as url:
        yield Site(world, url)


@pytest.fixture(scope="module")
def collection(world: World) -> str:
    """Ada's, with one document that has been read."""
    collection_id = world.collection(world.ada, "Personnel")
    world.upload(world.ada, collection_id, "travel.md", NOTICE)
    return collection_id


@pytest.fixture
def ada(site: Site) -> Iterator[httpx.Client]:
    with site.client(site.world.ada) as client:
        yield client


@pytest.fixture
def bob(site: Site) -> Iterator[httpx.Client]:
    with site.client(site.world.bob) as client:
        yield client


@pytest.fixture
def nobody(site: Site) -> Iterator[httpx.Client]:
    with site.client() as client:
        yield client


@pytest.fixture(autouse=True)
def _engine_as_new(world: World) -> Iterator[None]:
    yield
    world.engine.__init__()  # type: ignore[misc]
    world.services.state = "ready"
    world.services.watch_anew()


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    """Headless Chromium. Missing, it is an error in CI and a skip elsewhere. For one module only: while it is open,
    this thread has a running event loop, and other tests could not start theirs."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        say = pytest.fail if os.environ.get("CI") else pytest.skip
        say("Chromium is not installed: run `python3 install.py --system`.")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pdf() -> bytes:
    """One page with three lines."""
    import io

    from reportlab.pdfgen.canvas import Canvas

    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(595, 842))
    lines = (
        "Invoice 2026-114 is due on 14 March 2026.",
        "The amount is 1,240 euros.",
        "Questions go to the accounts office.",
    )
    for place, line in enumerate(lines):
        canvas.drawString(72, 740 - 22 * place, line)
    canvas.save()
    return file.getvalue()
