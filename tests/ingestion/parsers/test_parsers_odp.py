"""OpenDocument slides: a page each, title first, shapes in reading order, notes at the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from odf_files import cell, odf, p, row
from office_files import silent

from ingestion.parsers import odp
from ingestion.types import Parsed, Refused


def read(tmp_path: Path, *slides: str, styles: str = "", kind: str = "presentation") -> Parsed:
    return odp.read(odf(tmp_path / "a.odp", kind, "".join(slides), styles), silent)


def slide(*shapes: str, notes: str = "", attributes: str = "") -> str:
    speaker = f"<presentation:notes>{notes}</presentation:notes>"
    return f"<draw:page {attributes}>{''.join(shapes)}{speaker}</draw:page>"


def box(text: str, top: str = "1cm", left: str = "1cm", kind: str = "", attributes: str = "") -> str:
    place = f'svg:x="{left}" svg:y="{top}" svg:height="1cm" presentation:class="{kind}" {attributes}'
    return f"<draw:frame {place}><draw:text-box>{p(text)}</draw:text-box></draw:frame>"


def test_a_slide_is_read_as_one_reads_it(tmp_path: Path) -> None:
    grid = f'<table:table table:use-first-row-styles="true">{row("Region", "Sum")}{row("North", "10")}</table:table>'
    first = slide(
        box("right", "5cm", "12cm"),
        box("left", "5cm", "1cm"),
        f'<draw:frame svg:y="90mm">{grid}</draw:frame>',
        box("7", "18cm", kind="page-number"),
        box("Plan", "15cm", kind="title"),
        f"<draw:g>{box('b', '3cm', '2cm')}{box('a', '2cm', '2cm')}</draw:g>",
        notes=box("Say hello.", kind="notes"),
    )
    parsed = read(tmp_path, first)
    blocks = parsed.pages[0].blocks
    texts = [block.text for block in blocks]
    assert texts == ["Plan", "a", "b", "left", "right", "Region\tSum\nNorth\t10", "Say hello."]
    assert [blocks[0].kind, blocks[5].header, blocks[6].kind] == ["heading", "Region\tSum", "note"]
    assert (parsed.pages[0].label, parsed.title) == ("Slide 1", "Plan")


def test_pages_keep_their_numbers_and_bare_and_hidden_ones_are_said(tmp_path: Path) -> None:
    hiding = '<style:drawing-page-properties presentation:visibility="hidden"/>'
    styles = f'<style:style style:name="dp2" style:family="drawing-page">{hiding}</style:style>'
    empty = box("click here", attributes='presentation:placeholder="true"')
    parsed = read(tmp_path, slide(empty), slide(box("x"), attributes='draw:style-name="dp2"'), styles=styles)
    assert [page.text for page in parsed.pages] == ["", "x"]
    assert [(warning.code, warning.page) for warning in parsed.warnings] == [("hidden_slide", 2), ("no_text", 1)]
    assert parsed.outcome == "partial"


def test_a_drawing_is_read_like_slides(tmp_path: Path) -> None:
    assert read(tmp_path, slide(box("Valve")), kind="drawing").pages[0].text == "Valve"


@pytest.mark.parametrize(("body", "code"), [("", "empty"), (slide(cell("")), "no_text")])
def test_slides_without_text_are_refused(tmp_path: Path, body: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read(tmp_path, body)
    assert refused.value.code == code
