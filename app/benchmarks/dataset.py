"""A folder of documents and questions: `docs/` (files) or `docs.jsonl` (`{id, title, text}`), and `questions.jsonl`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.errors import NotFound


@dataclass(frozen=True)
class Question:
    """`docs` and `pages` say where the answer stands; `answers` is empty when the set has none."""

    id: str
    text: str
    language: str
    answers: tuple[str, ...]
    answerable: bool
    docs: tuple[str, ...]
    pages: tuple[int, ...]


def document_files(folder: Path, scratch: Path) -> list[Path]:
    """The files to upload: those of `docs/`, or one text file a line of `docs.jsonl` written into `scratch`; a folder
    that has neither is taken as a folder of files."""
    if (folder / "docs").is_dir():
        return sorted(path for path in (folder / "docs").iterdir() if path.is_file())
    if (folder / "docs.jsonl").is_file():
        return [_write(scratch, number, row) for number, row in enumerate(_rows(folder / "docs.jsonl"))]
    files = [folder] if folder.is_file() else sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        raise NotFound("There are no documents in %(folder)s.", "Name a folder of files.", folder=str(folder))
    return files


def texts(folder: Path) -> list[tuple[str, str]]:
    """Id and text of each line of `docs.jsonl`. Raises NotFound when the folder has none."""
    path = folder / "docs.jsonl"
    if not path.is_file():
        raise NotFound("There is no docs.jsonl in %(folder)s.", "Name a question set.", folder=str(folder))
    return [(str(row["id"]), str(row["text"])) for row in _rows(path)]


def questions(folder: Path) -> list[Question]:
    """Raises NotFound when the folder has no questions.jsonl."""
    path = folder / "questions.jsonl"
    if not path.is_file():
        raise NotFound("There is no questions.jsonl in %(folder)s.", "Name a question set.", folder=str(folder))
    return [_question(row) for row in _rows(path)]


def _rows(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def _write(scratch: Path, number: int, row: dict[str, object]) -> Path:
    name = re.sub(r"[^\w.-]+", "_", str(row["id"]))[:80]
    path = scratch / f"{number:05d}_{name}.txt"
    path.write_text(f"{row.get('title', '')}\n\n{row['text']}", encoding="utf-8")
    return path


def _question(row: dict[str, object]) -> Question:
    return Question(
        id=str(row["qid"]),
        text=str(row["question"]),
        language=str(row.get("lang", "")),
        answers=_strings(row.get("answers")),
        answerable=bool(row.get("answerable", True)),
        docs=_strings(row.get("docs")),
        pages=tuple(int(page) for page in _strings(row.get("page"))),
    )


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
