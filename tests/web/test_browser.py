"""The pages in a real headless Chromium, with the learned models replaced: what a person does, sees and hears."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.web.conftest import Site
from tests.web.world import PASSWORD

pytestmark = pytest.mark.browser
expect.set_options(timeout=30_000)


def person_at(chromium: Browser, site: Site, name: str = "Ada", **options: object) -> BrowserContext:
    """Signed in as a browser does it; every console error and failed load is a failure at `closed`."""
    context = chromium.new_context(base_url=site.url, **{"viewport": {"width": 1280, "height": 860}, **options})
    context.set_default_timeout(30_000)
    page = context.new_page()
    page.goto("/sign-in")
    page.get_by_label(re.compile("Name")).fill(name)
    page.get_by_label(re.compile("Password|Passwort")).fill(PASSWORD)
    page.get_by_role("main").get_by_role("button").click()
    page.wait_for_url("**/")
    page.close()
    return context


@pytest.fixture
def page(chromium: Browser, site: Site) -> Iterator[Page]:
    context = person_at(chromium, site)
    page = context.new_page()
    complaints = listen(page)
    yield page
    context.close()
    assert not complaints


def listen(page: Page) -> list[str]:
    """What the browser complains about: errors of scripts, and everything the policy forbids."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text)
            if "Content Security Policy" in message.text or "Refused to" in message.text
            else None
        ),
    )
    page.on(
        "request",
        lambda request: None if request.url.startswith("http://127.0.0.1") else complaints.append(request.url),
    )
    return complaints


def ask(page: Page, question: str) -> None:
    page.get_by_role("textbox").fill(question)
    page.keyboard.press("Enter")


def finished(page: Page) -> None:
    expect(page.locator(".answer").last.locator(".foot")).to_be_visible()


def test_from_a_new_collection_to_a_marked_line(page: Page, site: Site, pdf: bytes):
    page.goto("/")
    page.get_by_label("Name").fill("Invoices")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/documents")
    expect(page.get_by_text("No documents yet. Files you upload")).to_be_visible()
    page.locator("#files").set_input_files(
        [
            {"name": "invoice.pdf", "mimeType": "application/pdf", "buffer": pdf},
            {"name": "empty.txt", "mimeType": "text/plain", "buffer": b""},
            {"name": "<img src=x onerror=alert(1)>.txt", "mimeType": "text/plain", "buffer": b"Harmless words."},
        ]
    )
    rows = page.locator("#documents > li")
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text="empty.txt")).to_contain_text("Not accepted")
    expect(rows.filter(has_text="empty.txt")).to_contain_text(re.compile("file is empty"))
    expect(rows.filter(has_text="onerror")).to_contain_text("Ready")
    expect(rows.filter(has_text="invoice.pdf")).to_contain_text("Ready, 1 page")

    page.get_by_role("link", name="Ask", exact=True).click()
    ask(page, "When is the invoice due?")
    page.wait_for_url("**/conversations/*")
    finished(page)
    statement = page.locator(".statement.proved").first
    expect(statement).to_contain_text("Invoice 2026-114 is due on 14 March 2026")
    statement.get_by_role("link", name="Source 1: invoice.pdf, page 1").click()
    source = page.get_by_role("complementary", name="Source")
    expect(source.get_by_role("heading")).to_have_text("invoice.pdf")
    expect(source.get_by_role("heading")).to_be_focused()
    picture = source.get_by_role("img", name="Page 1 with the quoted lines marked")
    expect(picture).to_be_visible()
    assert picture.locator("rect.mark").count() == 1
    marked, whole = (picture.locator(part).bounding_box() for part in ("rect.mark", "image"))
    at = (marked["y"] - whole["y"]) / whole["height"]
    assert 0.08 < at < 0.14  # the first line: 740 of 842 points from below
    loaded = "async (image) => (await fetch(image.getAttribute('href'))).headers.get('content-type')"
    assert picture.locator("image").evaluate(loaded) == "image/png"
    page.keyboard.press("Escape")
    expect(statement.get_by_role("link")).to_be_focused()


def test_an_answer_streams_without_jumps_and_is_announced(page: Page, site: Site, collection: str):
    site.world.engine.script = lambda messages: "The first sentence is long enough. " + "And this is another one. " * 3
    site.world.engine.hold(after=4)
    page.goto(f"/collections/{collection}")
    ask(page, "Tell me something")
    page.wait_for_url("**/conversations/*")
    pending = page.locator(".pending .words")
    expect(pending).to_contain_text("The first sentence")
    before = pending.bounding_box()
    expect(page.locator(".statements")).to_have_attribute("aria-live", "polite")
    assert page.locator(".pending [aria-live]").count() == 0
    site.world.engine.go_on()
    finished(page)
    after = page.locator(".statement .words").first.bounding_box()
    assert (after["x"], after["y"]) == (before["x"], before["y"])
    expect(page.locator(".statement.unproved").first).to_contain_text("Not proved.")
    expect(page.locator(".trace")).to_contain_text("read 312 of 2,140 tokens anew · first word after")


def test_stop_keeps_what_arrived_and_ask_again_begins_anew(page: Page, site: Site, collection: str):
    site.world.engine.hold(after=5)
    page.goto(f"/collections/{collection}")
    ask(page, "When must claims reach the office?")
    page.wait_for_url("**/conversations/*")
    expect(page.locator(".pending .words")).not_to_be_empty()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    assert site.world.engine.running == 0
    site.world.engine.go_on()
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".statement.proved").first).to_be_visible()
    expect(page.get_by_text("You stopped this answer.")).not_to_be_visible()
    expect(page.locator(".answer")).to_have_count(1)


def test_reload_in_mid_answer_goes_on(page: Page, site: Site, collection: str):
    site.world.engine.script = lambda messages: "One is here. Two is here. Three " + "goes on and " * 5 + "ends here."
    site.world.engine.hold(after=8)
    page.goto(f"/collections/{collection}")
    ask(page, "Count")
    page.wait_for_url("**/conversations/*")
    expect(page.locator(".statement:not(.pending)")).to_have_count(2)
    expect(page.locator(".pending .words")).to_contain_text("Three")
    page.reload()
    expect(page.locator(".statement:not(.pending)")).to_have_count(2)
    expect(page.locator(".pending .words")).to_contain_text("Three")
    site.world.engine.go_on()
    finished(page)
    expect(page.locator(".statement")).to_have_count(3)
    expect(page.locator(".statement").last).to_contain_text("ends here")
    page.reload()
    expect(page.locator(".statement")).to_have_count(3)


def test_follow_up_comes_below_and_shows_what_was_searched(page: Page, site: Site, collection: str):
    page.goto(f"/collections/{collection}")
    ask(page, "When must claims reach the office?")
    page.wait_for_url("**/conversations/*")
    finished(page)

    def script(messages):
        if "<passages>" in messages[-1].content:
            return "Fine."
        return "What may a hotel cost a night?"

    site.world.engine.script = script
    ask(page, "And what about it?")
    expect(page.locator(".answer")).to_have_count(2)
    expect(page.locator(".answer").last.locator(".question")).to_be_in_viewport()
    expect(page.get_by_role("textbox")).to_have_value("")
    finished(page)


def test_declined_shows_the_nearest_passages(page: Page, site: Site, collection: str):
    site.world.engine.script = lambda messages: "NOT IN THE DOCUMENTS"
    page.goto(f"/collections/{collection}")
    ask(page, "How much does a hotel cost per night?")
    page.wait_for_url("**/conversations/*")
    finished(page)
    expect(page.locator(".declined-words")).to_contain_text("The documents do not answer this.")
    page.locator(".nearest a").first.click()
    source = page.get_by_role("complementary", name="Source")
    expect(source.locator("mark")).to_be_visible()


def test_a_broken_engine_leaves_what_came_and_a_way_on(page: Page, site: Site, collection: str):
    site.world.engine.breaks_after = 8
    page.goto(f"/collections/{collection}")
    ask(page, "When must claims reach the office?")
    page.wait_for_url("**/conversations/*")
    finished(page)
    expect(page.locator(".notice.bad")).to_be_visible()
    expect(page.locator(".statement").first).to_contain_text("Claims must reach")
    site.world.engine.breaks_after = None
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".statement.proved").first).to_be_visible()


def test_deleted_source_says_so(page: Page, site: Site):
    world = site.world
    collection = world.collection(world.ada, "Short-lived")
    world.upload(world.ada, collection, "rules.md", b"# Parking\n\nParking costs 7 euros a day.\n")
    page.goto(f"/collections/{collection}")
    ask(page, "What does parking cost?")
    page.wait_for_url("**/conversations/*")
    finished(page)
    conversation = page.url
    page.goto(f"/collections/{collection}/documents")
    page.get_by_role("link", name="Delete rules.md").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Delete “rules.md”?")
    dialog.get_by_role("link", name="Keep it").click()
    expect(dialog).not_to_be_visible()
    page.get_by_role("link", name="Delete rules.md").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.locator("#documents > li")).to_have_count(0)
    page.goto(conversation)
    page.locator(".statement .chip").first.click()
    expect(page.get_by_role("heading", name="This source was deleted")).to_be_visible()


def test_a_source_that_cannot_be_reached_says_so_in_its_place(page: Page, site: Site, collection: str):
    page.goto(f"/collections/{collection}")
    ask(page, "When must claims reach the office?")
    page.wait_for_url("**/conversations/*")
    finished(page)
    page.route("**/sources/**", lambda route: route.abort())
    page.locator(".statement .chip").first.click()
    source = page.get_by_role("complementary", name="Source")
    expect(source).to_contain_text("Beleg cannot be reached.")
    page.unroute("**/sources/**")
    page.locator(".statement .chip").first.click()
    expect(source.locator("mark")).to_be_visible()


def test_copy_with_sources(page: Page, site: Site, collection: str):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"/collections/{collection}")
    ask(page, "When must claims reach the office?")
    page.wait_for_url("**/conversations/*")
    finished(page)
    page.get_by_role("button", name="Copy with sources").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("When must claims reach the office?\n\n")
    assert "within 30 days after the trip" in copied
    assert re.search(r"Sources\n\[1\] travel\.md: “.+”", copied)


def test_upload_by_dropping_a_folder(page: Page, site: Site, tmp_path):
    collection = site.world.collection(site.world.ada, "Dropped")
    (tmp_path / "2026" / "deep").mkdir(parents=True)
    (tmp_path / "2026" / "a.txt").write_text("Words of a.")
    (tmp_path / "2026" / "deep" / "b.txt").write_text("Words of b.")
    (tmp_path / "2026" / ".hidden").write_text("no")
    page.goto(f"/collections/{collection}/documents")
    page.locator("#folder").set_input_files(tmp_path / "2026")
    rows = page.locator("#documents > li")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="b.txt")).to_contain_text("2026/deep")
    expect(rows.filter(has_text="a.txt")).to_contain_text("Ready")


def test_a_folder_again_is_summed_up_and_a_row_renamed_by_keyboard(page: Page, site: Site, tmp_path):
    collection = site.world.collection(site.world.ada, "Again")
    folder = tmp_path / "share"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(f"Words of {name}.")
    page.goto(f"/collections/{collection}/documents")
    page.locator("#folder").set_input_files(folder)
    tally = page.locator("#tally")
    expect(tally).to_have_text("2 new, 0 changed, 0 unchanged")
    (folder / "b.txt").write_text("Other words of b.")
    (folder / "c.txt").write_text("Words of c.")
    page.locator("#folder").set_input_files(folder)
    expect(tally).to_have_text("1 new, 1 changed, 1 unchanged")
    rows = page.locator("#documents > li")
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text="b.txt")).to_contain_text("revision 2")

    page.get_by_role("link", name="Rename or move a.txt").focus()
    page.keyboard.press("Enter")
    name = page.get_by_role("dialog").get_by_label("Name")
    expect(name).to_be_focused()
    name.fill("c.txt")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("called c.txt there already")
    name.fill("notes.txt")
    page.keyboard.press("Enter")
    expect(rows.filter(has_text="notes.txt")).to_have_count(1)
    expect(rows).to_have_count(3)


def test_upload_that_cannot_be_sent_can_be_sent_again(page: Page, site: Site):
    collection = site.world.collection(site.world.ada, "Offline")
    page.goto(f"/collections/{collection}/documents")
    page.route("**/documents", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.locator("#files").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"Some words."})
    row = page.locator("#documents > li")
    expect(row).to_contain_text("Could not be sent.")
    page.unroute("**/documents")
    row.get_by_role("button", name="Try again").click()
    expect(page.locator("#documents > li")).to_contain_text("Ready")


def test_what_others_upload_appears_by_itself(page: Page, site: Site):
    collection = site.world.collection(site.world.ada, "Busy")
    page.goto(f"/collections/{collection}/documents")
    site.world.upload(site.world.ada, collection, "theirs.txt", b"Some words.", wait=False)
    row = page.locator("#documents > li")
    expect(row).to_contain_text("theirs.txt")
    expect(row).to_contain_text("Ready")
    expect(page.locator("#count")).to_have_text("1")
    row.get_by_role("link", name="Delete theirs.txt").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_too_large_is_said_before_it_is_sent(page: Page, site: Site):
    collection = site.world.collection(site.world.ada, "Large")
    page.goto(f"/collections/{collection}/documents")
    page.locator("#files").set_input_files({"name": "big.txt", "mimeType": "text/plain", "buffer": b"x" * 1_200_000})
    expect(page.locator("#documents > li")).to_contain_text("The file is larger than 1 MiB.")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator("#documents > li")).to_have_count(0)


def test_errors_stand_at_their_form_and_nothing_typed_is_lost(page: Page, site: Site):
    page.goto("/")
    for _ in range(2):
        page.get_by_label("Name").fill("Once only")
        page.get_by_role("button", name="Create").click()
        page.wait_for_timeout(300)
        if "/documents" in page.url:
            page.goto("/")
    expect(page.get_by_role("alert").filter(has_text="You have a collection called Once only already.")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("Once only")


def test_the_engine_notice_comes_and_goes(page: Page, site: Site, collection: str):
    site.world.services.state = "starting"
    site.world.services.since = time.time() - 42
    page.goto(f"/collections/{collection}")
    expect(page.get_by_text("The language model is starting")).to_be_visible()
    expect(page.get_by_text(re.compile(r"for 4\d seconds now"))).to_be_visible()
    ask(page, "When must claims reach the office?")
    page.wait_for_url("**/conversations/*")
    expect(page.get_by_text("Waiting for the language model to be ready. Your question is kept.")).to_be_visible()
    site.world.services.state = "ready"
    finished(page)
    expect(page.get_by_text("The language model is starting")).not_to_be_visible()


def test_german_interface(chromium: Browser, site: Site, collection: str):
    context = person_at(chromium, site, locale="de-DE")
    page = context.new_page()
    page.goto(f"/collections/{collection}")
    expect(page.get_by_role("link", name="Fragen")).to_be_visible()
    ask(page, "When must claims reach the office?")
    page.wait_for_url("**/conversations/*")
    finished(page)
    expect(page.locator(".tally").first).to_contain_text("In den Dokumenten gefunden")
    expect(page.locator(".trace")).to_contain_text("312 von 2.140 Tokens neu gelesen")
    page.get_by_text("Ada", exact=True).click()
    page.get_by_role("button", name="English").click()
    expect(page.locator(".trace")).to_contain_text("read 312 of 2,140 tokens anew")
    context.close()


def test_welcome_from_link_to_first_page(chromium: Browser, site: Site):
    secret = site.world.newcomer("Fresh")
    context = chromium.new_context(base_url=site.url)
    page = context.new_page()
    page.goto(f"/welcome/{secret}")
    page.get_by_role("button", name="Sign me in").click()
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password, once more").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Collections")).to_be_visible()
    expect(page.get_by_text("A collection holds documents that belong together")).to_be_visible()
    context.close()


def test_everything_is_reached_with_the_keyboard(page: Page, site: Site, collection: str):
    page.goto(f"/collections/{collection}/sharing")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "() => { const e = document.activeElement; const s = getComputedStyle(e);"
            " return [e.tagName + (e.textContent.trim() || e.name || ''), s.outlineStyle, parseFloat(s.outlineWidth)] }"
        )
        if focused[0].startswith("BODY"):
            break
        seen.add(focused[0])
        assert focused[1] != "none", focused
        assert focused[2] >= 2, focused
    assert any("Share" in one for one in seen)
    assert any("Delete this collection" in one for one in seen)


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (768, "dark"), (1280, "light"), (1280, "dark")])
def test_no_serious_finding_of_axe_and_nothing_wider_than_the_screen(
    chromium: Browser, site: Site, collection: str, width: int, scheme: str
):
    site.world.engine.script = lambda messages: (
        f"Claims must reach the office within 30 days {cited(messages)}. The rate is 85 % {cited(messages)}."
    )
    context = person_at(
        chromium, site, viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    document = (
        site.client(site.world.ada).get(f"/api/v1/collections/{collection}/documents").json()["documents"][0]["id"]
    )
    site.world.services.state = "restarting"
    for path in (
        "/", f"/collections/{collection}", f"/collections/{collection}/documents", f"/collections/{collection}/sharing",
        f"/documents/{document}", f"/documents/{document}/delete", "/account", "/administration", "/nowhere",
    ):  # fmt: skip
        page.goto(path)
        page.wait_for_timeout(150)
        assert_clean(page, path)
    site.world.services.state = "ready"
    page.goto(f"/collections/{collection}")
    ask(page, "When must claims reach the office?")
    page.wait_for_url("**/conversations/*")
    finished(page)
    page.locator(".chip").first.click()
    expect(page.locator("#source-title")).to_be_visible()
    assert_clean(page, "conversation")
    context.clear_cookies()
    for path in ("/sign-in", "/welcome/x"):
        page.goto(path)
        assert_clean(page, path)
    context.close()


def cited(messages) -> str:
    return re.findall(r"\[D\d+\.\d+\]", messages[-1].content.split("first:")[-1])[0]


def assert_clean(page: Page, where: str) -> None:
    found = Axe().run(page).response["violations"]
    serious = [
        f"{one['id']}: {one['help']} {[node['html'][:200] for node in one['nodes']]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
    assert not serious, (where, serious)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{where} is wider than the screen"


def test_docs_work_within_the_policy(page: Page):
    page.goto("/docs")
    expect(page.get_by_text("Ask the documents of a collection")).to_be_visible()


def test_lost_connection_is_said_and_made_good(page: Page, site: Site, collection: str):
    site.world.engine.hold(after=5)
    page.goto(f"/collections/{collection}")
    ask(page, "When must claims reach the office?")
    page.wait_for_url("**/conversations/*")
    expect(page.locator(".pending .words")).not_to_be_empty()
    page.context.set_offline(True)
    time.sleep(0.2)
    page.context.set_offline(False)
    threading.Timer(0.5, site.world.engine.go_on).start()
    finished(page)
    assert page.locator(".statement.proved").first.text_content().count("Claims must reach") == 1
