"""PowerPoint: a slide is a page, shapes are read as one looks at them, notes are notes."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from office_files import silent
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm

from ingestion.parsers import slides
from ingestion.types import Parsed, Refused


def test_titles_text_and_notes_on_their_slide(tmp_path: Path) -> None:
    deck = Presentation()
    for number in (1, 2):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Title {number}"
        slide.placeholders[1].text = "First\nSecond"
        slide.notes_slide.notes_text_frame.text = f"Say {number}"
    seen: list[tuple[int, int]] = []
    parsed = read(tmp_path, deck, lambda done, total: seen.append((done, total)))
    assert [(page.number, page.label) for page in parsed.pages] == [(1, "Slide 1"), (2, "Slide 2")]
    assert [(block.kind, block.text) for block in parsed.pages[1].blocks] == [
        ("heading", "Title 2"),
        ("list", "First\nSecond"),
        ("note", "Say 2"),
    ]
    assert (parsed.title, parsed.has_pages, seen) == ("Title 1", True, [(1, 2), (2, 2)])


def test_shapes_are_read_from_top_to_bottom_and_left_to_right(tmp_path: Path) -> None:
    deck, slide = blank()
    for text, left, top in (("low", 1, 12), ("right", 14, 5.2), ("left", 1, 5), ("top", 8, 1)):
        box(slide.shapes, text, left, top)
    assert texts(read(tmp_path, deck)) == ["top", "left", "right", "low"]


def test_groups_are_kept_together(tmp_path: Path) -> None:
    deck, slide = blank()
    box(slide.shapes, "before", 1, 1)
    group = slide.shapes.add_group_shape()
    box(group.shapes, "inner low", 1, 9)
    box(group.shapes, "inner high", 1, 5)
    box(slide.shapes, "after", 1, 15)
    assert texts(read(tmp_path, deck)) == ["before", "inner high", "inner low", "after"]


def test_tables_with_merged_cells_and_charts_become_rows(tmp_path: Path) -> None:
    deck, slide = blank()
    table = slide.shapes.add_table(3, 3, Cm(1), Cm(1), Cm(20), Cm(5)).table
    for at, row in enumerate((("Region", "Quarter", "Sum"), ("North", "Q1", "10"), ("", "Q2", "20"))):
        for column, content in enumerate(row):
            table.cell(at, column).text = content
    table.cell(1, 0).merge(table.cell(2, 0))
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("Orders", (1.5, 20))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(1), Cm(8), Cm(20), Cm(8), data)
    parsed = read(tmp_path, deck)
    assert texts(parsed) == ["Region\tQuarter\tSum\nNorth\tQ1\t10\nNorth\tQ2\t20", "\tOrders\nQ1\t1.5\nQ2\t20"]
    assert parsed.pages[0].blocks[0].header == "Region\tQuarter\tSum"


def test_hidden_and_empty_slides_are_said(tmp_path: Path) -> None:
    deck, slide = blank()
    box(slide.shapes, "Secret plan", 1, 1)
    slide._element.set("show", "0")
    deck.slides.add_slide(deck.slide_layouts[6])
    parsed = read(tmp_path, deck)
    assert texts(parsed) == ["Secret plan"]
    assert [(warning.code, warning.page) for warning in parsed.warnings] == [("hidden_slide", 1), ("no_text", 2)]
    assert parsed.outcome == "partial"


def test_a_damaged_slide_costs_only_itself(tmp_path: Path) -> None:
    deck, slide = blank()
    box(slide.shapes, "Sound", 1, 1)
    other = deck.slides.add_slide(deck.slide_layouts[1])
    other.shapes.title.text = "Half"
    other._element.remove(other._element.cSld)
    parsed = read(tmp_path, deck)
    assert texts(parsed) == ["Sound"]
    assert [(warning.code, warning.page) for warning in parsed.warnings] == [("damaged", 2)]


def test_presentations_without_slides_or_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        read(tmp_path, Presentation())
    assert refused.value.code == "empty"
    with pytest.raises(Refused) as refused:
        read(tmp_path, blank()[0])
    assert refused.value.code == "no_text"


def blank() -> tuple[Any, Any]:
    deck = Presentation()
    return deck, deck.slides.add_slide(deck.slide_layouts[6])


def box(shapes: Any, text: str, left: float, top: float) -> None:
    shapes.add_textbox(Cm(left), Cm(top), Cm(8), Cm(2)).text_frame.text = text


def read(folder: Path, deck: Any, on_page: Any = silent) -> Parsed:
    deck.save(str(folder / "a.pptx"))
    return slides.read(folder / "a.pptx", on_page)


def texts(parsed: Parsed) -> list[str]:
    return [block.text for page in parsed.pages for block in page.blocks]


def test_charts_stay_on_their_slide_when_slides_were_moved(tmp_path: Path) -> None:
    """PowerPoint keeps the names of the parts when slides change places, python-pptx gives new ones."""
    deck = Presentation()
    for number in (1, 2):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = f"Made {number}"
        data = CategoryChartData()
        data.categories = ["Q1"]
        data.add_series(f"Sales {number}", (number,))
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(1), Cm(5), Cm(9), Cm(9), data)
    order = deck.slides._sldIdLst
    order.insert(0, order[-1])
    found = [[block.text for block in page.blocks] for page in read(tmp_path, deck).pages]
    assert found == [["Made 2", "\tSales 2\nQ1\t2"], ["Made 1", "\tSales 1\nQ1\t1"]]


def test_comments_of_both_kinds_follow_the_slide(tmp_path: Path) -> None:
    deck, slide = blank()
    box(slide.shapes, "Text", 1, 1)
    deck.save(str(tmp_path / "a.pptx"))
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    old = "http://schemas.openxmlformats.org/presentationml/2006/main"
    new = "http://schemas.microsoft.com/office/powerpoint/2018/8/main"
    drawing = "http://schemas.openxmlformats.org/drawingml/2006/main"
    said = f'<txBody><p xmlns="{drawing}"><r><t>%s</t></r></p></txBody>'
    added = {
        "ppt/commentAuthors.xml": f'<cmAuthorLst xmlns="{old}"><cmAuthor id="0" name="Eva"/></cmAuthorLst>',
        "ppt/authors.xml": f'<authorLst xmlns="{new}"><author id="{{A}}" name="Jörg"/></authorLst>',
        "ppt/comments/a.xml": f'<cmLst xmlns="{old}"><cm authorId="0"><text>Is this right?</text></cm></cmLst>',
        "ppt/comments/b.xml": f'<cmLst xmlns="{new}"><cm authorId="{{A}}"><replyLst><reply authorId="{{B}}">'
        f"{said % 'Yes'}</reply></replyLst>{said % 'Why?'}</cm></cmLst>",
    }
    related = {
        "ppt/_rels/presentation.xml.rels": (("commentAuthors", "commentAuthors.xml"), ("authors", "authors.xml")),
        "ppt/slides/_rels/slide1.xml.rels": (("comments", "../comments/a.xml"), ("comments", "../comments/b.xml")),
    }
    with zipfile.ZipFile(tmp_path / "a.pptx") as whole:
        parts = {name: whole.read(name).decode() for name in whole.namelist() if name.endswith((".xml", ".rels"))}
    for name, items in related.items():
        more = "".join(
            f'<Relationship Id="c{at}" Type="{kinds}/{kind}" Target="{target}"/>'
            for at, (kind, target) in enumerate(items)
        )
        parts[name] = parts[name].replace("</Relationships>", f"{more}</Relationships>")
    types = "".join(f'<Override PartName="/{name}" ContentType="application/xml"/>' for name in added)
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace("</Types>", f"{types}</Types>")
    with zipfile.ZipFile(tmp_path / "b.pptx", "w") as changed:
        for name, content in (parts | added).items():
            changed.writestr(name, content)
    found = slides.read(tmp_path / "b.pptx", silent)
    assert [(block.kind, block.text) for block in found.pages[0].blocks] == [
        ("paragraph", "Text"),
        ("note", "Comment by Eva: Is this right?"),
        ("note", "Comment by Jörg: Why?"),
        ("note", "Yes"),
    ]
