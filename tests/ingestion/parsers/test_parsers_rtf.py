"""Rich text as the programs that write it mean it: code pages, tables, notes, nothing that nobody sees."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from office_files import silent

from ingestion.parsers import rtf
from ingestion.sniff import sniff
from ingestion.types import Parsed, Refused


def read(tmp_path: Path, body: str) -> Parsed:
    path = tmp_path / "a.rtf"
    path.write_bytes(("{\\rtf1\\ansi\\ansicpg1252\\deff0" + body + "}").encode("latin-1"))
    assert sniff(path, "a.doc") == "rtf"
    return rtf.read(path, silent)


def blocks(tmp_path: Path, body: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in read(tmp_path, body).pages[0].blocks]


def text(tmp_path: Path, body: str) -> str:
    return read(tmp_path, body).pages[0].text


def test_bytes_are_in_the_code_page_of_their_font(tmp_path: Path) -> None:
    fonts = r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset128 Gothic;}{\f2\fcharset204 Arial CYR;}}"
    body = r"\f0 M\'fcller {\f1 \'8c\'c3\'8f\'91} {\f2 \'cf\'ee\'e7\'e8\'f6\'e8\'ff} \f0\'80"
    assert text(tmp_path, fonts + body) == "Müller 古書 Позиция €"


def test_a_second_byte_that_is_a_letter_belongs_to_its_character(tmp_path: Path) -> None:
    assert text(tmp_path, r"{\fonttbl{\f0\fcharset128 Gothic;}}\f0 \'83A\'83\'5c") == "アソ"


def test_unicode_comes_once_whatever_stands_in_for_it(tmp_path: Path) -> None:
    body = r"\uc1\u8364? {\uc2\u252 ue}ber \u-10179?\u-8704? \uc0\u55296\uc1\u57138? {\upr{old}{\*\ud{new \u955?}}}"
    assert text(tmp_path, body) == "€ über \U0001f600 \U00010332 new λ"


def test_signs_and_breaks(tmp_path: Path) -> None:
    body = r"\ldblquote a\rdblquote\~b\_c\emdash d\line e\{f\}\\g" + "\r\n" + r"h\par i"
    assert blocks(tmp_path, body) == [("paragraph", "“a” b-c—d\ne{f}\\gh"), ("paragraph", "i")]


def test_headings_come_from_styles_and_outline_levels(tmp_path: Path) -> None:
    styles = r"{\stylesheet{\s0 Normal;}{\s1\b heading 1;}{\s2\outlinelevel1 Encabezado dos;}{\s3 Title;}{\*\cs4 x;}}"
    body = r"{\info{\author Ada}}\pard\s3 Plan\par\pard\s1 Travel\par\pard\s2 Hotels\par"
    body += r"\pard\outlinelevel2 Rome\par\pard ok\par"
    found = read(tmp_path, styles + body)
    shown = [(block.level, block.text) for block in found.pages[0].blocks]
    assert shown == [(1, "Plan"), (1, "Travel"), (2, "Hotels"), (3, "Rome"), (0, "ok")]
    assert found.title == "Plan"


def test_lists_keep_their_marks(tmp_path: Path) -> None:
    body = r"\pard\ls1{\listtext 1.\tab}First\par{\listtext 2.\tab}Second\par\pard\ls2{\listtext\'b7\tab}Dot\par"
    assert blocks(tmp_path, body) == [("list", "1. First"), ("list", "2. Second"), ("list", "- Dot")]


def test_a_table_keeps_its_rows_and_what_spans_them(tmp_path: Path) -> None:
    row = r"\trowd\cellx1000\cellx2000\cellx3000\pard\intbl {}\cell {}\cell {}\cell\row "
    spanning = r"\trowd\clvmgf\cellx1000\cellx2000\cellx3000\pard\intbl North\cell Q1\cell 10\cell\row "
    below = r"\trowd\clvmrg\cellx1000\cellx2000\cellx3000\pard\intbl\cell Q2\cell 20\par net\cell\row "
    head = row.replace(r"\trowd", r"\trowd\trhdr").format("Region", "Quarter", "Sum")
    body = r"Before\par " + head + spanning + below + r"\pard After\par"
    found = read(tmp_path, body).pages[0].blocks
    assert [block.text for block in found] == [
        "Before",
        "Region\tQuarter\tSum\nNorth\tQ1\t10\nNorth\tQ2\t20 net",
        "After",
    ]
    assert found[1].header == "Region\tQuarter\tSum"


def test_cells_stand_under_their_column_whatever_they_span(tmp_path: Path) -> None:
    rows = (
        r"\trowd\cellx1000\cellx2000\cellx3000\pard\intbl a\cell b\cell c\cell\row"
        r"\trowd\cellx2010\cellx3000\pard\intbl wide\cell 3\cell\row"
    )
    assert blocks(tmp_path, rows) == [("table", "a\tb\tc\nwide\t\t3")]


def test_two_tables_with_an_empty_line_between_them_are_two(tmp_path: Path) -> None:
    row = r"\trowd\cellx1000\cellx2000\pard\intbl a\cell b\cell\row "
    assert blocks(tmp_path, row + r"\pard\par " + row) == [("table", "a\tb"), ("table", "a\tb")]


def test_a_table_in_a_cell_is_a_table_of_its_own(tmp_path: Path) -> None:
    inner = r"\pard\intbl\itap2 k\nestcell v\nestcell"
    inner += r"{\*\nesttableprops\trowd\cellx1000\cellx2000\nestrow}{\nonesttables\par}"
    inner += inner.replace("k", "K").replace(" v", " V")
    body = rf"\trowd\cellx1000\cellx2000\pard\intbl a\cell see \par {inner}\pard\intbl\itap1\cell\row\pard end\par"
    assert [said for _, said in blocks(tmp_path, body)] == ["a\tsee", "k\tv\nK\tV", "end"]


def test_notes_and_comments_follow_their_paragraph(tmp_path: Path) -> None:
    note = r"{\super\chftn{\footnote\pard\chftn The small print.}}"
    comment = r"{\*\atnid AD}{\*\atnauthor Ada}\chatn{\*\annotation{\*\atnref 1}\pard Really?}"
    assert blocks(tmp_path, rf"Costs{note} are {comment}paid.\par Next.\par") == [
        ("paragraph", "Costs are paid."),
        ("note", "The small print."),
        ("note", "Comment by Ada: Really?"),
        ("paragraph", "Next."),
    ]


def test_headers_and_footers_stand_once_and_page_numbers_do_not(tmp_path: Path) -> None:
    margins = r"{\headerl ACME\par}{\headerr ACME\par}{\footer Page {\field{\*\fldinst PAGE}{\fldrslt 7}}\par}"
    assert blocks(tmp_path, margins + r"Body\par") == [("note", "ACME"), ("paragraph", "Body"), ("note", "Page")]


def test_a_link_shows_its_text_and_a_text_box_comes_after_its_paragraph(tmp_path: Path) -> None:
    link = r'{\field{\*\fldinst HYPERLINK "http://x.example"}{\fldrslt here}}'
    box = r"{\shp{\*\shpinst{\sp{\sn wzName}{\sv Box}}{\shptxt\pard In the box\par}}}"
    assert [said for _, said in blocks(tmp_path, rf"See {link}{box}.\par")] == ["See here.", "In the box"]


def test_what_nobody_sees_is_not_in(tmp_path: Path) -> None:
    body = (
        r"{\*\unknown secret}{\colortbl;\red0;}Kept {\v HIDDEN}{\deleted GONE}{\xe{index}}"
        r"{\pict\pngblip 89504e47}{\*\shppict{\pict 8950}}{\object{\*\objdata 0105}{\result picture of it}}"
        r"\bin5 }}}}}text\par"
    )
    found = read(tmp_path, body)
    assert found.pages[0].text == "Kept picture of ittext"
    codes = [warning.code for warning in found.warnings]
    assert codes == ["pictures", "embedded_files", "hidden_text", "tracked_changes"]


def test_a_file_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.rtf"
    path.write_bytes(rb"{\rtf1 {\b Half a sent")
    found = rtf.read(path, silent)
    assert (found.pages[0].text, found.outcome, found.warnings[0].code) == ("Half a sent", "partial", "damaged")


@pytest.mark.parametrize(("body", "code"), [("{" * 5_000, "damaged"), (r"{\pict 89504e47}", "no_text")])
def test_what_cannot_be_read_is_refused(tmp_path: Path, body: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read(tmp_path, body)
    assert refused.value.code == code


def test_exponents_are_told_from_the_figures_they_stand_above(tmp_path: Path) -> None:
    assert text(tmp_path, r"\pard 10{\super 6} m\super 2\nosupersub  and 1{\super st}") == "10⁶ m² and 1st"


def test_embedded_files_are_handed_on(tmp_path: Path) -> None:
    def counted(data: bytes) -> bytes:
        return struct.pack("<I", len(data)) + data

    packed = b"\2\0plan.txt\0C:\\plan.txt\0\0\0\3\0" + counted(b"C:\\x\0") + counted(b"Hello")
    pdf = b"%PDF-1.7 ..."
    found = [
        struct.pack("<II", 0x501, 2) + counted(kind) + counted(b"") * 2 + counted(data)
        for kind, data in ((b"Package\0", packed), (b"AcroExch\0", pdf), (b"Equation.3\0", b"?"))
    ]
    written = ("\n".join((one.hex()[:9], one.hex()[9:])) for one in found)
    objects = "".join(r"{\object\objemb{\*\objdata " + one + "}}" for one in written)
    parsed = read(tmp_path, "Text " + objects + r"{\object{\*\objdata 0105zz}}")
    assert parsed.pages[0].text == "Text"
    assert [(one.name, one.data) for one in parsed.attachments] == [("plan.txt", b"Hello"), ("object2.pdf", pdf)]
    assert [warning.code for warning in parsed.warnings] == ["attachments", "embedded_files"]
