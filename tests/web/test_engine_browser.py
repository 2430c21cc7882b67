"""The engine's page in a real Chromium: it renews itself in its place, and is clean in light, dark and narrow."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from models.types import EngineStatus, Replica
from tests.engine_stand_in import StandIn, stand_in
from tests.web.conftest import Site
from tests.web.engine_hours import watched
from tests.web.test_browser import assert_clean, listen, person_at

pytestmark = pytest.mark.browser
PAGE = "/administration/engine"


@pytest.fixture
def teller() -> Iterator[StandIn]:
    with stand_in() as teller:
        yield teller


def test_it_renews_itself_without_a_jump(chromium: Browser, site: Site, teller: StandIn):
    services = site.world.services
    watched(services, teller, teller.replica(), minutes=3)
    context = person_at(chromium, site)
    page = context.new_page()
    complaints = listen(page)
    page.goto("/administration")
    page.get_by_role("link", name="Figures, plots of the last hour").click()
    page.wait_for_url(f"**{PAGE}")
    plots = page.locator(".plot-area svg")
    expect(plots).to_have_count(4)
    page.mouse.wheel(0, 300)
    page.wait_for_timeout(200)
    before, scrolled = plots.last.bounding_box(), page.evaluate("scrollY")
    teller.numbers.running = 77
    with httpx.Client(trust_env=False) as http:
        services.engine_watch.look(http, time.time())
    expect(page.locator(".figures div", has_text="Running").locator("dd")).to_have_text("77", timeout=20_000)
    assert (plots.last.bounding_box(), page.evaluate("scrollY")) == (before, scrolled)
    assert plots.first.evaluate("svg => svg.querySelector('path.plot-line').getTotalLength()") > 20
    context.close()
    assert not complaints


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")])
def test_no_serious_finding_of_axe_and_nothing_wider_than_the_screen(
    chromium: Browser, site: Site, teller: StandIn, width: int, scheme: str
):
    starting = Replica("b", "http://127.0.0.1:9/v1", "", EngineStatus("restarting", time.time(), "small", "It ended."))
    watched(site.world.services, teller, teller.replica("a"), starting, full=True)
    context = person_at(chromium, site, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(PAGE)
    expect(page.get_by_role("img", name="KV cache in use")).to_be_visible()
    assert_clean(page, PAGE)
    context.close()
