"""Fixtures every test may use: prepared model folders, and one real vLLM for the whole run."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from models.bundles import prepare
from models.engine.profiles import EngineProfile, choose_profile
from models.engine.server import EngineServer

TEST_MODEL = "smollm2-135m"
READY_SECONDS = 600.0
ON_THE_ENGINE = (
    "tests/system/",
    "tests/models/test_engine_real.py",
    "tests/app/benchmarks/engine/test_batching.py",
    "tests/models/test_parallel_real.py",
)  # files whose tests use the real vLLM


@dataclass(frozen=True)
class TestEngine:
    """A running vLLM that serves SmolLM2-135M. `base_url` ends in `/v1`; `note` is its guard's."""

    __test__ = False

    base_url: str
    key: str
    model: str
    folder: Path
    server: EngineServer
    note: Path


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """Where bundles are kept between runs: BELEG_MODELS_DIR, else the same cache the product uses."""
    return Path(os.environ.get("BELEG_MODELS_DIR", Path.home() / ".cache" / "beleg" / "models"))


@pytest.fixture(scope="session")
def smollm_folder(models_dir: Path) -> Path:
    """SmolLM2-135M-Instruct, fetched and converted when it is not there yet."""
    return prepare(TEST_MODEL, models_dir)


@pytest.fixture(scope="session")
def minilm_folder(models_dir: Path) -> Path:
    """all-MiniLM-L6-v2, fetched when it is not there yet."""
    return prepare("all-minilm-l6-v2", models_dir)


@pytest.fixture(scope="session")
def engine(smollm_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestEngine]:
    """One real vLLM for the whole run. Tests that use it are marked `engine`."""
    place = tmp_path_factory.mktemp("engine")
    server = EngineServer(test_profile(), smollm_folder, TEST_MODEL, 0, place / "logs", place / "run")
    server.start()
    try:
        wait_ready(server)
        yield TestEngine(
            server.base_url, server.key, TEST_MODEL, smollm_folder, server, place / "run" / "engine-process.json"
        )
    finally:
        server.stop()


def test_profile() -> EngineProfile:
    return replace(choose_profile(8192, kv_cache_gib=1.0), name="test")


test_profile.__test__ = False  # type: ignore[attr-defined]


def wait_ready(server: EngineServer) -> None:
    """Returns when `server` is ready; fails the test when it has failed or takes too long."""
    end = time.monotonic() + READY_SECONDS
    while (status := server.status()).state != "ready":
        if status.state == "failed" or time.monotonic() > end:
            pytest.fail(f"the engine is {status.state}: {status.detail}")
        time.sleep(0.2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The first test that uses the engine waits for its start; on a busy machine that takes minutes."""
    for item in items:
        if "engine" in getattr(item, "fixturenames", ()) and not item.nodeid.startswith(ON_THE_ENGINE):
            raise pytest.UsageError(f"{item.nodeid} uses the engine: its file belongs into ON_THE_ENGINE")
        if item.get_closest_marker("engine") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(900))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """On several cores a file's tests stay together, and all that use the engine: there is one. (Groups by mark are
    lost between pytest 9.2 and xdist 3.8.)"""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return "engine" if nodeid.startswith(ON_THE_ENGINE) else nodeid.split("::", maxsplit=1)[0]

    return ByFile(config, log)
