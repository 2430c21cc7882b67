"""How well passages are found: recall of the words, of the embedder and of both together over question sets.

A set's passages are the paragraphs of its `docs.jsonl`, without titles. Sought is a paragraph of the named documents
that holds the answer; where none does word for word, any of theirs.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.benchmarks.dataset import Question, questions, texts
from ingestion.index.store import Hit, Index, IndexEntry, IndexWriter, Query
from ingestion.language import detect
from ingestion.types import Passage
from models.types import Embedder

AT = (1, 5)
LONGEST = 4000  # characters of a passage; longer paragraphs are cut between words
Key = tuple[int, int]


@dataclass(frozen=True)
class _Case:
    question: str
    sought: frozenset[Key]


@dataclass(frozen=True)
class _Set:
    """Passages by document id, in the order they are numbered in, and the questions that have an answer there."""

    passages: dict[str, list[str]]
    cases: list[_Case]


def measure(embedder: Embedder, folders: Sequence[Path], documents: Path | None = None) -> dict[str, Any]:
    """Recall at 1 and 5 for each set in `folders`. With `documents` the questions are asked of that other set, which
    has the same questions (by `qid`) in another language."""
    return {"embedder": embedder.id, "sets": [_measure(embedder, folder, documents or folder) for folder in folders]}


def _measure(embedder: Embedder, folder: Path, documents: Path) -> dict[str, Any]:
    found = _load(folder, documents)
    with tempfile.TemporaryDirectory() as place:
        index = _indexed(Path(place), embedder, found.passages)
        recall = _recall(index, embedder, found.cases, range(len(found.passages)))
    return {
        "set": folder.name,
        "documents": documents.name,
        "passages": sum(map(len, found.passages.values())),
        "questions": len(found.cases),
        **recall,
    }


def _load(folder: Path, documents: Path) -> _Set:
    passages = {name: list(_paragraphs(text)) for name, text in texts(documents)}
    gold = {question.id: question for question in questions(documents) if question.answerable}
    asked = [(question.text, gold[question.id]) for question in questions(folder) if question.id in gold]
    return _Set(passages, [_Case(text, sought) for text, one in asked if (sought := _sought(passages, one))])


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in filter(str.strip, re.split(r"\n\s*\n", text)):
        rest = paragraph.strip()
        while len(rest) > LONGEST:
            at = max(rest.rfind(" ", LONGEST // 2, LONGEST), LONGEST // 2)
            yield rest[:at]
            rest = rest[at:].strip()
        yield rest


def _sought(passages: Mapping[str, list[str]], question: Question) -> frozenset[Key]:
    numbers = {name: number for number, name in enumerate(passages)}
    keys = {
        (numbers[name], ordinal): _plain(text)
        for name in question.docs
        for ordinal, text in enumerate(passages.get(name, ()))
    }
    answers = [plain for answer in question.answers if (plain := _plain(answer))]
    return frozenset(key for key, text in keys.items() if any(a in text for a in answers)) or frozenset(keys)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _indexed(place: Path, embedder: Embedder, documents: Mapping[str, list[str]]) -> Index:
    with IndexWriter(place, embedder.id, embedder.dim) as writer:
        for number, texts_of_one in enumerate(documents.values()):
            passages = [Passage(ordinal, text, (), (), 0) for ordinal, text in enumerate(texts_of_one)]
            language = detect("\n".join(texts_of_one))
            writer.add([IndexEntry(number, language, passages, embedder.passages(texts_of_one))])
        writer.commit()
    return Index(place, embedder.id, embedder.dim, embedder.languages)


def _recall(index: Index, embedder: Embedder, cases: Sequence[_Case], allowed: Sequence[int]) -> dict[str, Any]:
    ranks: dict[str, list[int]] = {"words": [], "dense": [], "hybrid": []}
    for case in cases:
        vector = embedder.question(case.question)
        asked = {
            "words": Query(case.question, None, allowed, AT[-1]),
            "dense": Query("", vector, allowed, AT[-1], dense_weight=1.0),
            "hybrid": Query(case.question, vector, allowed, AT[-1]),
        }
        for leg, query in asked.items():
            ranks[leg].append(_rank(index.search(query), case.sought))
    return {leg: {f"recall@{k}": _share(found, k) for k in AT} for leg, found in ranks.items()}


def _rank(hits: Sequence[Hit], sought: frozenset[Key]) -> int:
    """Rank of the first passage that was sought; a large number when none was found."""
    return next((n for n, hit in enumerate(hits, 1) if (hit.content_id, hit.ordinal) in sought), 1 << 30)


def _share(ranks: Sequence[int], k: int) -> float | None:
    return round(sum(rank <= k for rank in ranks) / len(ranks), 4) if ranks else None
