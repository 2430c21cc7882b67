"""The whole of Beleg as people get it: `beleg up` as a process of its own, on the run's one real vLLM and MiniLM."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
START_SECONDS = 120


@dataclass
class Beleg:
    """A running Beleg. `link` signs the administrator in once; `environment` is what every command of it runs with."""

    url: str
    link: str
    environment: dict[str, str]
    process: subprocess.Popen
    output: Path

    def command(self, *words: str) -> subprocess.CompletedProcess:
        """`beleg ...` on the same data folder."""
        return subprocess.run(
            [sys.executable, "-m", "app.cli", *words],
            check=False,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=240,
            cwd=ROOT,
        )

    def kill(self) -> None:
        """As a power cut would: no time to clean up."""
        self.process.kill()
        self.process.wait(10)

    def start(self) -> None:
        self.process, self.link = start(self.environment, self.output)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()


def start(environment: dict[str, str], output: Path) -> tuple[subprocess.Popen, str]:
    """Starts `beleg up` and waits until its pages answer. Returns the process and the link, if it printed one."""
    with output.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "up", "--no-samples"], env=environment, stdout=file, stderr=file, cwd=ROOT
        )
    end = time.monotonic() + START_SECONDS
    while "Stop with Ctrl-C" not in output.read_text():
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            pytest.fail(f"beleg up did not start:\n{output.read_text()[-3000:]}")
        time.sleep(0.1)
    found = re.search(r"http://\S+/welcome/\S+", output.read_text())
    return process, found.group() if found else ""


@pytest.fixture(scope="package")
def beleg(engine, minilm_folder, tmp_path_factory) -> Iterator[Beleg]:
    """One Beleg for this folder's tests, using the run's vLLM at its address."""
    place = tmp_path_factory.mktemp("beleg")
    port = free_port()
    environment = os.environ | {
        "BELEG_DATA_DIR": str(place / "data"),
        "BELEG_PORT": str(port),
        "BELEG_ENGINE_URL": engine.base_url,
        "BELEG_ENGINE_KEY": engine.key,
        "BELEG_MODEL": engine.model,
        "BELEG_EMBEDDER": str(minilm_folder),
        "NO_COLOR": "1",
        "COLUMNS": "300",
    }
    output = place / "output.txt"
    process, link = start(environment, output)
    running = Beleg(f"http://127.0.0.1:{port}", link, environment, process, output)
    try:
        wait_ready(running)
        yield running
    finally:
        running.stop()


def wait_ready(beleg: Beleg) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        reply = httpx.get(f"{beleg.url}/readyz", timeout=30)
        if reply.status_code == 200:
            return
        if time.monotonic() > end:
            pytest.fail(f"Beleg is not ready: {reply.text}\n{beleg.output.read_text()[-2000:]}")
        time.sleep(0.2)


def api_key(beleg: Beleg) -> str:
    """A personal key, made as the first administrator by the application function the pages use."""
    from app.accounts.first import local_viewer
    from app.accounts.keys import create_key
    from app.db.session import Database

    database = Database(f"sqlite:///{beleg.environment['BELEG_DATA_DIR']}/beleg.db")
    with database.session() as db:
        _, secret = create_key(db, local_viewer(db), "system test")
    database.close()
    return secret


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="package")
def chromium() -> Iterator[object]:
    """A real headless Chromium. Missing, it is an error in CI and a skip elsewhere."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is not installed: run `python3 install.py --system`.")
        pytest.skip("Chromium is not installed: run `python3 install.py --system`.")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def administrator(beleg, chromium) -> str:
    """Follows the one link, sets name and password as a person would; returns where the signed-in state is kept."""
    context = chromium.new_context(locale="en-GB", base_url=beleg.url)
    page = context.new_page()
    page.goto(beleg.link)
    page.get_by_role("main").get_by_role("button").first.click()
    page.get_by_label("Password", exact=True).fill("a calm green folder")
    page.get_by_label("Password, once more").fill("a calm green folder")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Collections").wait_for()
    state = str(beleg.output.parent / "administrator.json")
    context.storage_state(path=state)
    context.close()
    return state


@pytest.fixture
def page(beleg, chromium, administrator):
    """A page of the signed-in administrator, in English. A script error or a breach of the CSP fails the test."""
    context = chromium.new_context(
        locale="en-GB", base_url=beleg.url, storage_state=administrator, viewport={"width": 1280, "height": 900}
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: problems.append(line.text) if "Content Security Policy" in line.text else None)
    yield page
    context.close()
    assert problems == []
