"""Footnotes, endnotes and comments of a Word document, by the reference that stands in the text."""

from __future__ import annotations

from lxml import etree

from ingestion.parsers.office_zip import Package

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
Notes = dict[tuple[str, str], etree._Element]  # (kind of reference, id) -> the note

_KINDS = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}


def notes(package: Package, main: str) -> Notes:
    """All notes. Separators, which Word keeps among them, are left out."""
    found: Notes = {}
    for kind, relation in _KINDS.items():
        for name in package.related(main, relation):
            if name in package.names:
                for note in package.root(name).iter(f"{W}{kind}"):
                    if note.get(f"{W}type", "normal") == "normal":
                        found[kind, note.get(f"{W}id", "")] = note
    return found


def author(note: etree._Element) -> str:
    """Who wrote a comment."""
    return str(note.get(f"{W}author", "")).strip()
