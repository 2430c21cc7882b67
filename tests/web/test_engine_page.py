"""How the engine is doing: the page for administrators and the same through the API."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from app.engine_wish import read_wish
from models.types import EngineStatus, Replica
from tests.engine_stand_in import KEY, StandIn, stand_in
from tests.web.conftest import Site
from tests.web.engine_hours import watched

PAGE = "/administration/engine"


@pytest.fixture
def teller() -> Iterator[StandIn]:
    with stand_in() as teller:
        yield teller


def test_it_is_for_administrators_and_for_others_there_is_no_such_page(site: Site):
    with site.browser("Bob") as bob:
        assert bob.get(PAGE).status_code == 404
        assert "/administration" not in bob.get("/").text
    with site.client() as nobody:
        assert nobody.get(PAGE).status_code == 303
    with site.browser() as ada:
        assert f'href="{PAGE}"' in ada.get("/administration").text
        assert ada.get(PAGE).status_code == 200


def test_figures_plots_and_no_secret(site: Site, teller: StandIn):
    services = site.world.services
    watched(services, teller, replace(teller.replica(), arguments=("--max-model-len=8192", "--api-key=sesame")))
    with site.browser() as ada:
        page = ada.get(PAGE).text
        for wanted in ("Ready", "KV cache in use", "of 32,000 tokens", "82%", "8,192 tokens", "--max-model-len=8192"):
            assert wanted in page
        assert page.count("<figure") == 4
        assert len(re.findall(r'<path class="plot-line plot-line-\d" d="M', page)) == 5
        assert "Last hour: lowest" in page
        assert not re.search(r"\sstyle=|<script(?! src)", page)
        assert KEY not in page
        assert "sesame" not in page
        german = ada.get(PAGE, headers={"accept-language": "de"}).text
        assert "KV-Cache belegt" in german
        assert "82\xa0%" in german


def test_htmx_gets_the_figures_alone_and_asks_again(site: Site, teller: StandIn):
    watched(site.world.services, teller, teller.replica(), minutes=1)
    with site.browser() as ada:
        part = ada.get(PAGE, headers={"hx-request": "true"}).text
    assert part.lstrip().startswith('<div id="poll"')
    assert f'hx-get="{PAGE}" hx-trigger="load delay:5s"' in part
    assert "<html" not in part


def test_two_replicas_one_of_which_starts(site: Site, teller: StandIn):
    starting = Replica("b", "http://127.0.0.1:9/v1", "", EngineStatus("starting", time.time(), "small", "compiling"))
    watched(site.world.services, teller, teller.replica("a"), starting, minutes=1)
    with site.browser() as ada:
        page = ada.get(PAGE).text
    assert page.index("Replica a") < page.index("Replica b")
    assert page.count("<figure") == 4
    assert "Figures come as soon as the engine is ready." in page
    assert "compiling" in page


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("off", "No engine is running. Start Beleg with “make run”"),
        ("failed", "run “beleg doctor” on the server"),
        ("restarting", "Figures come as soon as the engine is ready."),
        ("ready", "The first figures come within seconds."),
    ],
)
def test_without_figures_it_says_what_to_do(site: Site, state: str, words: str):
    site.world.services.state = state  # type: ignore[assignment]
    site.world.services.since = time.time()
    with site.browser() as ada:
        page = ada.get(PAGE).text
        assert words in page
        assert "<figure" not in page
        site.world.services.engine_handle.named = ()
        assert "No engine is running." in ada.get(PAGE).text


def test_an_engine_that_tells_nothing_is_named_as_such(site: Site):
    site.world.services.since = time.time() - 300
    with site.browser() as ada:
        assert "This engine tells no figures. Start vLLM without --disable-log-stats" in ada.get(PAGE).text


def test_a_full_cache_is_said_and_errors_are_shown_escaped(site: Site, teller: StandIn, tmp_path: Path):
    log = tmp_path / "engine.log"
    log.write_text("ERROR 12-01 10:00:00 [a.py:1] <img src=x onerror=alert(1)>\n")
    watched(site.world.services, teller, teller.replica(log=log), full=True)
    with site.browser() as ada:
        page = ada.get(PAGE).text
    assert "The KV cache was over 95 % full for 5 minutes and 12 requests were preempted" in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<img src=x" not in page


def test_the_api_tells_the_same(ada: httpx.Client, bob: httpx.Client, site: Site, teller: StandIn):
    watched(site.world.services, teller, teller.replica(), full=True)
    told = ada.get("/api/v1/engine").json()
    (replica,) = told["replicas"]
    assert (replica["name"], replica["state"], replica["model"]) == ("engine", "ready", "small")
    assert replica["context_tokens"] == 8192
    assert replica["figures"]["hit_rate"] == pytest.approx(0.82)
    assert replica["figures"]["kv_tokens"] == 32_000
    assert replica["figures"]["generated_per_second"] is not None
    assert [one["code"] for one in replica["warnings"]] == ["kv_full"]
    assert 12 <= len(replica["last_hour"]) <= 14
    assert KEY not in str(told)
    assert bob.get("/api/v1/engine").status_code == 403


def test_an_administrator_wishes_for_another_model(site: Site):
    settings = site.world.services.settings
    with site.browser("Bob") as bob:
        assert bob.post(f"{PAGE}/model", data={"model": "evil"}).status_code == 404
    assert read_wish(settings) is None
    with site.browser() as ada:
        assert ada.post(f"{PAGE}/model", data={"model": " "}).status_code == 422
        assert ada.post(f"{PAGE}/model", data={"model": "<b>org/next</b>"}).status_code == 303
        page = ada.get(PAGE).text
        assert "The model is being changed to &lt;b&gt;org/next&lt;/b&gt;" in page
        assert ada.post(f"{PAGE}/model", data={"model": "another"}).status_code == 409
    wish = read_wish(settings)
    assert wish is not None
    assert wish.model == "<b>org/next</b>"
