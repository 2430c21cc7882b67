"""The sample documents: every question of their README has its answer on one line of the document it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from office_files import silent

from ingestion.reader import read_file
from ingestion.sniff import sniff

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
ROW = re.compile(r"^\| (.+?) \| (.+?) \| `(.+?)` \| ?(\d*) \| (.+?) \|$", re.MULTILINE)
QUESTIONS = ROW.findall((SAMPLES / "README.md").read_text(encoding="utf-8"))


COMMON = {"pdf", "docx", "pptx", "xlsx", "csv", "html", "markdown", "text", "eml"}


def test_there_is_a_question_for_every_common_format() -> None:
    assert {sniff(SAMPLES / name, name) for _, _, name, _, _ in QUESTIONS} == COMMON


@pytest.mark.parametrize(("question", "name", "page", "holds"), [(row[0], row[2], row[3], row[4]) for row in QUESTIONS])
def test_the_answer_stands_where_the_readme_says(question: str, name: str, page: str, holds: str) -> None:
    parsed = read_file(SAMPLES / name, name, silent)
    pages = [item for item in parsed.pages if not page or item.number == int(page)]
    found = [block for item in pages for block in item.blocks]
    lines = [" ".join(line.text.split()) for block in found for line in block.lines]
    paragraphs = [" ".join(block.text.split()) for block in found if block.kind != "table"]
    assert any(all(part in line for part in holds.split(", ")) for line in lines + paragraphs), question
    assert parsed.has_pages == bool(page)
