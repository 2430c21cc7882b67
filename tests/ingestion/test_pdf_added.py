"""What people add to a PDF: comments, files pinned to a page, what they fill into its fields."""

from __future__ import annotations

from pathlib import Path

from ingestion.parsers.pdf import read
from ingestion.types import Box, Parsed
from tests.ingestion.pdf_samples import raw, stream

TREE = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
TEXT = stream("BT /F 12 Tf 20 200 Td (The contract ends in May) Tj ET")


def page(annotations: str) -> str:
    resources = "<</Font<</F 5 0 R>>>>"
    return (
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources{resources}/Annots[{annotations}]>>"
    )


def parsed(path: Path, annotations: str, *more: str, catalog: str = "") -> Parsed:
    objects = f"<</Type/Catalog/Pages 2 0 R{catalog}>>", TREE, page(annotations), TEXT, FONT, *more
    return read(raw(path / "a.pdf", *objects), lambda done, total: None)


def test_comments_are_notes_with_their_authors_and_places(tmp_path: Path) -> None:
    sticky = "<</Type/Annot/Subtype/Text/Rect[100 100 120 120]/Contents(Ask the lawyer)/T(Kim)>>"
    free = "<</Type/Annot/Subtype/FreeText/Rect[20 50 120 70]/Contents(Typed onto the page)/DA(/F 10 Tf)>>"
    (shown,) = parsed(tmp_path, sticky + free).pages
    notes = [block for block in shown.blocks if block.kind == "note"]
    assert [note.text for note in notes] == ["Comment by Kim: Ask the lawyer", "Typed onto the page"]
    assert notes[0].lines[0].box == Box(100, 180, 120, 200)


def test_a_mark_that_repeats_the_words_it_marks_and_a_hidden_one_are_no_comments(tmp_path: Path) -> None:
    mark = "<</Type/Annot/Subtype/Highlight/Rect[20 195 200 215]/Contents(ends in\rMay)>>"
    hidden = "<</Type/Annot/Subtype/Text/Rect[100 100 120 120]/Contents(Unseen)/F 2>>"
    (shown,) = parsed(tmp_path, mark + hidden).pages
    assert shown.text == "The contract ends in May"


def test_fields_that_no_program_has_drawn_yet_are_read(tmp_path: Path) -> None:
    field = "<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Kim Berger)/DA(/F 10 Tf)/Rect[100 100 250 120]/P 3 0 R>>"
    form = "/AcroForm<</Fields[6 0 R]/NeedAppearances true/DR<</Font<</F 5 0 R>>>>/DA(/F 10 Tf)>>"
    (shown,) = parsed(tmp_path, "6 0 R", field, catalog=form).pages
    assert "Kim Berger" in shown.text


def test_a_file_pinned_to_a_page_is_handed_on(tmp_path: Path) -> None:
    file = "<</Type/Filespec/F(note.txt)/EF<</F 6 0 R>>>>"
    pin = f"<</Type/Annot/Subtype/FileAttachment/Rect[1 1 9 9]/FS{file}>>"
    (attachment,) = parsed(tmp_path, pin, stream("pinned", "/Type/EmbeddedFile")).attachments
    assert (attachment.name, attachment.data) == ("note.txt", b"pinned")


def test_a_form_that_is_a_program_is_named_and_its_values_are_read(tmp_path: Path) -> None:
    data = (
        '<x:xdp xmlns:x="http://ns.adobe.com/xdp/"><f:datasets xmlns:f="http://www.xfa.org/schema/xfa-data/1.0/">'
        "<f:data><Name>Kim</Name></f:data></f:datasets></x:xdp>"
    )
    catalog = "/NeedsRendering true/AcroForm<</Fields[]/XFA 6 0 R>>"
    found = parsed(tmp_path, "", stream(data), catalog=catalog)
    assert [warning.code for warning in found.warnings] == ["dynamic_form"]
    assert found.outcome == "partial"
    (attachment,) = found.attachments
    assert b"<Name>Kim</Name>" in attachment.data


def test_no_attachment_goes_missing_in_silence(tmp_path: Path) -> None:
    names = "".join(f"(f{at:04d})<</Type/Filespec/F(f{at:04d}.txt)/EF<</F 6 0 R>>>>" for at in range(1_005))
    found = parsed(
        tmp_path, "", stream("x", "/Type/EmbeddedFile"), catalog=f"/Names<</EmbeddedFiles<</Names[{names}]>>>>"
    )
    assert len(found.attachments) == 1_000
    assert [warning.code for warning in found.warnings] == ["attachments_left_out"]
