"""How well documents were read, as pages and API show it, and the list of those that need attention."""

from __future__ import annotations

from io import BytesIO

import httpx
import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.web.conftest import Site
from tests.web.world import World
from web.messages import words


def with_pictures(numbers: set[int], pages: int) -> bytes:
    """A PDF whose pages `numbers` are pictures without a letter on them, so that recognition finds none either."""
    from PIL import Image

    out = BytesIO()
    canvas = Canvas(out, pagesize=(300, 400))
    for number in range(1, pages + 1):
        if number in numbers:
            canvas.drawImage(ImageReader(Image.new("RGB", (30, 40), (90, 90, 90))), 0, 0, 300, 400)
        else:
            canvas.drawString(40, 300, f"On page {number} the rules for travel are explained in plain words.")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


@pytest.fixture(scope="module")
def shelf(world: World) -> dict[str, str]:
    collection = world.collection(world.ada, "Health")
    return {
        "collection": collection,
        "good": world.upload(world.ada, collection, "good.md", b"# Travel\n\nEvery trip is paid for.\n"),
        "gaps": world.upload(world.ada, collection, "gaps.pdf", with_pictures({2, 3, 5, 6}, 7)),
        "bad": world.upload(world.ada, collection, "bad.pdf", b"%PDF-1.4\nno more than this"),
    }


def test_the_api_tells_how_well_a_document_was_read(ada: httpx.Client, shelf: dict[str, str]):
    gaps = ada.get(f"/api/v1/documents/{shelf['gaps']}").json()
    assert gaps["attention"]
    assert gaps["health"]["pages"] == 7
    assert gaps["health"]["pages_without_text"] == [[2, 3], [5, 6]]
    assert "pages_without_text" in gaps["health"]["reasons"]
    good = ada.get(f"/api/v1/documents/{shelf['good']}").json()
    assert not good["attention"]
    assert good["health"]["headings"] == 1
    assert good["health"]["confidence"] is None
    assert ada.get(f"/api/v1/documents/{shelf['bad']}").json()["health"] is None


def test_the_api_lists_what_needs_attention(ada: httpx.Client, shelf: dict[str, str]):
    listed = ada.get(f"/api/v1/collections/{shelf['collection']}/documents", params={"attention": True}).json()
    assert listed["total"] == 2
    assert {one["id"] for one in listed["documents"]} == {shelf["gaps"], shelf["bad"]}


def test_the_list_counts_them_and_can_be_narrowed(site: Site, shelf: dict[str, str]):
    address = f"/collections/{shelf['collection']}/documents"
    with site.browser() as ada:
        everything = ada.get(address).text
        assert "2 documents need attention" in everything
        assert f'href="{address}?attention=1"' in everything
        assert "good.md" in everything
        assert "No text was found on pages 2–3, 5–6." in everything
        narrowed = ada.get(address, params={"attention": 1}).text
        assert "good.md" not in narrowed
        assert "gaps.pdf" in narrowed
        assert "bad.pdf" in narrowed
        german = ada.get(address, headers={"accept-language": "de"}).text
        assert "2 Dokumente brauchen Aufmerksamkeit" in german
        assert "Kein Text gefunden: Seiten 2–3, 5–6." in german


def test_a_document_says_how_it_was_read(site: Site, shelf: dict[str, str]):
    with site.browser() as ada:
        page = ada.get(f"/documents/{shelf['gaps']}").text
        assert "How it was read" in page
        assert "pages 2–3, 5–6" in page
        assert "1 heading," in ada.get(f"/documents/{shelf['good']}").text


def test_pages_in_words():
    english, german = words("en"), words("de")
    assert english.pages([(3, 3)]) == "page 3"
    assert english.pages([(3, 5), (1200, 1200)], "pptx") == "slides 3–5, 1,200"
    assert german.pages([(3, 5)], "xlsx") == "Blätter 3–5"
    assert english.pages([(n, n) for n in range(1, 99, 2)]).endswith("23, …")
    assert (english.language_name("de"), german.language_name("de")) == ("German", "Deutsch")
    assert english.language_name("??") == "??"
