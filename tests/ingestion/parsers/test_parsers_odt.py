"""OpenDocument texts, read as their people see them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from odf_files import COVERED, NAMES, cell, content, flat, items, odf, p, row, table
from office_files import silent

from ingestion.parsers import ods, odt
from ingestion.sniff import sniff
from ingestion.types import Block, Parsed, Refused

NUMBERS = (
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" '
    'style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/>'
    '</text:list-style><text:list-style style:name="L2"><text:list-level-style-bullet text:level="1" '
    'text:bullet-char="x"/></text:list-style>'
)


def parsed(tmp_path: Path, body: str, styles: str = "", parts: dict[str, str] | None = None) -> Parsed:
    return odt.read(odf(tmp_path / "a.odt", "text", body, styles, parts), silent)


def blocks(tmp_path: Path, body: str, styles: str = "") -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parsed(tmp_path, body, styles).pages[0].blocks]


def only(tmp_path: Path, body: str) -> Block:
    (found,) = parsed(tmp_path, body).pages[0].blocks
    return found


def test_headings_have_levels_and_the_title_is_known(tmp_path: Path) -> None:
    style = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    title = '<style:style style:name="Title" style:family="paragraph"/>'
    found = parsed(
        tmp_path, f'{p("Travel", "P1")}<text:h text:outline-level="2">Hotels</text:h>{p("Book.")}', style + title
    )
    shown = [(block.kind, block.level, block.text) for block in found.pages[0].blocks]
    assert shown == [("heading", 1, "Travel"), ("heading", 2, "Hotels"), ("paragraph", 0, "Book.")]
    assert (found.title, found.has_pages) == ("Travel", False)


def test_lists_are_numbered_as_the_program_numbers_them(tmp_path: Path) -> None:
    inner = f"<text:list>{items(p('Desk'), p('Chair'))}</text:list>"
    body = (
        f'<text:list text:style-name="L1">{items(p("Office") + inner, p("Car"))}</text:list>'
        f'<text:list text:style-name="L2">{items(p("Tea"))}</text:list>'
        f'<text:list text:style-name="L1" text:continue-numbering="true">{items(p("Train"))}</text:list>'
    )
    texts = [text for _, text in blocks(tmp_path, body, NUMBERS)]
    assert texts == ["1. Office", "a) Desk", "b) Chair", "2. Car", "- Tea", "3. Train"]


def test_numbers_of_headings_come_from_the_outline(tmp_path: Path) -> None:
    level = '<text:outline-level-style text:level="{0}" style:num-format="1" text:display-levels="{0}"/>'
    styles = {
        "styles.xml": f"<a {NAMES}><text:outline-style>{level.format(1)}{level.format(2)}</text:outline-style></a>"
    }
    heads = ((1, "Scope"), (2, "Who"), (2, "When"), (1, "Costs"), (2, "Hotels"))
    body = "".join(f'<text:h text:outline-level="{level}">{text}</text:h>' for level, text in heads)
    found = parsed(tmp_path, body, parts=styles).pages[0].blocks
    assert [block.text for block in found] == ["1 Scope", "1.1 Who", "1.2 When", "2 Costs", "2.1 Hotels"]


def test_white_space_is_what_the_markup_says(tmp_path: Path) -> None:
    assert only(tmp_path, p('a\n  b<text:s text:c="3"/>c<text:tab/>d<text:line-break/>e')).text == "a b c d\ne"


def test_a_table_keeps_rows_columns_and_what_spans_them(tmp_path: Path) -> None:
    head = f"<table:table-header-rows>{row('Region', 'Quarter', 'Sum')}</table:table-header-rows>"
    spans = cell("North", 'table:number-rows-spanned="2"')
    wide = cell("wide", 'table:number-columns-spanned="2"')
    body = (
        f"<table:table>{head}{row(spans, 'Q1', '10')}{row(COVERED, 'Q2', '20')}{row(wide, COVERED, '30')}</table:table>"
    )
    found = only(tmp_path, body)
    assert found.header == "Region\tQuarter\tSum"
    assert found.text == "Region\tQuarter\tSum\nNorth\tQ1\t10\nNorth\tQ2\t20\nwide\t\t30"


def test_two_header_rows_name_each_column_they_lie_over(tmp_path: Path) -> None:
    year = cell("2026", 'table:number-columns-spanned="2"')
    head = f"<table:table-header-rows>{row('Region', year, COVERED)}{row('', 'H1', 'H2')}</table:table-header-rows>"
    found = only(tmp_path, f"<table:table>{head}{row('North', '1', '2')}</table:table>")
    assert found.header == "Region\t2026 H1\t2026 H2"


def test_a_table_in_a_cell_is_a_table_of_its_own(tmp_path: Path) -> None:
    inner = f"<table:table-cell>{p('see')}{table(row('k', 'v'), row('K', 'V'))}</table:table-cell>"
    found = blocks(tmp_path, table(row("a", "b"), row("1", inner)))
    assert [text for _, text in found] == ["a\tb\n1\tsee", "k\tv\nK\tV"]


def test_footnotes_and_comments_follow_their_paragraph_and_are_not_glued_into_it(tmp_path: Path) -> None:
    text = f"<text:note-body>{p('The small print.')}</text:note-body>"
    note = f"<text:note><text:note-citation>1</text:note-citation>{text}</text:note>"
    comment = f"<office:annotation><dc:creator>Ada</dc:creator>{p('Really?')}</office:annotation>"
    found = blocks(tmp_path, p(f"Costs{note} are {comment}paid."))
    notes = [("note", "The small print."), ("note", "Comment by Ada: Really?")]
    assert found == [("paragraph", "Costs are paid."), *notes]


def test_deleted_and_hidden_text_is_not_in_and_said(tmp_path: Path) -> None:
    deletion = f"<text:changed-region><text:deletion>{p('SECRET')}</text:deletion></text:changed-region>"
    hiding = '<style:text-properties text:display="none"/>'
    styles = f'<style:style style:name="T1" style:family="text">{hiding}</style:style>'
    kept = p('Kept <text:change text:change-id="c"/>text<text:span text:style-name="T1">HIDDEN</text:span>')
    found = parsed(tmp_path, f"<text:tracked-changes>{deletion}</text:tracked-changes>{kept}", styles)
    assert found.pages[0].text == "Kept text"
    assert [warning.code for warning in found.warnings] == ["hidden_text", "tracked_changes"]


def test_text_boxes_are_read_and_the_table_of_contents_is_not(tmp_path: Path) -> None:
    box = f"<draw:frame><draw:text-box>{p('In the box')}</draw:text-box><svg:title>alt</svg:title></draw:frame>"
    contents = f"<text:table-of-content><text:index-body>{p('Hotels 7')}</text:index-body></text:table-of-content>"
    assert [text for _, text in blocks(tmp_path, contents + p(f"Before{box} after"))] == ["Before after", "In the box"]


def test_the_figures_of_a_chart_are_a_table(tmp_path: Path) -> None:
    figures = table(row("", "2026"), row("Q1", "20"))
    chart = f"<chart:chart><chart:title>{p('Orders')}</chart:title>{figures}</chart:chart>"
    frame = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'
    found = parsed(tmp_path, p("See") + p(frame), parts={"Object 1/content.xml": content("chart", chart)})
    assert [block.text for block in found.pages[0].blocks] == ["See", "Orders", "\t2026\nQ1\t20"]


def test_headers_and_footers_of_pages_are_notes_and_stand_once(tmp_path: Path) -> None:
    number = "Page <text:page-number>1</text:page-number>"
    margins = f"<style:header>{p('ACME')}</style:header><style:footer>{p(number)}</style:footer>"
    page = f"<style:master-page>{margins}</style:master-page>"
    (found,) = parsed(tmp_path, p("Body"), parts={"styles.xml": f"<a {NAMES}>{page}{page}</a>"}).pages
    shown = [(block.kind, block.text) for block in found.blocks]
    assert shown == [("note", "ACME"), ("paragraph", "Body"), ("note", "Page")]


def test_a_flat_file_is_known_and_read(tmp_path: Path) -> None:
    path = tmp_path / "a.fodt"
    path.write_text(flat("text", p("All in one")), encoding="utf-8")
    assert sniff(path, "a.fodt") == "odt"
    assert odt.read(path, silent).pages[0].text == "All in one"


def test_a_template_is_read_like_a_text(tmp_path: Path) -> None:
    path = odf(tmp_path / "a.ott", "text-template", "")
    assert sniff(path, "a.ott") == "odt"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"META-INF/manifest.xml": "<m><encryption-data/></m>"}, "password_protected"),
        ({"content.xml": "<a"}, "damaged"),
        ({"content.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}, "damaged"),
        ({"content.xml": content("text", "")}, "no_text"),
        ({"content.xml": content("spreadsheet", "")}, "damaged"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(tmp_path: Path, change: dict[str, str], code: str) -> None:
    path = tmp_path / "a.odt"
    with zipfile.ZipFile(path, "w") as file:
        for name, data in ({"mimetype": "x", "content.xml": content("text", p("x"))} | change).items():
            file.writestr(name, data)
    with pytest.raises(Refused) as refused:
        odt.read(path, silent)
    assert refused.value.code == code


def test_rows_and_cells_said_to_repeat_a_million_times_are_refused(tmp_path: Path) -> None:
    many = cell("x", 'table:number-columns-repeated="16384"')
    rows = row(many, "y", attributes='table:number-rows-repeated="1048576"') * 3
    with pytest.raises(Refused, match="more cells"):
        parsed(tmp_path, table(row("a", "b"), rows))


def test_exponents_are_told_from_the_figures_they_stand_above(tmp_path: Path) -> None:
    style = (
        '<style:style style:name="T1" style:family="text"><style:text-properties style:text-position="super 58%"/>'
        '</style:style><style:style style:name="T2" style:family="text">'
        '<style:text-properties style:text-position="0% 100%"/></style:style>'
    )
    body = p('10<text:span text:style-name="T1">6</text:span> m<text:span text:style-name="T2">2</text:span>')
    assert blocks(tmp_path, body, style) == [("paragraph", "10⁶ m2")]


def test_sheets_in_a_text_become_documents_of_their_own(tmp_path: Path) -> None:
    sheet = content("spreadsheet", table(row(cell("inside"))))
    body = p('See <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>')
    found = parsed(tmp_path, body, parts={"Object 1/content.xml": sheet})
    (inner,) = found.attachments
    assert (inner.name, [warning.code for warning in found.warnings]) == ("Object 1.ods", ["attachments"])
    (tmp_path / inner.name).write_bytes(inner.data)
    assert sniff(tmp_path / inner.name, inner.name) == "ods"
    assert "inside" in ods.read(tmp_path / inner.name, silent).pages[0].text
