"""Names are kept for people, without what could deceive or break (cases 6 and 29)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.names import LONGEST_FOLDER, LONGEST_NAME, clean


@pytest.mark.parametrize(
    ("name", "folder", "kept"),
    [
        ("Köln Übersicht.pdf", "", ("Köln Übersicht.pdf", "")),
        ("Ko\u0308ln.pdf", "", ("Köln.pdf", "")),  # decomposed, as macOS sends it
        ("../../x.txt", "", ("x.txt", "")),
        ("/etc/x", "", ("x", "etc")),
        ("C:\\Users\\me\\x.txt", "", ("x.txt", "Users/me")),
        ("a/b.pdf", "shared/2026", ("b.pdf", "shared/2026/a")),
        ("b.pdf", "/../x/./y/..", ("b.pdf", "x/y")),
        ("evil\u202efdp.exe", "", ("evilfdp.exe", "")),
        ("zero\u200bwidth\x00\x1b[31m.txt", "", ("zerowidth[31m.txt", "")),
        ("line\nbreak.txt", "", ("line break.txt", "")),
        ("family 👩‍💻.txt", "", ("family 👩💻.txt", "")),
        ("", "", ("unnamed", "")),
        ("..", "", ("unnamed", "")),
        ("\ud800.txt", "", (".txt", "")),
        ("<script>alert(1)</script>.txt", "", ("script>.txt", "<script>alert(1)<")),
    ],
)
def test_examples(name, folder, kept):
    assert clean(name, folder) == kept


def test_a_long_name_keeps_its_end():
    name, _ = clean("x" * 1000 + " final version.pdf")
    assert len(name) == LONGEST_NAME
    assert name.endswith("final version.pdf")


@given(st.text(), st.text())
def test_whatever_comes_is_harmless(name, folder):
    kept, place = clean(name, folder)
    assert 1 <= len(kept) <= LONGEST_NAME
    assert len(place) <= LONGEST_FOLDER
    assert "/" not in kept
    assert kept not in (".", "..")
    assert not any(part in ("", ".", "..") for part in place.split("/") if place)
    assert clean(kept, place) == (kept, place)
