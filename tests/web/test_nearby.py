"""What stands before and after a passage: for programs, for readers of a source, and for nobody else."""

from __future__ import annotations

import re

import httpx
import pytest

from tests.web.conftest import Site
from tests.web.world import World

CHAPTERS = "\n\n".join(f"# Chapter {n}\n\n" + f"Rule number {n} is told here at length. " * 30 for n in range(1, 6))


@pytest.fixture(scope="module")
def book(world: World) -> str:
    return world.upload(world.ada, world.collection(world.ada, "Nearby"), "book.md", CHAPTERS.encode())


def test_neighbours_over_the_api(ada: httpx.Client, book: str):
    total = ada.get(f"/api/v1/documents/{book}").json()["passages"]
    assert total > 6
    found = ada.get(f"/api/v1/documents/{book}/passages/3/neighbours", params={"before": 2}).json()
    assert [one["ordinal"] for one in found["before"]] == [1, 2]
    assert [one["ordinal"] for one in found["after"]] == [4]
    assert found["after"][0]["text"] == ada.get(f"/api/v1/documents/{book}/passages/4").json()["text"]
    first = ada.get(f"/api/v1/documents/{book}/passages/0/neighbours").json()
    assert (first["before"], len(first["after"])) == ([], 1)
    last = ada.get(f"/api/v1/documents/{book}/passages/{total - 1}/neighbours").json()
    assert last["after"] == []
    assert ada.get(f"/api/v1/documents/{book}/passages/{total}/neighbours").status_code == 404


def test_only_readers_of_the_document_get_them(site: Site, bob: httpx.Client, ada: httpx.Client, book: str):
    def same(reply: httpx.Response) -> dict[str, object]:
        return {name: value for name, value in reply.json().items() if name != "instance"}

    hidden = bob.get(f"/api/v1/documents/{book}/passages/3/neighbours")
    unknown = ada.get("/api/v1/documents/0123456789abcdef/passages/3/neighbours")
    assert hidden.status_code == unknown.status_code == 404
    assert same(hidden) == same(unknown)
    with site.browser("Bob") as other:
        assert other.get(f"/documents/{book}/passages/3/before").status_code == 404


def test_a_reader_goes_on_step_by_step(site: Site, book: str):
    with site.browser() as ada:
        part = ada.get(f"/documents/{book}/passages/2/before", headers={"hx-request": "true"}).text
        assert "<html" not in part
        assert "Show what stands before" in part
        assert f"/documents/{book}/passages/1/before" in part
        first = ada.get(f"/documents/{book}/passages/1/before").text
        assert "Chapter 1" in first
        assert "Show what stands before" not in first
        after = ada.get(f"/documents/{book}/passages/2/after", headers={"accept-language": "de"}).text
        assert re.search(rf"/documents/{book}/passages/3/after.*Zeigen, was danach steht", after, re.DOTALL)
