"""Searches go on, and are right, while a writer commits and generations are swapped under them."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from index_entries import DIM, entry, vector

from ingestion.index.store import Index, IndexWriter, Query

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon"]


def test_searches_are_right_while_generations_change(tmp_path: Path) -> None:
    index = Index(tmp_path, "m", DIM)
    done = threading.Event()

    def search(word: str) -> int:
        """Content 0 stays; whatever else is found must hold the word asked for."""
        searches, seen = 0, 0
        while not done.is_set() or searches < 10:
            number = index.generation
            hits = index.search(Query(word, vector(word), range(1000), limit=1000))
            assert (0, WORDS.index(word)) in {(hit.content_id, hit.ordinal) for hit in hits}
            assert all(hit.ordinal == WORDS.index(word) for hit in hits if hit.lexical_rank)
            assert all(hit.similarity > 0.99 for hit in hits if hit.similarity and hit.ordinal == WORDS.index(word))
            assert number >= seen
            seen, searches = number, searches + 1
            time.sleep(0.002)  # let the writer have a turn
        return searches

    with IndexWriter(tmp_path, "m", DIM) as writer, ThreadPoolExecutor(3) as pool:
        writer.add([entry(0, WORDS)])
        writer.commit()
        running = [pool.submit(search, word) for word in WORDS[:3]]
        try:
            for content in range(1, 11):
                writer.add([entry(content, WORDS)])
                writer.remove([content - 3] if content > 3 else [])
                number = writer.commit()
                assert index.refresh(at_least=number) == number
        finally:
            done.set()
        assert sum(future.result(timeout=60) for future in running) >= 30
    assert index.problems == ()


def test_a_search_finishes_on_its_generation(tmp_path: Path) -> None:
    """A reader holds a generation whose folder is deleted; it answers from it until it refreshes."""
    index = Index(tmp_path, "m", DIM)
    with IndexWriter(tmp_path, "m", DIM) as writer:
        writer.add([entry(n, WORDS) for n in range(20)])
        writer.commit()
        index.refresh()
        snapshot = index._snapshot
        assert snapshot is not None
        for content in range(10):
            writer.remove([content])
            writer.commit()
        hits = index._search(snapshot, Query("alpha", vector("alpha"), range(20), limit=30), set(range(20)))
        assert {hit.content_id for hit in hits if hit.lexical_rank} == set(range(20))
        assert {hit.content_id for hit in index.search(Query("alpha", None, range(20), limit=30))} == set(range(10, 20))
