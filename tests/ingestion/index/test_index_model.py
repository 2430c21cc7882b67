"""Any sequence of adding, removing, committing and reopening leaves in the index what a plain dict holds."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import tantivy
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from index_entries import DIM, entry, vector

from ingestion.index.store import Index, IndexWriter, Query

CONTENTS = st.integers(0, 7)
TEXTS = st.lists(st.lists(st.sampled_from(["alpha", "beta", "gamma", "x-17"]), min_size=1).map(" ".join), max_size=4)


class IndexMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.writer = IndexWriter(self.root, "m", DIM)
        self.index = Index(self.root, "m", DIM)
        self.pending: dict[int, list[str]] = {}
        self.committed: dict[int, list[str]] = {}
        self.changed = False

    @rule(content=CONTENTS, texts=TEXTS)
    def add(self, content: int, texts: list[str]) -> None:
        self.writer.add([entry(content, texts)])
        self.pending[content] = texts

    @rule(contents=st.sets(CONTENTS, min_size=1, max_size=3))
    def remove(self, contents: set[int]) -> None:
        self.writer.remove(contents)
        for content in contents:
            self.pending.pop(content, None)

    @rule()
    def commit(self) -> None:
        self.writer.commit()
        self.committed = dict(self.pending)
        self.check()

    @rule()
    def reopen(self) -> None:
        self.writer.close()
        self.writer = IndexWriter(self.root, "m", DIM)
        self.pending = dict(self.committed)
        assert self.writer.problems == ()

    @precondition(lambda self: self.committed)
    @rule(data=st.data())
    def search(self, data: Any) -> None:
        allowed = data.draw(st.sets(CONTENTS))
        hits = self.index.search(Query("alpha", vector("alpha"), allowed, limit=100))
        expected = {(c, o) for c in allowed for o in range(len(self.committed.get(c, [])))}
        assert {(hit.content_id, hit.ordinal) for hit in hits} == expected

    @invariant()
    def contents(self) -> None:
        assert self.writer.contents() == set(self.committed)

    def check(self) -> None:
        expected = {(c, o): text for c, texts in self.committed.items() for o, text in enumerate(texts)}
        hits = self.index.search(Query("", vector("alpha"), range(8), limit=1000))
        assert {(h.content_id, h.ordinal) for h in hits} == set(expected)
        for hit in hits:
            text = expected[hit.content_id, hit.ordinal]
            assert hit.similarity is not None
            assert abs(hit.similarity - float(vector(text) @ vector("alpha"))) < 1e-5
        for folder in self.root.glob("generation-*"):
            assert stored(folder) <= set(expected) if folder != newest(self.root) else stored(folder) == set(expected)

    def teardown(self) -> None:
        self.writer.close()
        shutil.rmtree(self.root)


def newest(root: Path) -> Path:
    return max(root.glob("generation-*"))


def stored(folder: Path) -> set[tuple[int, int]]:
    """Keys of all documents in the lexical segments' stores, deleted ones included were there any."""
    searcher = tantivy.Index.open(str(folder / "lexical")).searcher()
    hits = searcher.search(tantivy.Query.all_query(), limit=1000).hits
    documents = [searcher.doc(address) for _, address in hits]
    return {(d.get_first("content"), d.get_first("ordinal")) for d in documents}


TestIndex = IndexMachine.TestCase
TestIndex.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
